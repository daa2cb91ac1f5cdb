#### funcname
f() { echo "${FUNCNAME[0]} ${FUNCNAME[1]} ${#FUNCNAME[@]}"; }; g() { f; }; g; echo "${FUNCNAME[0]:-none}"
#### bash source
echo 'echo "${BASH_SOURCE[0]}"; echo "$0"' > s.sh; . ./s.sh; bash s.sh; cat > t.sh <<'E'
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd); [ "$here" = "$PWD" ] && echo here
[[ "${BASH_SOURCE[0]}" == "$0" ]] && echo run || echo read; echo "${BASH_SOURCE[0]%.sh} ${0##*/}"
E
bash ./t.sh; . ./t.sh
#### coproc
coproc { read x; echo "got $x"; }; echo hi >&${COPROC[1]}; read y <&${COPROC[0]}; echo $y
#### error if unset under c
echo before; : ${nope:?is missing}; echo after
#### error if unset in subshell
( : ${nope:?}; echo no ); echo $?
#### exec 2>&1 then error
( exec 2>&1; echo a; ls /nosuch; echo b; nosuch; echo c > /nosuch/x; echo d ) | sed 's/^[a-z]*: line 1: //; s/^bash: //'
#### exec to file and back
exec 3>&1; exec > log.txt; echo hidden; exec 1>&3 3>&-; echo shown; cat log.txt
#### read options
printf 'ab:cd\nsecond\n' > in; read -r -d : x < in; echo "$x"; read -n 1 c < in; echo "$c"; read -a arr <<< "1 2 3"; echo "${arr[2]}"; read -t 1 z < in; echo "$z"; IFS=: read a b < in; echo "$b $a"; read -s q <<< secret; echo "$q"; read -N 3 n < in; echo "$n"; read -r -p 'prompt> ' p <<< typed; echo "$p"
read e < empty.txt; echo $?
#### mapfile options
seq 5 > f; mapfile -t -n 2 a < f; echo "${a[@]}"; mapfile -t -s 3 b < f; echo "${b[@]}"; mapfile -t -O 1 c < f; echo "${!c[@]}"; mapfile -d : -t d <<< "a:b"; echo "${#d[@]}"
#### declare forms
declare -i n=3+4; echo $n; declare -r k=1; k=2; echo "still $k"; declare -u up=abc; echo $up; declare -l lo=ABC; echo $lo; declare -x ex=1; env | grep ^ex=; declare -a arr=(1 2); declare -p arr n k; local x 2>&1; echo $?
#### readonly message
readonly c=1; c=2; echo "after $?"
#### nameref of array
add() { local -n arr=$1; shift; arr+=("$@"); }; list=(a); add list b c; echo "${list[@]}"
fill() { local -n out=$1; out=(x "$2" z); }; fill res "1 2"; echo "${#res[@]} ${res[1]}"
#### glob options
shopt -s extglob globstar nullglob dotglob; touch .hidden x.log y.log; mkdir -p k/l; touch k/l/deep.txt
echo *.@(log|txt) ; echo **/*.txt; echo nothing*; echo .h*; echo ?(x).log +([a-z]).log
#### trace of assignments and tests
set -x
x="a b"; y=$x; arr=(1 "2 3"); [[ -n $x && $y == a* ]]; (( 1 + 1 )); case $x in a*) :;; esac; z=$(echo sub); echo "$z" > /dev/null; f() { local q=1; return 0; }; f "x y"
#### lineno
echo $LINENO
f() {
  echo $LINENO
}
f

echo $LINENO
#### getopts errors
set -- -a -z; while getopts "ab:" o; do echo "$o $OPTIND"; done; set -- -b; OPTIND=1; getopts "b:" o; echo "$o"; OPTIND=1; getopts ":b:" o; echo "$o $OPTARG"
#### quoting operators
x="it's a \"test\""; echo "${x@U}" "${x@L}" "${x@u}"; y=$'a\nb'; echo "${y@Q}"; arr=(a "b c"); echo "${arr[@]@Q}"; printf '%q\n' "$y"; echo "${x@E}"
#### substitution forms
x=foo.bar.baz; echo ${x/./_} ${x//./_} ${x/#foo/X} ${x/%baz/Y} ${x//[aeiou]} ${x^} ${x^^[ab]} ${x:(-3)} ${x:1:-1}; set -- a b c; echo ${@:2} ${*:1:2} ${#} "${@: -1}"
#### wait n and jobs
(exit 3) & wait -n; echo $?; sleep 0.01 & wait $!; echo $?; wait 99999; echo $?; jobs
#### eval and let
eval 'x=5; echo $x'; let 'a = 5 * 2' b=a/3; echo $a $b; eval "arr=(1 2)"; echo ${arr[1]}
#### source with arguments
echo 'echo "$# $1"; set -- changed; return 3; echo no' > l.sh; set -- outer; . ./l.sh in; echo "$? $1"; . ./nosuch.sh; echo $?
#### exit in subshell and trap
(exit 4); echo $?; trap 'echo bye; exit 9' EXIT; x=$(exit 5); echo $?; { exit 6; }
#### exit in pipe
echo a | exit 5; echo $?; exit 3 | true; echo $?
#### local scoping
x=global; f() { local x=local; g; echo "$x"; }; g() { echo "$x"; x=changed; }; f; echo $x; h() { local y; echo "${y-unset}"; local -a arr=(1 2); echo ${#arr[@]}; }; h
#### recursion
fact() { (( $1 <= 1 )) && echo 1 || echo $(( $1 * $(fact $(($1 - 1))) )); }; fact 10; fib() { local n=$1; if ((n<2)); then echo $n; else echo $(( $(fib $((n-1))) + $(fib $((n-2))) )); fi; }; fib 8
#### process substitution
while read -r a b; do echo "$b-$a"; done < <(echo 1 2; echo 3 4); cat <(echo x) <(echo y); paste <(seq 2) <(seq 3 4); tee >(wc -l > n) < fruits.txt > /dev/null; sleep 0.05; cat n
#### heredoc kinds
cat <<-A
	tabs gone
	  two
	A
cat <<'B' | tr a-z A-Z
no $expansion `here`
B
cat << "C"
\$x
C
x=5; cat <<D
$x $((x+1)) $(echo sub) \$x \\ "quoted"
D
#### command grouping and lists
{ echo a; false; } || echo b; ( cd sub && pwd ); pwd; a=1; ( a=2; echo $a ); echo $a; true && { echo x; echo y; } | cat
#### set options shown
set -o | grep -c on$ > /dev/null; set -e; set +e; set -o pipefail; false | true; echo $?; set +o pipefail; shopt -q nullglob; echo $?; [[ -o errexit ]]; echo $?
#### errexit subtleties
set -e; f() { false; echo "still here"; }; f || echo caught; if ! f; then echo n; fi; x=$(false) || echo sub; ! false; false | true; echo almost; local_() { local v=$(false); echo "masked $?"; }; local_; false; echo never
#### nounset
set -u; echo "${a:-ok}"; arr=(); echo "${arr[@]}" "${#arr[@]}"; echo "$undefined_var"; echo never
#### test operators
[ -z "" ] && [ -n a ] && [ 1 -lt 2 -a 2 -gt 1 ] && echo ok; [ a = b -o c = c ] && echo or; test -e fruits.txt && test -s empty.txt || echo empty; [ fruits.txt -nt nosuch ] && echo newer; [[ a < b ]] && echo less; [[ abc == a?c ]] && echo glob; [ "a" == "a" ] && echo eq; [[ 5 -gt 3 && ! 2 -eq 3 ]] && echo arith
[ 1 -eq a ] 2>/dev/null; echo $?; [[ -f fruits.txt && -r fruits.txt && -d sub && -x sub ]] && echo files
#### cstyle for and loops
for ((i=0, j=10; i<j; i+=3, j-=2)); do echo $i $j; done; for ((;;)); do break; done; until ((i<=0)); do ((i-=5)); done; echo $i; for x; do echo $x; done; for i in 1 2 3; do for j in a b; do [[ $j == b ]] && continue 2; [[ $i == 3 ]] && break 2; echo $i$j; done; done
#### special parameters
set -- "a b" c; echo $# "$*" "$1" "${2}" "${@}"; IFS=-; echo "$*"; unset IFS; shift; echo $1; echo ${10:-none}; echo "$-" | grep -c h; f() { echo $#; }; f "$@"; f $*; echo $_
#### unicode
x="naïve café"; echo ${#x} ${x:2:3} ${x^^}; echo "$x" | wc -m; printf '%s\n' "ünï" | rev; printf '\u00e9\x41\n'; echo $'\u2713'
#### eval of what is no script
eval 'if'; echo $?
#### length through a nameref
list=(a b); show() { local -n a=$1; echo "${#a[@]} ${a[-1]}"; }; show list
