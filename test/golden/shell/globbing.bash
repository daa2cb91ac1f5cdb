#### star
echo *.txt
#### question mark
touch a1 a2 b1; echo a? ?1
#### class
touch a1 a2 a3; echo a[12] a[!1]
#### no match stays
echo *.nope
#### nullglob
shopt -s nullglob; echo *.nope end
#### failglob
(shopt -s failglob; echo *.nope) 2>/dev/null; echo $?
#### hidden
touch .hid vis; echo *; echo .h*
#### dotglob
mkdir d; touch d/.a d/b; cd d; shopt -s dotglob; echo *
#### globstar
shopt -s globstar; echo **/*.txt
#### directories only
echo */
#### nested
echo sub/*/*
#### braces and globs
echo {fruits,numbers}.txt sub/{one,none}*
#### quoted is no glob
echo "*.txt" '*.txt'
#### noglob
set -f; echo *.txt
#### in a variable
p='*.txt'; echo $p; echo "$p"
#### files with spaces
for f in *file*; do echo "[$f]"; done
#### sorted
touch b a c; echo [a-c]
#### extglob not
shopt -s extglob
touch x.a x.b x.c; echo x.!(b)
#### count of matches
set -- *.txt; echo $#
#### glob in array
a=(*.txt); echo ${#a[@]}; printf '%s\n' "${a[@]}"
#### glob in assignment is none
x=*.csv; echo "$x"
#### posix classes
touch f1 fa; echo f[[:digit:]] f[[:alpha:]]
