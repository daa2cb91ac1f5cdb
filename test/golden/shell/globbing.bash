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
#### names with a newline
mkdir n; cd n; touch $'a\nb' c $'x\ny'
for f in * ./* a* *b a?b a[!z]b $'a\nb'* $'x\n'* "$PWD"/x*; do echo "[${f##*/}]"; done
#### names with a newline in directories
mkdir -p n/$'d\nir/s'; cd n; touch $'d\nir/e\nf' $'d\nir/s/g' .$'h\ni'
for f in */* d*/s/* .h* */; do echo "[$f]"; done
#### globstar over names with a newline
mkdir -p n/$'d\nir'; cd n; touch $'a\nf' $'d\nir/e\nf'; shopt -s globstar
for f in **/*f **/a*; do echo "[$f]"; done
#### dotglob and extglob with a newline in a name
mkdir n; cd n; touch .$'h\ni' $'a\nb' c; shopt -s dotglob extglob
for f in * @(a*|c); do echo "[$f]"; done
#### rm of names with a newline
mkdir n; cd n; touch $'a\nb' c $'x\ny'; rm -- *; echo "$? $(ls -A | wc -l)"
#### find beside names with a newline
mkdir n; cd n; touch $'a\nb' c; find . -type f | sort; a=(*); echo ${#a[@]}
#### rm of names with a newline after a process substitution
mkdir n; cd n; touch $'a\nb' c $'x\ny'; : < <(echo); rm -- *; echo "$? $(ls -A | wc -l)"
#### names with a newline after a process substitution
mkdir -p n/$'d\nir'; cd n; touch $'a\nf' $'d\nir/e\nf'; : < <(echo); shopt -s globstar extglob
for f in * **/*f **/a* @(a|d)* +(a*|d*) */*; do echo "[$f]"; done
#### extended patterns over names with a newline
mkdir n; cd n; touch $'a\nb' ab a1b .$'h\ni'; shopt -s globstar extglob dotglob
for f in *(a*) ?(a*b) a?b a@(?)b; do echo "[$f]"; done
#### ansi quotes are no glob
touch ab 'a*'; for f in $'a*' x$'[a]'y; do echo "$f"; done; a=($'b*' $'a*'); echo "${a[@]}"; cat <$'a*'; rm $'a*'; ls -d a*
