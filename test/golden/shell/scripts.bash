#### word frequency
tr -s ' ' '\n' < fruits.txt | sort | uniq -c | sort -k1,1nr -k2 | awk '{print $2": "$1}'
#### rename extension
for f in *.txt; do mv "$f" "${f%.txt}.bak"; done; ls *.bak
#### log levels
printf '%s\n' 'INFO a' 'ERROR b' 'INFO c' > log; for l in INFO ERROR; do echo "$l $(grep -c "^$l" log)"; done
#### config reader
printf 'name = gsv\n# comment\nport=80\n' > conf; while IFS='=' read -r k v; do [[ $k =~ ^# || -z $k ]] && continue; k=${k// /}; v=${v# }; echo "$k->$v"; done < conf
#### retry loop
n=0; try() { ((++n >= 3)); }; until try; do echo "attempt $n failed"; done; echo "ok after $n"
#### die function
die() { echo "error: $*" >&2; exit 1; }; (die no luck); echo $?
#### log function
log() { printf '[%s] %s\n' "$1" "${*:2}"; }; log info hello there
#### join lines
paste -sd, fruits.txt; tr '\n' ' ' < numbers.txt; echo
#### backup files
for f in fruits.txt numbers.txt; do cp "$f" "$f.orig"; done; ls *.orig | wc -l
#### bigger of two
max() { (($1 > $2)) && echo $1 || echo $2; }; max 3 9
#### csv total
awk -F, 'NR>1 {t+=$2} END {printf "total %d\n", t}' people.csv
#### json by hand
printf '{'; sep=; for k in a b; do printf '%s"%s":1' "$sep" $k; sep=,; done; echo '}'
#### menu
choose() { case $1 in start|stop) echo "will $1";; *) echo "usage: start|stop"; return 2;; esac; }; choose start; choose x; echo $?
#### progress
for i in 1 2 3; do printf '\r%d/3' $i; done; echo
#### reverse string
s=hello; r=; for ((i=${#s}-1; i>=0; i--)); do r+=${s:i:1}; done; echo $r
#### palindrome
p() { [ "$1" = "$(echo "$1" | rev)" ] && echo yes || echo no; }; p level; p house
#### fizzbuzz
for i in {1..15}; do o=; ((i%3)) || o=Fizz; ((i%5)) || o+=Buzz; echo ${o:-$i}; done
#### set operations
comm -23 <(sort -u fruits.txt) <(echo apple)
#### generate files
for i in $(seq -w 1 3); do echo "file $i" > "f$i.dat"; done; cat f*.dat
#### temp dir workflow
d=$(mktemp -d); trap 'rm -rf "$d"' EXIT; (cd "$d"; echo x > a; ls)
#### parse key values
parse() { local IFS='&'; for p in $1; do echo "${p%%=*} is ${p#*=}"; done; }; parse 'a=1&b=2'
#### lock by mkdir
mkdir lock && echo locked; mkdir lock 2>/dev/null || echo busy; rmdir lock
#### script with main
main() { local n=${1:-1}; while ((n-- > 0)); do echo run; done; }; main 2
#### template
NAME=gsv; cat > t <<'E'
Hello @NAME@
E
sed "s/@NAME@/$NAME/" t
#### check tools
for t in sed awk nosuchtool; do if command -v $t > /dev/null; then echo "$t ok"; else echo "$t missing"; fi; done
#### args with quotes counted
count() { echo $#; }; count "$(echo a b)" $(echo a b)
#### colors off
if [ -t 1 ]; then c=$'\e[1m'; else c=; fi; echo "${c}text"
#### hex dump loop
s=AB; for ((i=0;i<${#s};i++)); do printf '%02x ' "'${s:i:1}"; done; echo
#### date arithmetic
s=$(date -u -d '2024-02-28' +%s); date -u -d "@$((s+86400))" +%F
#### sum by key
printf 'a 1\nb 2\na 3\n' | awk '{s[$1]+=$2} END {for (k in s) print k, s[k]}' | sort
#### dedupe path
P=/a:/b:/a; echo "$P" | tr : '\n' | awk '!s[$0]++' | paste -sd:
#### nested quotes via bash c
bash -c "echo \"in $(echo nested) 'x'\""
#### arguments until empty
set -- a b ""; while [ -n "$1" ]; do echo "$1"; shift; done
#### tree walk function
walk() { local f; for f in "$1"/*; do echo "$f"; [ -d "$f" ] && walk "$f"; done; return 0; }; walk sub
#### default file argument
show() { cat "${1:--}"; }; echo piped | show; show numbers.txt | head -1
#### heredoc function help
usage() { cat <<-U
	Usage: ${0##*/} [-h]
	  -h  help
	U
}; usage | tail -1
#### waits for jobs
for i in 1 2 3; do (exit $i) & pids+=($!); done; for p in "${pids[@]}"; do wait $p; echo $?; done
#### jobs table is empty
jobs; echo $?
#### alias in script needs option
alias hi='echo hello'; shopt -s expand_aliases
hi
#### alias listing
alias ll='ls -l'; alias; unalias ll; alias
#### declare r
readonly R=1; (R=2) 2>/dev/null; echo $? $R
#### declare x and lower
declare -l low=ABC; declare -u up=abc; declare -x EX=1; echo $low $up; bash -c 'echo $EX'
#### random is a number
((RANDOM >= 0)) && echo ok; echo $((SECONDS < 5))
#### lineno
echo $LINENO
echo $LINENO
#### shopt query
shopt -q extglob; echo $?; shopt -s extglob; shopt -q extglob; echo $?
#### let me see set o
set -o | grep errexit | tr -s ' \t' ' '
#### printf to variable in loop
for i in 1 2; do printf -v "v$i" '%d' $((i*i)); done; echo $v1 $v2
#### bash version
[[ ${BASH_VERSINFO[0]} -ge 4 ]] && echo modern
#### ulimit says something
ulimit -n > /dev/null; echo $?
#### hash and times
hash -r; echo $?
#### a file run by its path has traps of its own
printf '#!/bin/bash\ntrap "echo bye" EXIT\necho "hi $0 $1"\nexit 3\n' > s.sh; chmod +x s.sh; ./s.sh a; echo $?; d=.; X=1 "$d/s.sh" b > out; echo $?; cat out
#### a file run by its path with errexit
printf '#!/usr/bin/env bash\nset -e\ntrap "echo failed" ERR\nfalse\necho never\n' > s.sh; chmod +x s.sh; if ./s.sh; then :; else echo no; fi; ./s.sh || echo $?
