#### fields
echo 'a b c' | awk '{print $2, $NF, NF}'
#### separator
awk -F, '{print $3}' people.csv
#### condition
awk -F, 'NR>1 && $2>26 {print $1}' people.csv
#### begin and end
awk 'BEGIN {print "start"} {n++} END {print n}' fruits.txt
#### sum and average
awk '{s+=$1} END {print s, s/NR}' numbers.txt
#### maximum
awk 'NR==1 || $1>m {m=$1} END {print m}' numbers.txt
#### count words
awk '{c[$1]++} END {for (w in c) print w, c[w]}' fruits.txt | sort
#### regex
awk '/an/ {print NR": "$0}' fruits.txt
#### variables
awk -v x=5 'BEGIN {print x*2}'
#### output separator
echo a b c | awk 'BEGIN{OFS="-"} {$1=$1; print}'
#### printf
awk -F, 'NR>1 {printf "%-6s|%3d|\n", $1, $2}' people.csv
#### string functions
awk 'BEGIN {s="hello"; print length(s), substr(s,2,3), index(s,"l"), toupper(s)}'
#### split
awk 'BEGIN {n=split("a:b:c", p, ":"); print n, p[1], p[3]}'
#### gsub
echo 'a-b-c' | awk '{n=gsub("-", "+"); print $0, n}'
#### match
awk 'BEGIN {if (match("foobar", /o+/)) print RSTART, RLENGTH}'
#### loops
awk 'BEGIN {for(i=1;i<=3;i++) printf "%d ", i; print ""; while (j<2) j++; print j}'
#### functions
awk 'function sq(x) {return x*x} BEGIN {print sq(7)}'
#### unique lines
awk '!seen[$0]++' fruits.txt
#### last field removed
echo a b c | awk '{$NF=""; print}'
#### line lengths
awk 'length > 5' fruits.txt
#### two files
printf 'apple 1\ndate 2\n' > p; awk 'NR==FNR {v[$1]=$2; next} $1 in v {print $1, v[$1]}' p fruits.txt
#### ternary and concatenation
awk '{print ($1 > 9 ? "big" : "small") ":" $1}' numbers.txt
#### reading environment
V=x awk 'BEGIN {print ENVIRON["V"]}'
#### exit status
awk 'BEGIN {exit 3}'; echo $?
#### range pattern
awk '/cherry/,/date/' fruits.txt
#### to a pipe
awk '{print | "sort"}' fruits.txt | head -2
#### getline
awk 'BEGIN {while ((getline l < "numbers.txt") > 0) s+=l; print s}'
#### delete from an array
awk 'BEGIN {a[1];a[2]; delete a[1]; print length(a), (1 in a)}'
#### number formats
awk 'BEGIN {print 1/3, 1e6, 100000000, 0.1+0.2, int(3.9), 2^3}'
#### field assignment grows
echo a | awk '{$3="c"; print NF, $0}'
