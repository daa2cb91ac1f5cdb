#### if elif else
x=2; if [ $x -eq 1 ]; then echo one; elif [ $x -eq 2 ]; then echo two; else echo other; fi
#### strings
[ abc = abc ] && echo eq; [ abc != abd ] && echo ne; [ -z "" ] && echo empty; [ -n x ] && echo nonempty
#### numbers
[ 3 -lt 5 ] && echo lt; [ 5 -ge 5 ] && echo ge; [ 3 -ne 4 ] && echo ne
#### files
[ -f fruits.txt ] && echo file; [ -d sub ] && echo dir; [ -e nope ] || echo missing; [ -s empty.txt ] || echo empty
#### and or in test
[ 1 -eq 1 -a 2 -eq 2 ] && echo and; [ 1 -eq 2 -o 2 -eq 2 ] && echo or
#### negation
! false && echo yes; [ ! -f nope ] && echo no file
#### double bracket patterns
x=hello.txt; [[ $x == *.txt ]] && echo txt; [[ $x == "*.txt" ]] || echo literal
#### double bracket regex
[[ abc123 =~ ^([a-z]+)([0-9]+)$ ]] && echo "${BASH_REMATCH[0]} ${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
#### regex in a variable
re='^[0-9]+$'; for v in 12 ab; do [[ $v =~ $re ]] && echo "$v num" || echo "$v not"; done
#### double bracket logic
a=1 b=; [[ -n $a && -z $b ]] && echo both; [[ -n $b || $a == 1 ]] && echo either
#### string order
[[ a < b ]] && echo before; [[ b > a ]] && echo after
#### no splitting in double bracket
x="a b"; [[ $x == "a b" ]] && echo same
#### test status
test 1 -eq 2; echo $?; test x; echo $?; test; echo $?
#### and or chains
true && echo a || echo b; false && echo c || echo d
#### chain status
false || true && echo ran; echo $?
#### older and newer
touch -t 202001010000 old; touch -t 202101010000 new; [ new -nt old ] && echo newer; [ old -ot new ] && echo older
#### executable
touch script; [ -x script ] || echo not yet; chmod +x script; [ -x script ] && echo now
#### symlink test
ln -s fruits.txt link; [ -L link ] && echo link; [ -f link ] && echo also file
#### variable set
[[ -v HOME ]] && echo set; [[ -v NOPE ]] || echo unset
#### nested if
if true; then if false; then echo a; else echo b; fi; fi
#### if without match is zero
if false; then echo x; fi; echo $?
#### command as condition
if grep -q apple fruits.txt; then echo found; fi
#### not in if
if ! grep -q zebra fruits.txt; then echo absent; fi
#### integer expression expected
[ abc -eq 1 ]; echo $?
#### unary with missing operand
[ -f ]; echo $?; [ -n ]; echo $?
#### grouping in double bracket
[[ ( 1 -eq 1 || 1 -eq 2 ) && 3 -gt 2 ]] && echo grouped
#### arithmetic in double bracket
x=5; [[ x -eq 5 ]] && echo five; [[ 2+3 -eq 5 ]] && echo sum
#### nocasematch
shopt -s nocasematch; [[ HELLO == hello ]] && echo same
#### too many arguments
x="a b"; [ $x = a ]; echo $?
#### same file
ln -s fruits.txt l; [ l -ef fruits.txt ] && echo same
#### readable and writable
[ -r fruits.txt ] && [ -w fruits.txt ] && echo rw
#### option test
set -e; [[ -o errexit ]] && echo on
