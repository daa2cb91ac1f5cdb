#### operators
echo $((7/2)) $((7%3)) $((-7/2)) $((2**10)) $((7-10))
#### bitwise
echo $((5&3)) $((5|3)) $((5^3)) $((~5)) $((1<<4)) $((256>>2))
#### comparison
echo $((3>2)) $((3<2)) $((3==3)) $((3!=3)) $((3>=3))
#### logical
echo $((1&&0)) $((1||0)) $((!1)) $((!0))
#### ternary
x=5; echo $((x>3 ? 10 : 20))
#### assignment operators
x=5; ((x+=3)); echo $x; ((x*=2)); echo $x; ((x%=5)); echo $x
#### increment
i=5; echo $((i++)) $i $((++i)) $((i--)) $((--i))
#### bases
echo $((0x1f)) $((010)) $((2#1010)) $((16#ff)) $((36#z))
#### comma
echo $((a=1, b=a+1, a+b))
#### status
((0)); echo $?; ((5)); echo $?
#### let
let x=3+4 y=x*2; echo $x $y; let 0; echo $?
#### division by zero
(echo $((1/0))) 2>/dev/null; echo $?
#### variables without dollar
a=3 b=4; echo $((a*a+b*b))
#### undefined is zero
echo $((undefined+1))
#### recursive variable
a=b; b=7; echo $((a))
#### leading zero octal trap
x=08; (echo $((x))) 2>/dev/null || echo bad; echo $((10#$x))
#### big numbers
echo $((9223372036854775807)) $((9223372036854775807+1))
#### c style loop
for ((i=0; i<3; i++)); do echo -n "$i "; done; echo
#### precedence
echo $((2+3*4**2/8)) $((1+2<<1)) $((!0+1))
#### expr
expr 3 + 4; expr 10 / 3; expr 5 \* 2; expr length hello; expr substr hello 2 3
#### expr match
expr abc123 : '[a-z]*\([0-9]*\)'; expr abc : x; echo $?
#### integer attribute
declare -i n=3+4; echo $n; n=n*2; echo $n
#### while with arithmetic
n=3; while ((n > 0)); do echo $n; ((n--)); done
#### sum of a file
t=0; while read -r n; do ((t+=n)); done < numbers.txt; echo $t
#### factorial
f() { (($1<=1)) && echo 1 || echo $(($1 * $(f $(($1-1))))); }; f 10
#### gcd
a=48 b=36; while ((b)); do ((t=a%b, a=b, b=t)); done; echo $a
#### printf bases
printf '%d %x %o %X\n' 255 255 255 0xff
#### spaces inside
echo $(( 1 + 2 )) $((  3*  4 ))
#### negative modulo
echo $((-7%3)) $((7%-3))
#### nested
echo $(( $(echo 3) + ${#HOME} * 0 ))
#### assign in condition
if (( (x = 4) > 3 )); then echo $x; fi
#### primes
for ((n=2; n<30; n++)); do p=1; for ((d=2; d*d<=n; d++)); do ((n%d==0)) && { p=0; break; }; done; ((p)) && echo -n "$n "; done; echo
#### a failed expansion gives up its line
echo a
echo $((1/0)) 2>/dev/null; echo never
echo next $?; if true; then echo $((1/0)); echo never; fi; echo never
f() { echo in; echo $((1/0)); echo never; }; f; echo never
for i in 1 2; do
  echo $i; echo $((i/0)); echo never
done; echo never
x=5; x=$((x/0)); echo never
echo $x $?
#### a failed expansion ends its subshell
(echo $((1/0)); echo never) 2>/dev/null; echo $?; x=$(echo $((1/0)); echo never); echo "$? <$x>"; eval 'echo $((1/0)); echo never'; echo after; echo $((1/0)) | cat; echo "${PIPESTATUS[@]}"
#### a failed expansion and traps
trap 'echo bye $?' EXIT; set -e; echo $((1/0)); echo never
echo next $?
#### unset variables in parts of a script
set -u; (echo $x; echo never); echo $?; y=$(echo $x; echo never); echo $?; echo $x | cat; echo "${PIPESTATUS[@]}"; { echo in; echo $x; echo never; } | cat; bash -c 'set -u; echo $x'; echo $?; f() { echo $x; echo never; }; f; echo never
