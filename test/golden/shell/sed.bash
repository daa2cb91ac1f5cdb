#### substitute
sed 's/a/A/' fruits.txt | head -2; sed 's/a/A/g' fruits.txt | head -1
#### substitute nth and ignoring case
echo aaaa | sed 's/a/b/2'; echo ABC | sed 's/b/x/I'; echo aaaa | sed 's/a/b/3g'
#### print lines
sed -n 2p fruits.txt; sed -n '2,3p' fruits.txt; sed -n '$p' fruits.txt
#### delete
sed '/apple/d' fruits.txt; sed 1,6d fruits.txt
#### address ranges
sed -n '/cherry/,/date/p' fruits.txt
#### groups
echo "left right" | sed -E 's/(\w+) (\w+)/\2 \1/'; echo ab | sed 's/\(a\)\(b\)/\2\1/'
#### other delimiter
echo /a/b | sed 's|/|:|g'; echo x | sed 's,x,y,'
#### ampersand
echo abc | sed 's/b/[&]/'
#### several commands
sed -e 's/a/1/' -e 's/b/2/' fruits.txt | head -1; echo ab | sed 's/a/x/;s/b/y/'
#### in place
cp fruits.txt f; sed -i 's/apple/pear/' f; sort -u f
#### insert append change
seq 2 | sed '1i\first'; seq 2 | sed '1a after'; seq 2 | sed '2c changed'
#### quit
seq 9 | sed 3q; seq 5 | sed -n '2{p;q}'
#### transliterate
echo abc | sed 'y/abc/xyz/'
#### hold space
seq 3 | sed -n '1!G;h;$p'
#### next line join
printf 'a\nb\nc\n' | sed 'N;s/\n/-/'
#### step
seq 6 | sed -n '1~2p'; seq 6 | sed '0~3d'
#### not
sed '/apple/!d' fruits.txt | wc -l
#### labels
echo aaa | sed ':l;s/a/b/;tl'
#### case conversion
echo hello | sed 's/.*/\U&/'; echo hello world | sed -E 's/\b(.)/\u\1/g'
#### line number
sed -n '/cherry/=' fruits.txt
#### word boundaries and classes
echo "cat concat" | sed 's/\bcat\b/dog/'; echo 'a1b22' | sed 's/[0-9]\+/#/g'
#### write to file
sed -n '/apple/w out' fruits.txt; wc -l < out
#### squeeze blank lines
printf 'a\n\n\nb\n' | sed '/^$/d'
#### trim
echo '  x y  ' | sed 's/^ *//;s/ *$//' | cat -A
#### variable in script
v=apple; sed -n "s/$v/found/p" fruits.txt | head -1
#### unknown command
echo x | sed 'k'; echo $?
