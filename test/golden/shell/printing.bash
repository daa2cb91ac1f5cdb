#### echo n and e
echo -n a; echo b; echo -e 'a\tb\n\x41\0101'; echo -E 'a\tb'
#### echo stops at c
echo -e 'a\cb'; echo x
#### echo flags as text
echo -x; echo -ne 'a\n'; echo -; echo --
#### printf basics
printf '%s-%s\n' a b; printf '%5s|%-5s|\n' ab cd
#### printf repeats
printf '%s,' a b c; echo
#### printf numbers
printf '%d %5d %-5d| %05d %+d\n' 1 2 3 4 5
#### printf floats
printf '%.2f %8.3f %e %g\n' 3.14159 2.5 12345.678 0.0001
#### printf missing arguments
printf '[%s] [%d]\n'; printf '%s %s\n' one
#### printf escapes
printf 'a\tb\\n\x41\101\n'
#### printf b
printf '%b\n' 'a\tb'
#### printf char and percent
printf '%c%c %%\n' abc def
#### printf v
printf -v x '%03d' 7; echo $x
#### printf star
printf '%*s|%-*s|\n' 5 a 5 b
#### printf precision strings
printf '%.3s|\n' abcdef
#### printf quotes value of a char
printf '%d\n' "'A"
#### printf invalid number
printf '%d\n' abc; echo $?
#### printf table
while IFS=, read -r a b c; do printf '%-8s %4s %s\n' "$a" "$b" "$c"; done < people.csv
#### printf line of dashes
printf '%.0s-' {1..10}; echo; printf -- '--%s--\n' x
#### printf unicode
printf '%s\n' 'é ü 漢'; printf '\u00e9\n'
#### printf time
TZ=UTC printf '%(%Y-%m-%d)T\n' 0
#### read simple
echo "a b c" | { read x y; echo "$x|$y"; }
#### read raw backslash
printf 'a\\tb\n' | { read -r x; echo "$x"; }; printf 'a\\tb\n' | { read x; echo "$x"; }
#### read with ifs empty
printf '  lead\n' | { IFS= read -r x; echo "[$x]"; }; printf '  lead  \n' | { read -r x; echo "[$x]"; }
#### read n
echo abcdef | { read -n 3 x; echo $x; }
#### read d
printf 'a:b:c' | { read -d : x; echo $x; }
#### read status at end
read x < empty.txt; echo $?
#### read reply
echo "whole line" | { read; echo "$REPLY"; }
#### read array
echo "1 2 3" | { read -a arr; echo ${arr[1]} ${#arr[@]}; }
#### read several lines
{ read a; read b; } < fruits.txt; echo $a $b
#### read prompt is not shown without terminal
echo yes | { read -p "Sure? " a; echo $a; }
#### read t zero
echo x | { read -t 1 v; echo $v; }
#### read invalid name
echo x | { read 1bad; echo $?; } 2>/dev/null
#### echo many spaces
echo a    b; echo "a    b"
#### cat numbers lines
cat -n fruits.txt | head -2; cat -E numbers.txt | head -1
#### cat several
cat fruits.txt numbers.txt | wc -l
#### cat missing and present
cat nope numbers.txt; echo $?
#### cat squeeze
printf 'a\n\n\nb\n' | cat -s
#### cat a directory
cat sub; echo $?
