#### plain
grep apple fruits.txt
#### count and numbers
grep -c an fruits.txt; grep -n date fruits.txt
#### invert and case
grep -v apple fruits.txt; grep -i APPLE fruits.txt | wc -l
#### whole word and line
printf 'cat\nconcat\n' | grep -w cat; printf 'cat\ncat x\n' | grep -x cat
#### extended
grep -E '^(a|c)' fruits.txt; grep -E 'an{1}an' fruits.txt | head -1
#### only matching
echo 'a1b22c333' | grep -o '[0-9]\+'; echo 'k=v' | grep -oP '(?<=k=).*'
#### recursive
grep -r hello sub | sort
#### file names
grep -l apple *.txt; grep -L apple *.txt
#### context
grep -A1 cherry fruits.txt; grep -B1 cherry fruits.txt; grep -C1 date fruits.txt
#### no match status
grep zzz fruits.txt; echo $?
#### missing file status
grep x nope; echo $?
#### quiet
grep -q apple fruits.txt; echo $?
#### fixed
printf 'a.b\naxb\n' | grep -F a.b
#### several patterns
grep -e date -e cherry fruits.txt; printf 'date\n' > p; grep -f p fruits.txt
#### max count
grep -m1 apple fruits.txt
#### several files name prefix
grep -n 1 numbers.txt people.csv; grep -h 10 numbers.txt people.csv
#### basic special characters
printf 'a+b\naab\n' | grep 'a+b'; printf 'a+b\naab\n' | grep 'a\+b'
#### back reference
printf 'abab\nabcd\n' | grep -E '(ab)\1'
#### classes
printf 'a b\nab\n' | grep '[[:space:]]'
#### include
grep -rl --include='*.md' . sub
#### bad expression
echo x | grep '['; echo $?
#### egrep style alternatives
printf 'x\ny\nz\n' | grep -E 'x|z'
#### null after names
mkdir n; cd n; printf 'x\n' > $'a\nb'; printf 'x\ny\n' > c; grep -lZ x * | od -c; grep -HZ x c | od -c; grep -cZ x * | od -c; grep -LZ q * | od -c
grep -rlZ y . | od -c; grep -oHZ x c | od -c; printf 'a1\0b2\0' | grep -zo '[0-9]' | od -c
