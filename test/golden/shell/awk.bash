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
#### more fields twice
echo 'a b c' | awk '{print $2, $NF, NF}'
#### more csv
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk -F, 'NR>1 && $2>26 {print $1}' csv
#### more begin end
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk 'BEGIN {print "start"} {n++} END {print n, $0}' fruits
#### more counts
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk '{c[$1]++} END {for (w in c) print w, c[w]}' fruits | sort
#### more pipes
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk '{print | "sort"}' fruits | head -2; awk '{print | "sort -r"} END {close("sort -r"); print "end"}' fruits
#### more getline files
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk 'BEGIN {while ((getline l < "nums") > 0) s+=l; print s; close("nums"); getline x < "nums"; print x; r = (getline y < "none"); print r}'
#### more delete
awk 'BEGIN {a[1];a[2]; delete a[1]; print length(a), (1 in a); delete a; print length(a)}'
#### more assigning fields
echo a | awk '{$3="c"; print NF, $0; NF=2; print $0; $0="x y"; print $2, NF}'
#### more commands
awk 'BEGIN{"echo hi" | getline z; print z; while (("seq 3" | getline q) > 0) print "q" q; close("seq 3"); system("echo sys; exit 3"); print system("exit 3")}'
#### more array argument
awk 'function f(a,i) {a["x"]=1; i=5; return i*2} BEGIN {print f(t), t["x"], i}' 
#### more recursion
awk 'function fib(n) {return n<2?n:fib(n-1)+fib(n-2)} BEGIN {print fib(15)}'
#### more gsub forms
awk 'BEGIN {s="hello world"; gsub(/o/,"[&]",s); print s; sub(/l+/,"\\&",s); print s; n=gsub(/x*/,"-",s); print n, s}'
#### more split forms
awk 'BEGIN {n=split("a:b:c",p,":"); print n,p[1],p[3]; n=split("  a b ",q); print n,q[1]; n=split("",e); print n; n=split("a1b22c",r,/[0-9]+/); print n,r[2],r[3]; n=split("abc",c,""); print n,c[1]}'
#### more match
awk 'BEGIN {if (match("foobar", /o+/)) print RSTART, RLENGTH; print match("x",/y/), RSTART, RLENGTH}'
#### more subscripts
awk 'BEGIN{x["a"]=1; x["b","c"]=2; for (k in x) {split(k,p,SUBSEP); n++}; print n; if (("b","c") in x) print "yes"; if (!("z" in x)) print "no"}'
#### more ranges
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk '/cherry/,/nothing/ {print NR": "$0} NR==2,NR==2 {print "two"}' fruits
#### more joining
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk 'NR==FNR {v[$1]=NR; next} $1 in v {print $1, v[$1], FNR, FILENAME}' fruits fruits
#### more paragraphs
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk -v RS= '{print NR": "$1"-"$NF, NF}' para; awk 'BEGIN{RS="";FS="\n"} {print $1}' para; echo 'a;b;c' | awk -v RS=';' '{print $0}'
#### more regex separator
printf 'a1b22c' | awk -v RS='[0-9]+' '{print}'
#### more uninitialised
awk 'BEGIN {x; if (x=="" && x==0) print "uninit"; if ("10"<"9") print "str"; if (10<9) print "num"; y="10"; if (y<9) print "strcmp"}' ; echo "10 9" | awk '{print ($1>$2), ($1>"9")}'
#### more loops of all kinds
awk 'BEGIN {do {i++; if (i==2) continue; if (i>4) break; print i} while (1); for (;;) {if (++j>2) break}; print j; while (k<3) k++; print k}'
#### more backwards
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk '{a[NR]=$0} END {for (i=NR;i>0;i--) printf "%s%s", a[i], (i>1?",":"\n")}' fruits
#### more rebuild
awk 'BEGIN {OFS="-"; $0="a b c"; $1=$1; print; print $1,$2; ORS="!\n"; print "x"}'
#### more print into files
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk '{print > "out_" $1} END {close("out_apple"); while ((getline l < "out_apple")>0) print "r", l}' fruits; cat out_apple; awk 'BEGIN{print "x" >> "app"; print "y" >> "app"}'; cat app; rm app
#### more dev files
awk 'BEGIN{print "err" > "/dev/stderr"; print "out" > "/dev/stdout"; printf "a" "b" "\n"; print("p","q"); print ("x")("y")}'
#### more program from stdin
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk -f /dev/stdin fruits <<'E'
# comment
function up(s) {
  return toupper(s)
}
/an/ {
  print up($0);
}
END { print "done" }
E
#### more exit and end
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk 'BEGIN {exit 3} END {print "end"}'; echo $?; awk '{exit} END{print NR; exit 4}' fruits; echo $?
#### more patterns alone
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk '!seen[$0]++' fruits; awk 'NF' para; awk 'length > 5' fruits; awk 'END{print NR}' fruits; awk 1 nums
#### more getline from commands
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk 'BEGIN { while (("cat fruits" | getline line) > 0) n++; print n; print toupper(substr("abc",1,1)) substr("abc",2) }'
#### more field separators
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk -F'[,:]' '{print $2}' csv; awk -F'\t' '{print $1}' csv; echo 'a|b' | awk -F'|' '{print $2}'; echo 'a.b' | awk -F. '{print $2}'
#### more increments
awk 'BEGIN{a="A"; b=a++; print a,b; c="3x"; print c+1; print -c; print !c; print 1==1.0, "a"<"b", 2<10; print 1 " " 2, 1+1 " x"}'
#### more key value
awk 'BEGIN { print length("é"), toupper("é") }' > /dev/null; echo "x=1 y=2" | awk '{for(i=1;i<=NF;i++){split($i,kv,"=");m[kv[1]]=kv[2]}; print m["x"]+m["y"]}'
#### more walking fields
echo "a b c d" | awk '{for(i=NF;i>0;i--) printf "%s ", $i; print ""} {$2=""; print} {print NF}'
#### more sub at end
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk '{s=s $0 ","} END{sub(/,$/,"",s); print s}' fruits; awk 'BEGIN{RS="\n\n"} {print "[" $0 "]"}' para
#### more truth of fields
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk 'a=$1{print a}' nums; awk '$1~/^1/' nums; awk '$1 !~ /^1/ {print "no", $1}' nums; awk '{ if ($1 > 5) print "big"; else if ($1 == 2) print "two"; else print "small" }' nums
#### more plain getline
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk 'BEGIN{getline; print "got", $0; getline x; print x, NR} {print "main", $0}' fruits
#### more next
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk '{next; print "never"} END{print "e"}' fruits; awk 'BEGIN{print substr("x",2) "|"; print index("","a")}'; awk 'BEGIN{print; print $0 "z"}' < /dev/null
#### more operators
awk 'BEGIN { print -3 % 2, 7 - -2, 2 - 1 - 1, 2^3^2, !0 + 1, 1 - 1 ? "t" : "f"; x = y = 5; print x y; print 1,2 > "/dev/stdout" }'
#### more sums
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk '{ sum[$1 % 2] += $1 } END { print sum[0], sum[1] }' nums; awk 'BEGIN { "date +%Y" | getline d; print (d > 2000) }'
#### more backslashes
awk 'BEGIN{s="a.b.c"; gsub(".", "x", s); print s; t="a.b"; gsub("\\.", "x", t); print t; u="a/b"; gsub("/", "\\/", u); print u; v="path"; gsub(/a/, "\\\\&", v); print v; w="x+y"; gsub(/[+]/,"-",w); print w; z="a]b"; gsub(/[]]/,"-",z); print z}'
#### more if else
awk 'BEGIN{ while (i < 3) { i++; if (i == 2) continue; print i } }'; awk 'BEGIN{if(1){print "a"}else{print "b"}; if (0) print "x"; else print "y"}'
#### more matrix
printf '1 2\n3 4\n' | awk '{for (i=1;i<=NF;i++) m[NR,i]=$i} END{for(i=1;i<=2;i++){for(j=1;j<=2;j++) printf "%s ", m[j,i]; print ""}}'
#### more separators
ps 2>/dev/null >/dev/null; printf 'k1=v1\nk2=v2\n' | awk -F= '$1=="k2"{print $2}'; printf 'a\tb c\td\n' | awk -F'\t' -v OFS='|' '{$1=$1}1'; printf 'x y\n' | awk '{print $1","$2}' OFS=:
#### more variables and arguments
printf 'banana\napple\ncherry\napple\n' > fruits; printf '10\n9\n2\n33\n' > nums; printf 'name,age,city\nalice,30,Oslo\nbob,25,Rome\n' > csv; printf 'a b\nc\n\n\nd e f\n' > para
awk -v a='x\ty' 'BEGIN{print a}'; awk 'BEGIN{print ARGC, ARGV[1], ARGV[2]}' one two; awk '{print v, $0}' v=1 nums v=2 nums | head -5 | tail -2
#### more dynamic regex
awk 'BEGIN { regex = "^a.*e$"; if ("apple" ~ regex) print "m"; if ("x" ~ "[[:digit:]]") print "d"; else print "nd"; if ("a\\b" ~ /\\/) print "bs"; if ("a{2}" ~ /a\{2\}/) print "brace"; if ("ab" ~ /^(a|b)+$/) print "alt" }'
#### more exit in function
awk 'function g(arr, k) { for (k in arr) n += arr[k]; return n } BEGIN { a[1]=1; a[2]=2; print g(a) } function h() { exit 5 } END { h() }'; echo $?
#### more newlines
awk '
BEGIN { x = 1 ;
  y = 2
  if (x)
    print "nl"
  else
    print "no"
  for (i = 0; i < 2; i++)
    print i
  a["k"] = 1 ; for (k in a)
    print k
  print x &&
    y, "cont\
inued"
}'
