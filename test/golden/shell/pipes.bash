#### status of a pipe is the last
false | true; echo $?; true | false; echo $?
#### pipefail
set -o pipefail; false | true; echo $?
#### pipestatus
true | false | true; echo ${PIPESTATUS[@]}
#### pipestatus of exits
(exit 3) | (exit 4); echo "${PIPESTATUS[0]} ${PIPESTATUS[1]}"
#### not a pipe
! false | false; echo $?
#### pipe both streams
{ echo o; echo e >&2; } |& sort
#### long pipe
cat fruits.txt | sort | uniq -c | sort -rn | head -1 | sed 's/^ *//'
#### head closes early
yes | head -3
#### pipe into while
seq 3 | while read n; do echo $((n*n)); done
#### pipe into group
echo a | { read x; echo "got $x"; }
#### command not found
nosuchcommand; echo $?
#### not executable
echo 'echo hi' > f; ./f; echo $?
#### directory as command
./sub; echo $?
#### missing path as command
./nope; echo $?
#### exit with status
exit 42
#### exit default
false; exit
#### exit over 255
(exit 256); echo $?; (exit 257); echo $?; (exit -1); echo $?
#### exit in a subshell
(exit 5); echo $?; echo still
#### errexit stops
set -e; echo a; false; echo b
#### errexit spares conditions
set -e; if false; then :; fi; false || true; ! true; echo reached
#### errexit in function
set -e; f() { false; echo in; }; f; echo after
#### errexit off in condition
set -e; f() { false; echo in; }; if f; then echo yes; fi
#### errexit and pipe
set -e; false | true; echo reached; set -o pipefail; false | true; echo not
#### errexit in subshell
set -e; (false; echo in) || echo caught; (false); echo no
#### errexit in substitution
set -e; x=$(false); echo no
#### errexit with local
set -e; f() { local x=$(false); echo local hides; }; f
#### errexit and and-list
set -e; false && true; echo reached
#### set plus e
set -e; set +e; false; echo on
#### nounset
set -u; echo $undefined; echo no
#### nounset with default
set -u; echo "${undefined:-fine}"; echo yes
#### nounset status
(set -u; echo "$nope") 2>/dev/null; echo $?
#### nounset empty array
set -u; a=(); echo "${#a[@]}"; echo "${a[@]}"; echo ok
#### nounset positional
set -u; (echo $1) 2>/dev/null; echo $?
#### strict mode script
set -euo pipefail; total=0; for n in $(cat numbers.txt); do total=$((total + n)); done; echo $total
#### xtrace
set -x; echo a "b c"; x=1
#### verbose off by default
echo $-  | tr -d 'hBs'
#### true false colon
true; echo $?; false; echo $?; :; echo $?
#### status of assignment
x=$(exit 3); echo $?; x=1; echo $?
#### background wait
(exit 3) & wait $!; echo $?
#### background output
echo bg & wait; echo done
#### time to sleep zero
sleep 0; echo $?
#### command v
command -v cd; command -v nosuch; echo $?
#### command v keyword and function
f() { :; }; command -v f if; type -t f
#### type words
type -t cd; type -t while; alias q=x; type -t cat
#### eval
cmd='echo "a b"'; eval $cmd; eval "x=5"; echo $x
#### eval status
eval false; echo $?; eval; echo $?
#### dot a file
echo 'v=sourced; f() { echo from $1; }' > lib; . ./lib; echo $v; f lib
#### source with arguments
echo 'echo "$# $1"' > s; source ./s a b; set -- x; . ./s
#### source return
echo 'echo a; return 3; echo b' > s; . ./s; echo $?
#### source missing
. ./nope; echo after $?
#### run a file with bash
printf 'echo "$0 $1"\nexit 3\n' > s.sh; bash s.sh arg; echo $?
#### run with shebang
printf '#!/bin/bash\necho "run $1"\n' > s.sh; chmod +x s.sh; ./s.sh x
#### bash c with name
bash -c 'echo $0 $1' name arg
#### bash c status
bash -c 'exit 7'; echo $?
#### child does not see variables
x=1; bash -c 'echo "[$x]"'; export x; bash -c 'echo "[$x]"'
#### bash reads stdin
echo 'echo from stdin' | bash
#### bash s with arguments
echo 'echo $1 $2' | bash -s a b
#### syntax error status
bash -c 'if then' 2>/dev/null; echo $?
#### bash e
bash -e -c 'false; echo no'; echo $?
#### head ends a long seq
seq 100000000 | head -3; n=2; seq 1e9 | head -n "$n"; seq 90000000 | head -c 10
#### head ends what has no end
yes no | head -n2; yes | cat | head -1
#### status of what head has ended
seq 1000000 | head -1; echo "${PIPESTATUS[@]}"; seq 3 | head -1; echo "${PIPESTATUS[@]}"
#### pipefail and head
set -o pipefail; seq 1000000 | head -1; echo $?; seq 10 | head -1; echo $?
#### a function named like a program
seq() { echo "own $*"; }; seq 5 | head -1
#### yes head
yes | head -1; echo "${PIPESTATUS[@]}"
#### while head
while :; do echo a; done | head -2; echo "${PIPESTATUS[@]}"
#### seq while
seq 10000 | while read x; do echo $x; break; done
#### yes sed q
yes | sed 2q; echo "${PIPESTATUS[@]}"
#### yes grep m1
yes | grep -m1 y; echo "${PIPESTATUS[@]}"
#### yes awk exit
yes | awk 'NR==3{print; exit}'
#### yes read
yes | read x; echo "$? ${PIPESTATUS[@]}"
#### yes tr head
yes abc | tr a-z A-Z | head -2
#### while true counter into head
i=0; while true; do i=$((i+1)); echo $i; done | head -3
#### pipe order of side effects
{ echo a; echo side >&2; } | cat
#### seq inf
seq inf | head -3
#### generator function
gen() { local i=0; while true; do echo $((i++)); done; }
gen | grep -m 3 7
#### while read with head
yes | nl | head -2
#### pipefail early
set -o pipefail; yes | head -1; echo $?; seq 3 | head -1; echo $?; false | head -1; echo $?
#### pipestatus three
seq 3 | grep 9 | wc -l; echo "${PIPESTATUS[@]}"; ls nosuch 2>/dev/null | cat | head -1; echo "${PIPESTATUS[@]}"
#### stderr to null
cat nosuch fruits.txt 2>/dev/null | sort | head -2; cat nosuch 2>&1 | sed 's/such/SUCH/' | head -3
#### nested function loops
walk() { local i; for i in 1 2 3; do if [ $i = 2 ]; then { echo two; echo zwei; }; else echo $i; fi; done; while :; do echo more; done; }
walk | head -5; echo "${PIPESTATUS[@]}"; type walk | head -1
#### loop into file then head
for i in 1 2 3 4; do echo "n $i" >&2; echo $i; done 2>err | head -2 > out; cat out err
#### infinite subshell
( i=0; until false; do echo $((i++)); done ) | sed 3q
#### infinite grep q
if while true; do echo hello; done | grep -q hello; then echo found; fi; echo $?
#### case in loop break
n=0; while :; do n=$((n+1)); case $n in 3) continue;; 6) break;; esac; echo $n; done | head -10
#### loop var in words
k=2; for w in a b c d; do echo $w; done | head -n "$k" | tr a-z A-Z
#### loop stderr
for i in 1 2; do echo e$i >&2; echo o$i; done 2>&1 | head -3
#### read in loop into head
while read -r l; do echo "> $l"; done < fruits.txt | head -2
#### pipe negated
! yes | head -1; echo $?
#### timed out loop awk
while true; do echo x; done | awk 'NR==3{print NR; exit}'
#### stdin devices
echo a | cat /dev/stdin | head -1; echo b | tee /dev/stderr 2>/dev/null | cat; echo c | tee /dev/null; cat fruits.txt | tee copy | wc -l; cmp fruits.txt copy && echo same
#### writes after reading pipes
sort fruits.txt | uniq > fruits2.txt; cat fruits2.txt | sort -r | head -2 > top; cat top; grep -c a fruits.txt | cat; sed 's/a/b/' fruits.txt | tee >(cat > side) | head -1; sleep 0.05; wc -l < side
#### process substitutions in pipes
diff <(echo a) <(echo b) | head -1; cat <(seq 3) | tail -1; seq 4 | paste - <(seq 5 8) | sed -n 2p; seq 3 | tee >(tac > back) | wc -l; sleep 0.05; cat back; while read -r x; do echo "$x"; done < <(seq 5 | head -2); comm -12 <(sort fruits.txt | uniq) <(printf 'apple\nzoo\n') | cat
#### stages are subshells
x=1; echo 5 | read x; echo $x; echo 5 | { read x; echo in $x; x=9; }; echo $x; cd /tmp; cd / | cat; pwd; { cd /; } | cat; pwd; a=1; { a=2; echo $a; } | cat; echo $a; declare -A m=([k]=v); echo x | { m[k]=w; echo ${m[k]}; }; echo ${m[k]}; f() { local v=1; echo x | { v=2; cat; }; echo $v; }; f
#### statuses of stages
false | true; echo $? ${PIPESTATUS[@]}; true | false; echo $? ${PIPESTATUS[@]}; ! true | false; echo $?; ! false | true; echo $? ${PIPESTATUS[@]}; set -o pipefail; false | true; echo $?; (exit 3) | (exit 4) | true; echo $? ${PIPESTATUS[@]}; g() { return 3 | return 4; }; g; echo $?; seq 10 | while read x; do [ $x = 3 ] && exit 7; done; echo $?
#### early ends of compound stages
seq 10 | while read x; do [ $x = 3 ] && break; echo $x; done; yes | while read x; do echo $x; break; done; while :; do echo a; done | { read b; echo $b; }; echo ${PIPESTATUS[@]}; yes | sed 2q | wc -l; x=$(yes | head -3 | tr '\n' ' '); echo "$x"
#### stderr of stages
{ echo a; echo b >&2; } |& cat -n | sort; ls /nosuch |& wc -l; { echo out; echo err >&2; } 2>&1 | sed 's/^/> /'; { echo out; echo err >&2; } 2>/dev/null | sed 's/^/> /'; { echo out; echo err >&2; } 2>&1 >/dev/null | sed 's/^/> /'
#### loops between programs
f() { while read l; do echo "f:$l"; done; }; seq 3 | f | tr a-z A-Z; for i in 1 2 3; do echo $i | cat; done | while read x; do echo "got $x"; done | wc -l; echo a | while read x; do for i in 1 2 3; do echo $x$i; done; done | grep -v a2 | { read f; echo "first $f"; while read r; do echo "rest $r"; done; }
#### commands share the input of a stage
seq 3 | { read a; echo "$a"; cat; }; seq 3 | (cat; cat); seq 4 | { mapfile -n 2 -t m; echo ${m[@]}; cat; }; printf 'a b\nc' | while read x y || [ -n "$x" ]; do echo "<$x><$y>"; done; seq 3 | { while read x; do echo $x; done; echo "end $x"; }; echo 1 | for i in 1 2; do read q; echo "$i <$q>"; done; echo abc | if true; then cat; fi
#### read by characters and delimiters
printf 'abcdef' | { read -n 2 a; read -N 3 b; echo "$a $b"; read c; echo "$? $c"; }; printf 'x;y;z' | while read -d ';' q || [ -n "$q" ]; do echo "[$q]"; done; printf 'a\0b\0' | while IFS= read -r -d '' x; do echo "<$x>"; done; printf 'ñandú é\n' | { read -n 1 c; echo "$c ${#c}"; cat; }; printf 'a\\\nb\nc\\td\n' | { read x; echo "$x"; read -r y; echo "$y"; }
#### read with a timeout
{ echo first; sleep 2; echo second; } | { read -t 0.5 a; echo "$? $a"; read -t 0.1 b; echo "$(($? > 128)) [$b]"; read -t 9 c; echo "$? $c"; read -t 0 d; echo $?; }; { printf part; sleep 1; echo rest; } | { sleep 0.3; read -t 0.1 a; echo "$(($? > 128)) [$a]"; read b; echo "$? [$b]"; }
#### read refuses a wrong number
for t in bad 1e9 -1 0x1; do read -t $t x; echo $?; done </dev/null 2>&1 | sed 's/.*read: //'; read -n 2x a <fruits.txt 2>/dev/null; echo "$? [$a]"; echo y | { read -t bad x 2>/dev/null; echo $?; read -t 1.5 x; echo $x; }; read -t .5 x <fruits.txt; echo $x
#### timeout in a pipe
timeout 0.3 sleep 5 | cat; echo ${PIPESTATUS[@]}; timeout 0.3 tail -f fruits.txt | tail -1; echo ${PIPESTATUS[@]}; timeout 5 echo hi | cat; echo a | timeout 5 cat; timeout 1 false | cat; echo ${PIPESTATUS[@]}
#### set -e and stages
set -e; false | true; echo one; { false; echo never; } | cat; echo two; echo a | { read x; false; echo goes on; } || echo never; if echo b | grep -q c; then echo yes; else echo no; fi; ! echo a | grep -q a; echo still; true | false; echo never
#### lastpipe
shopt -s lastpipe; seq 3 | while read x; do n=$x; done; echo $n; echo abc | read v; echo $v
#### traps and stages
trap 'echo bye' EXIT; echo a | cat; (trap 'echo sub' EXIT; echo in) | cat; trap 'echo err' ERR; false | true; true | false; echo ---; { false; true; } | cat
#### redirections by exec in a stage
{ echo a; exec 1>&2; echo b; } 2>/dev/null | cat; { exec 2>&1; echo c >&2; } | cat; echo x | (exec cat); { echo a; echo b; } > out; cat out | { cat; echo c; } > out2; cat out2; echo a | cat < /nosuch; echo ${PIPESTATUS[@]}
#### documents into stages
cat <<X | tr a-z A-Z | while read l; do echo "<$l>"; done
hello
world
X
while read l; do echo "$l" | tr a b; done <<< $'a\nba'; while read l; do a+=("$l"); done < <(seq 3 | tac); echo ${a[@]}; cat <(echo a | tr a b) <(echo c); echo x | tee >(tr x y > f) > /dev/null; sleep 0.2; cat f; eval 'seq 2 | while read x; do echo e$x; done'; seq 2 | eval 'while read x; do echo v$x; done'
#### stages that write files
for i in 1 2 3 4 5; do echo a$i > a$i; echo x >> log; done | for j in 1 2 3 4 5; do echo b$j > b$j; echo y >> log; done; cat a? b?; sort log | uniq -c | tr -s ' '; echo b | tee f1 f2 | { cat > f3; }; cat f1 f2 f3
#### functions that pipe into themselves
f() { cat; }; g() { f | f; }; echo deep | g | g | g; h() { [ $1 -gt 0 ] && h $(($1-1)) | cat; echo $1; }; h 3 | tr '\n' ' '
#### arguments and counters of stages
echo 'a b c' | { read -r first rest; set -- $rest; echo "$# $first"; }; set -- p q; echo x | { shift; echo $1 $#; }; echo $#; declare -i n=0; for i in 1 2 3; do ((n+=i)); done | cat; echo $n; arr=(1 2 3); for v in "${arr[@]}"; do echo $v; done | while read q; do arr+=($q); done; echo ${#arr[@]}
