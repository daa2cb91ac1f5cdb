# The shell over gsv's own files: called as sh is, with bash's words and statuses.

gsv sh -c 'echo "$0 got $# words: $2"; exit 3' report one "two three"
#> report got 2 words: two three
#! gsv: created a home at …
#= 3
printf 'echo from stdin\nset -e\nfalse\necho never\n' | gsv sh
#> from stdin
#= 1
gsv sh -c 'ls /proc | grep init | wc -l; ps | grep init | awk "{print \$1}"'
#> 1
#> init:1000
printf 'cd ~; mkdir -p context.d; echo "# Me" > context.d/20-me.md; cat context.d/20-me.md; head -1 /proc/self/status' | gsv
#> # Me
#> Name:…init (sam)

# What goes wrong is said as bash says it, and the script goes on.
gsv sh -c 'cd ~; echo x > nope/x; cat < missing; cd missing; . ./missing; nonesuch; echo "still here: $?"'
#! bash: nope/x: No such file or directory
#! bash: missing: No such file or directory
#! bash: cd: missing: No such file or directory
#! bash: nonesuch: command not found
#! bash: ./missing: No such file or directory
#> still here: 127
gsv sh -c 'set -u; echo "$undefined"'
#! bash: undefined: unbound variable
#= 127
gsv sh -c 'do echo'
#! bash: line 1: syntax error near unexpected token `do'
#= 2

# Jobs run beside their shell.
gsv sh -c '(until [ -e ~/go ]; do sleep 0.01; done; echo second; exit 4) & (echo first; : > ~/go) & wait %1; echo $?; rm ~/go'
#> first
#> second
#> 4
gsv sh -c 'sleep 100 & kill %1; wait $!; echo $?'
#> 143
gsv sh -c 'sleep 100 & echo over'
#> over
#! gsv: ended with its shell: sleep 100

# A script has traps, and so many seconds.
gsv sh -c 'trap "echo bye" EXIT; kill -TERM $$; echo never'
#> bye
#= 143
gsv sh -c 'trap -l | head -n 1; kill -l | head -n 1'
#>  1) SIGHUP	 2) SIGINT	 3) SIGQUIT	 4) SIGILL	 5) SIGTRAP
#>  1) SIGHUP	 2) SIGINT	 3) SIGQUIT	 4) SIGILL	 5) SIGTRAP
gsv sh --timeout 0.3 -c 'while :; do :; done'
#! gsv: ended after 0.3 s: time limit reached
#= 124
gsv sh -c 'logs -f'
#! gsv: logs -f never ends, so a script cannot wait for it
#!   in a pipe it ends with the reader: logs -f PID | grep -m1 WORD
#= 2

# A program that never ends runs while another reads it, and ends with it.
gsv sh -c '(until [ -e ~/seen ]; do gsv spawn --label watched >/dev/null; done) & events | head -1 | wc -l; : > ~/seen; wait; rm ~/seen'
#> 1
gsv sh -c 'declare -A n; yes a | while read -r w; do n[$w]=$(( ${n[$w]:-0} + 1 )); [ "${n[a]}" = 3 ] && break; done; echo $?'
#> 0
