#### arguments
f() { echo "$1-$2 $#"; }; f a b
#### return status
f() { return 3; }; f; echo $?
#### local
x=1; f() { local x=2; echo $x; }; f; echo $x
#### global from function
f() { y=set; }; f; echo $y
#### output captured
f() { echo out; }; r=$(f); echo "[$r]"
#### recursion
fib() { if (($1<2)); then echo $1; else echo $(( $(fib $(($1-1))) + $(fib $(($1-2))) )); fi; }; fib 10
#### function keyword
function g { echo g; }; g; function h() { echo h; }; h
#### return in the middle
f() { echo a; return; echo b; }; f
#### default argument
f() { echo "${1:-default}"; }; f; f given
#### all arguments passed on
g() { echo $#; }; f() { g "$@"; }; f "a b" c ""
#### function in pipe
up() { tr a-z A-Z; }; echo hello | up
#### redefine
f() { echo 1; }; f() { echo 2; }; f
#### unset function
f() { :; }; unset -f f; f 2>/dev/null; echo $?
#### name of function
f() { echo $FUNCNAME; }; f
#### dynamic scope
f() { local v=inner; g; }; g() { echo $v; }; v=outer; f; g
#### status of last
f() { false; }; f && echo yes || echo no
#### redirect of function
f() { echo out; echo err >&2; } 2>/dev/null; f
#### subshell function
f() ( cd sub; pwd | sed 's|.*/||'; x=9 ); f; echo "[$x]"
#### type of function
f() { :; }; type -t f; type -t echo; type -t if; type -t nope; echo $?
#### declare f shows body
f() { echo "hi $1"; if true; then echo x; fi; }; declare -f f
#### declare F lists
a() { :; }; b() { :; }; declare -F
#### function with heredoc
f() { cat <<E
hi $1
E
}; f you
#### exit in function
f() { exit 4; }; (f; echo no); echo $?
#### shift in function
f() { while [ $# -gt 0 ]; do echo $1; shift; done; }; f a b c
#### local without value
f() { local x; echo "[$x]"; }; x=1; f
#### environment for a function
f() { echo $V; }; V=once f; echo "[$V]"
#### return outside
return 2>/dev/null; echo $?
#### command bypasses function
echo() { builtin echo "mine: $*"; }; echo a; command echo b
#### export function
f() { echo exported; }; export -f f; bash -c f
#### nested definition
f() { g() { echo inner; }; }; f; g
#### local array
f() { local a=(1 2); a+=(3); echo ${a[*]}; }; f
#### callback
apply() { local fn=$1; shift; for x; do $fn $x; done; }; sq() { echo $(($1*$1)); }; apply sq 2 3
#### positional restored
f() { set -- z; echo $1; }; set -- a; f; echo $1
#### caller variables by name
setit() { printf -v "$1" '%s' "$2"; }; setit name val; echo $name
#### command words from positional parameters
t() { "$@"; }; t echo "a  b" c; t t printf '[%s]' x "y z"; set -- echo hi; $@ there; "${@:2}" 2>/dev/null || echo none; "$@"
#### command words from a variable
c="echo one two"; $c three; x=ls; "$x" sub/deep; none=; $none echo four; $none $none echo five; $(echo echo six) seven
#### command words from an array
a=(printf '[%s]\n' "p q"); "${a[@]}" r; b=(); "${b[@]}" echo empty; "${b[@]}"; echo $?
#### command words with redirections and assignments
run() { V=1 "$@" > out; }; run printenv V; cat out; w="cat"; echo piped | $w | tr a-z A-Z; if $w /nope 2>/dev/null; then echo y; else echo no; fi
#### status of command words
$(exit 3); echo $?; f() { return 4; }; g=f; $g; echo $?; set -e; $(true); echo on; $g; echo off
#### command words split by IFS
IFS=:; c=echo:a:b; $c; unset IFS; p='ech? x'; $p 2>/dev/null || echo "no $?"
