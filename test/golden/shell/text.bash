#### sort
sort fruits.txt
#### sort unique
sort -u fruits.txt
#### sort numbers
sort -n numbers.txt; sort -rn numbers.txt | head -1
#### sort by key
sort -t, -k2,2n people.csv
#### sort by second field descending
printf 'a 3\nb 1\nc 2\n' | sort -k2 -nr
#### sort stable and fold
printf 'b\nA\na\nB\n' | sort -f
#### sort human and version
printf '1K\n2M\n500\n' | sort -h; printf 'v1.10\nv1.9\n' | sort -V
#### sort check
sort -c numbers.txt 2>/dev/null; echo $?
#### uniq count
sort fruits.txt | uniq -c
#### uniq only repeated and only single
sort fruits.txt | uniq -d; sort fruits.txt | uniq -u
#### uniq ignores case
printf 'a\nA\nb\n' | uniq -i
#### cut fields
cut -d, -f1,3 people.csv
#### cut characters
echo abcdef | cut -c2-4; echo abcdef | cut -c-2,5-; echo abc | cut -b1
#### cut complement
echo a:b:c | cut -d: -f2 --complement
#### cut lines without delimiter
printf 'a:b\nnone\n' | cut -d: -f2; printf 'a:b\nnone\n' | cut -s -d: -f2
#### tr
echo hello | tr a-y b-z; echo 'a  b' | tr -s ' '; echo abc123 | tr -d 0-9; echo "a,b" | tr , '\n'
#### tr complement and classes
echo 'a1-b2' | tr -cd '[:alnum:]\n'; echo Hello | tr '[:upper:][:lower:]' '[:lower:][:upper:]'
#### head and tail
head -2 fruits.txt; tail -2 fruits.txt; head -n -5 fruits.txt; tail -n +6 fruits.txt
#### head bytes
head -c 5 fruits.txt; echo; tail -c 6 fruits.txt
#### head of several files
head -n1 fruits.txt numbers.txt
#### wc
wc fruits.txt; wc -l < fruits.txt; wc -w fruits.txt; wc -c < numbers.txt
#### wc several
wc -l fruits.txt numbers.txt
#### wc of a pipe
echo "one two" | wc; echo é | wc -m; echo é | wc -c
#### paste
paste -d, fruits.txt numbers.txt | head -2; paste -sd+ numbers.txt
#### join
printf '1 a\n2 b\n' > l; printf '1 x\n3 z\n' > r; join l r; join -a1 l r
#### comm
printf 'a\nb\n' > l; printf 'b\nc\n' > r; comm l r; comm -12 l r
#### rev and tac
echo abc | rev; tac numbers.txt | head -2
#### nl
nl fruits.txt | head -2
#### fold
echo abcdefghij | fold -w 4
#### expand
printf 'a\tb\n' | expand -t 4; printf 'a       b\n' | unexpand -a
#### column
printf 'a b\nccc d\n' | column -t
#### seq
seq 3; seq 2 4; seq 1 2 5; seq -s, 3; seq -w 8 10
#### base64
echo hello | base64; echo aGVsbG8K | base64 -d
#### sums
echo hello | md5sum; echo hello | sha256sum | cut -c1-16; echo hello | sha1sum
#### diff
printf 'a\nb\n' > l; printf 'a\nc\n' > r; diff l r; echo $?
#### diff unified
printf 'a\nb\n' > l; printf 'a\nc\n' > r; diff -u l r | tail -n +3
#### diff quiet
diff -q fruits.txt numbers.txt; echo $?
#### cmp
cmp fruits.txt fruits.txt && echo same; printf 'a\n' > l; printf 'b\n' > r; cmp l r; echo $?
#### od
printf 'AB\n' | od -c; printf 'AB' | od -An -tx1
#### xxd
printf 'hello' | xxd; printf 'hi' | xxd -p; echo 6869 | xxd -r -p; echo
#### strings
printf 'ab\0hello\0' | strings
#### shuf is a permutation
seq 5 | shuf | sort -n | paste -sd,
#### split
seq 4 > n; split -l 2 n part; ls part*; cat partab
#### date in utc
date -u -d @0 +%Y-%m-%dT%H:%M:%S
#### basename dirname
basename /a/b.txt; basename /a/b.txt .txt; dirname /a/b/c; dirname x
#### numfmt like sizes
echo 1024 | awk '{print $1/1024 "K"}'
#### truncate words
echo "one two three" | cut -d' ' -f2-
#### number of fields
head -1 people.csv | tr , '\n' | wc -l
#### jq
echo '{"a":[1,2,{"b":"x"}]}' | jq -r '.a[2].b'; echo '[3,1,2]' | jq -c 'sort'
#### dates by steps
for d in '2024-02-28 +2 days' '2024-02-28 12:30 3 hours' '2024-03-01 1 day ago' '2024-01-15 next month' '2024-01-15 last year' '2024-05-05 -2 weeks'; do date -u -d "$d" '+%F %H:%M'; done; date -u --date='2024-01-01 +1 day 2 hours' +%s; [ $(( $(date +%s) - $(date -d '2 hours ago' +%s) )) -ge 7190 ] && echo ago
#### cut of lines that end in NUL
printf 'a:b\0c:d\nx\0' | cut -z -d: -f2 | od -c; printf 'abc\0def\0' | cut -zc2 | od -c; printf 'abc\0def\0' | cut --zero-terminated -b1-2 | od -c
#### head and tail of lines that end in NUL
printf 'a\nb\0c\0d\0' | head -z -n2 | od -c; printf 'a\0b\0c\0' | head -z -n-1 | od -c; printf 'a\0b\nb\0c\0' | tail -z -n2 | od -c
printf 'a\0b\0c\0' | tail -z -n+2 | od -c; printf 'a\0b\0' > f; tail -zn1 f | od -c; head -zn1 f | od -c
#### paste of lines that end in NUL
printf 'a\0b\0' > f; printf '1\0002\0' > g; paste -z f g | od -c; paste -sz f | od -c
