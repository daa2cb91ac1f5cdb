#### default value
unset x; echo "${x:-none}" "${x-none}"; x=; echo "${x:-empty}" "[${x-unset}]"
#### assign default
unset x; echo "${x:=5}"; echo $x
#### alternate value
x=1; echo "${x:+set}" "[${y:+set}]"
#### error when unset
(unset x; echo "${x:?is needed}"; echo not here); echo $?
#### length
x=hello; echo ${#x}
#### substring
x=abcdefgh; echo ${x:2} ${x:2:3} ${x: -3} ${x: -3:2} ${x:0:-2}
#### remove prefix
p=/a/b/c.tar.gz; echo ${p#*/} ${p##*/} ${p%.*} ${p%%.*}
#### replace
s="a-b-c-b"; echo ${s/b/X} ${s//b/X} ${s/#a/X} ${s/%b/X} ${s//-}
#### case changes
s="hello World"; echo "${s^}" "${s^^}" "${s,,}" "${s~~}" "${s^^[lo]}"
#### indirect
a=b; b=value; echo ${!a}
#### names by prefix
pre_a=1; pre_b=2; echo ${!pre_*}
#### brace list
echo {a,b,c}{1,2}
#### brace range
echo {1..5} {a..e} {5..1} {01..03} {1..10..3}
#### brace nested
echo x{a,b{1,2},c}y
#### brace not expanded
echo {a} {,} a{b "{a,b}"
#### command substitution strips newlines
x=$(printf 'a\n\n\n'); echo "[$x]"
#### backticks
echo `echo hi` "`echo 'a b'`"
#### nested substitution
echo $(echo $(echo $(echo deep)))
#### arithmetic expansion
echo $((3*4+1)) $(( (2+3) * 4 ))
#### tilde expansion
cd sub; [ ~ = "$HOME" ] && echo yes; echo ~/x | sed "s|$HOME|H|"
#### positional parameters
set -- a b c d e f g h i j k; echo $1 $10 ${10} ${11} $# 
#### slices of positional
set -- a b c d; echo "${@:2}" "${@:2:2}" "${*: -1}"
#### last argument
set -- a b c; echo "${!#}" "${@: -1}"
#### shift
set -- a b c; shift; echo $*; shift 2; echo $#
#### variable next to text
v=x; echo ${v}y $v-y "$v.z"
#### pattern from variable
s=foobar; p='foo*'; echo ${s#$p} "${s#"$p"}"
#### replace with slash escaped
p=a/b/c; echo ${p//\//_}
#### replacement with ampersand quoted
s=abc; echo "${s/b/\&}" "${s/b/[x]}"
#### unset in the middle
echo a${undefined}b
#### underscore and dash values
set -- x; echo ${1-none} ${2-none}
#### ifs splitting
IFS=:; v=a:b::c; set -- $v; echo $#; printf '[%s]' "$@"; echo
#### ifs read fields
IFS=, read -r a b c <<< "1,2,3,4"; echo "$a|$b|$c"
#### default with expansion inside
y=ok; echo ${x:-$y} ${x:-$(echo sub)} "${x:-a b}"
#### exit code in expansion
true; echo $?; false; echo $?
#### dollar dollar is a number
[[ $$ =~ ^[0-9]+$ ]] && echo number
#### transformations u U L
x=abc; echo ${x@U} ${x@u}; y=ABC; echo ${y@L}
#### transformation A
x="a b"; echo "${x@A}"
#### substring with expression
x=0123456789; n=3; echo ${x:n:n+1} ${x:$((n-1)):2}
#### quoted empty in substitution
x=""; echo "${x:-}" | wc -c
#### dollar underscore words
echo a b c >/dev/null; echo ok
#### replace anchors all
s=aXbXc; echo ${s//X/, }
#### length of positional
set -- a bb ccc; echo ${#@} ${#*} ${#3}
#### trim whitespace idiom
s="   hi there  "; s="${s#"${s%%[![:space:]]*}"}"; s="${s%"${s##*[![:space:]]}"}"; echo "[$s]"
#### extglob removal
shopt -s extglob; s=000123; echo ${s##+(0)}; f=a.tar.gz; echo ${f%.@(gz|bz2)}
#### basename and extension
f=/x/y.z.txt; b=${f##*/}; echo "$b" "${b%.*}" "${b##*.}"
#### tilde of nobody and of before
cd /tmp; cd /; echo ~- ~nosuchaccount "~-"; x=~-/a; echo $x
#### seconds of the epoch
t=$EPOCHSECONDS; echo $((EPOCHSECONDS - t < 60)) $((t > 1000))
