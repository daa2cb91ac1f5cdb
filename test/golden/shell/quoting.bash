#### single quotes keep everything
echo 'a $HOME `b` "c" \n'
#### double quotes expand variables
x=5; echo "x is $x and \$x and \"quoted\" and \\"
#### quotes inside words
echo a'b'"c"d\ e
#### empty arguments are kept
set -- "" a ""; echo $#
#### unquoted empty disappears
e=; set -- $e a $e; echo $#
#### word splitting
s="a  b   c"; set -- $s; echo $#; set -- "$s"; echo $#
#### ansi c quoting
echo $'tab\there\nnew\x41\u00e9\'q\'' | cat -A
#### backslash newline continues
echo one \
two
#### single quote in single quotes
echo 'it'\''s'
#### nested quotes in substitution
echo "$(echo "a b" "c")"
#### quoted dollar at as separate words
set -- "a b" c; for w in "$@"; do echo "[$w]"; done
#### quoted dollar star joins
set -- "a b" c; IFS=,; echo "$*"
#### unquoted dollar star splits
set -- "a b" c; for w in $*; do echo "[$w]"; done
#### hash in a word is no comment
echo a#b # this is
#### backslashes in double quotes
echo "a\tb\q\\n"
#### dollar sign alone
echo $ "$" a$
#### single quotes within double
echo "it's '$((1+1))'"
#### quoting the glob
echo "*" '*' \*
#### tilde quoted stays
echo "~" '~' \~
#### printf q
printf '%q\n' "a b" "it's" '' plain '$x'
#### at q transformation
v="a 'b' c"; echo "${v@Q}"
#### newline in quotes
x="one
two"; echo "$x"; echo $x
#### locale string
echo $"hello"
#### exclamation mark in script
echo "hi!" '!' !x
#### semicolon quoted
echo "a;b" ';' \;
#### command word quoted
"echo" 'x'; e'ch'o y
