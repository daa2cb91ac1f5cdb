#### here document
x=1; cat <<END
x is $x
$(echo sub) \$x
END
#### here document quoted
cat <<'END'
$x `y` \n
END
#### here document tabs
cat <<-END
	one
		two
	END
#### here string
cat <<< "hello $((1+1))"
#### two here documents
cat <<A; cat <<B
first
A
second
B
#### here document into a pipe
cat <<E | sort
b
a
E
#### here document to a file
cat > out <<E
line
E
cat out
#### here document in a loop
for i in 1 2; do cat <<E
item $i
E
done
#### read several from here document
while read a b; do echo "$b $a"; done <<E
1 2
3 4
E
#### overwrite and append
echo a > f; echo b >> f; cat f; echo c > f; cat f
#### stderr to stdout
ls nope 2>&1 >/dev/null | wc -l
#### both to a file
{ echo out; echo err >&2; } &> f; sort f
#### both appended
echo a &> f; { echo b >&2; } &>> f; cat f
#### stderr to file
ls nope 2> err; echo $?; [ -s err ] && echo said
#### order of redirections
{ echo out; echo err >&2; } 2>&1 >/dev/null
#### input
wc -l < fruits.txt
#### noclobber
set -C; echo a > f; (echo b > f) 2>/dev/null || echo refused; echo c >| f; cat f
#### own descriptors
exec 3> f; echo one >&3; echo two >&3; exec 3>&-; cat f
#### read and write descriptor
exec 4< fruits.txt; read -u 4 a; read -u 4 b; echo $a $b; exec 4<&-
#### exec redirects the rest
exec > f; echo hidden; exec > /dev/stderr; echo x 2>&1
#### save and restore stdout
exec 3>&1 > f; echo to file; exec >&3 3>&-; echo to screen; cat f
#### swap streams
{ echo out; echo err >&2; } 3>&1 1>&2 2>&3 | cat
#### dev null
echo x > /dev/null; cat < /dev/null; echo $?
#### missing input
cat < nope; echo $?
#### into a directory
echo x > sub; echo $?
#### into a missing directory
echo x > no/such/f; echo $?
#### redirect before command
> f echo hi; cat f
#### truncate
echo x > f; > f; wc -c < f
#### redirect of a group
{ echo a; echo b; } > f; wc -l < f
#### redirect of a subshell
( echo a; echo b ) | wc -l
#### redirect in if
if true; then echo yes; fi > f; cat f
#### tee
echo x | tee f g; cat f g
#### tee append
echo a > f; echo b | tee -a f > /dev/null; cat f
#### process substitution input
diff <(echo a) <(echo a) && echo same
#### process substitution paste
paste <(seq 3) <(seq 4 6)
#### process substitution output
echo hi > >(cat > f); sleep 0.1; cat f
#### dev stdin
echo x | cat /dev/stdin
#### dev stderr
echo e > /dev/stderr
#### dash means stdin
echo in | cat fruits.txt - | tail -2
#### closing stdin
cat <&-; echo $?
#### variable descriptor
exec {fd}> f; echo v >&$fd; exec {fd}>&-; cat f
#### append creates
echo x >> new; cat new
#### here document keeps backslashes
cat <<E
a\b \\ \
joined
E
#### ampersand redirect to file
echo x >& f; cat f
#### paths as they were typed
echo hi > nope/x; echo $?; cd nope; cd fruits.txt; cat < nofile; echo x > .; echo x > sub; . ./nofile; echo $?
#### noclobber words
set -C; echo a > f; echo b > f; echo $?; echo c >| f; cat f; echo d >> f; cat f
#### ambiguous words
x="a b"; echo y > $x; echo $?; echo y > "$x"; cat "$x"
#### not a directory
echo x > fruits.txt/y; echo $?; cat fruits.txt/y; mkdir fruits.txt/d; echo $?
#### bad descriptors
echo a 1>&9; echo $?; cat <&7; echo $?
#### both streams in order
{ echo o1; echo e1 >&2; for i in 1 2; do echo o$i; ls nosuch$i; done; } > log 2>&1; cat log
( echo a; echo b >&2; echo c ) 2>&1 | cat
for i in 1 2; do echo e$i >&2; echo o$i; done 2>&1 | head -3
