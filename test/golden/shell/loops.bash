#### for words
for i in a b c; do echo $i; done
#### for without in
set -- x y; for a; do echo $a; done
#### for over glob
for f in sub/*.txt; do echo "$f"; done
#### for over nothing
for f in nothing*; do echo "$f"; done
#### while read
while read -r line; do echo "> $line"; done < numbers.txt
#### while read last line without newline
printf 'a\nb' | while read -r l; do echo "[$l]"; done
#### while read last line kept
printf 'a\nb' | while read -r l || [ -n "$l" ]; do echo "[$l]"; done
#### until
i=0; until [ $i -ge 3 ]; do echo $i; i=$((i+1)); done
#### break
for i in 1 2 3 4; do [ $i = 3 ] && break; echo $i; done
#### continue
for i in 1 2 3 4; do [ $((i%2)) = 0 ] && continue; echo $i; done
#### break two levels
for i in 1 2; do for j in a b; do [ $j = b ] && break 2; echo $i$j; done; done
#### continue two levels
for i in 1 2; do for j in a b; do [ $j = b ] && continue 2; echo $i$j; done; echo never; done
#### loop into pipe
for i in 3 1 2; do echo $i; done | sort
#### loop into file
for i in 1 2; do echo $i; done > out; cat out
#### variable lost in pipe
n=0; seq 3 | while read x; do n=$x; done; echo $n
#### variable kept with process substitution
n=0; while read x; do n=$x; done < <(seq 3); echo $n
#### seq
for i in $(seq 2 2 8); do echo -n "$i "; done; echo
#### c style two variables
for ((i=0, j=5; i<j; i++, j--)); do echo $i $j; done
#### infinite with break
i=0; while :; do ((++i > 3)) && break; done; echo $i
#### read csv
while IFS=, read -r name age city; do echo "$name lives in $city"; done < people.csv
#### read csv skip header
{ read -r; while IFS=, read -r n a _; do echo "$n:$a"; done; } < people.csv
#### loop status
for i in 1 2; do false; done; echo $?; while false; do :; done; echo $?
#### nested loops
for i in 1 2; do for j in 1 2; do echo -n "$((i*j)) "; done; echo; done
#### loop over fields
line="a:b:c"; IFS=: ; for p in $line; do echo $p; done
#### countdown
for i in {3..1}; do echo -n "$i..."; done; echo go
#### while with two conditions
i=0; while [ $i -lt 10 ] && [ $((i*i)) -lt 20 ]; do i=$((i+1)); done; echo $i
#### one line while
i=3; while ((i--)); do echo -n $i; done; echo
#### for over array with spaces
a=("one two" three); for x in "${a[@]}"; do echo "$x"; done
#### read from fd three
while read -r l <&3; do echo "got $l"; done 3< numbers.txt
#### break status
while true; do break; done; echo $?
#### find loop with null
find sub -name '*.txt' -print0 | sort -z | while IFS= read -r -d '' f; do echo "<$f>"; done
#### select from list
select x in a b; do echo "chose $x"; break; done <<< 2 2>/dev/null
#### status after break
for i in 1 2; do false; break; done; echo $?; until false; do (exit 3); break; done; echo $?; while :; do while :; do false; break 2; done; done; echo $?
while [ "$x" != 1 ]; do x=1; false; done; echo $?; for i in 1; do if true; then false; break; fi; done; echo $?; for i in 1; do false; eval break; done; echo $?
