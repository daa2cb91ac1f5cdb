#### strict mode script with usage
#!/usr/bin/env bash
set -euo pipefail
IFS=$'\n\t'
usage() {
  cat <<USAGE
Usage: ${0##*/} [-v] [-o FILE] NAME...
  -v        say more
  -o FILE   write there
USAGE
}
verbose=0 out=/dev/stdout
set -- -v -o result.txt alice bob
while getopts ":vo:h" opt; do
  case "$opt" in
    v) verbose=1 ;;
    o) out="$OPTARG" ;;
    h) usage; exit 0 ;;
    \?) echo "unknown option: -$OPTARG" >&2; usage >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
for name in "$@"; do
  [[ $verbose -eq 1 ]] && echo "greeting $name" >&2
  printf 'Hello, %s!\n' "$name"
done > "$out"
cat result.txt
usage | head -1
#### find xargs sed in place
mkdir -p src/lib
printf 'import old from "old";\nold();\n' > src/a.js
printf 'const x = old;\n' > src/lib/b.js
printf 'nothing here\n' > src/c.txt
find src -name '*.js' -print0 | xargs -0 sed -i 's/\bold\b/new/g'
grep -rn 'new' src | sort
find src -type f -name '*.js' -exec grep -l 'new' {} + | sort
find . -path ./sub -prune -o -name '*.txt' -print | sort
#### find with sizes and delete
mkdir d; for i in 1 2 3; do printf '%*s' $((i*100)) '' > d/f$i.log; done; touch d/keep.txt
find d -name '*.log' -size +150c | sort
find d -name '*.log' -delete; ls d
find d -type f -empty
#### find exec with sh
find sub -type f -exec sh -c 'for f; do echo "$(basename "$f"): $(wc -l < "$f")"; done' _ {} + | sort
find sub -name '*.txt' -exec basename {} .txt \; | sort
#### heredoc into a file with variables kept
cat > config.sh <<'CONF'
NAME="$USER"
export PATH="$HOME/bin:$PATH"
CONF
cat >> config.sh <<CONF
# made for $USER
CONF
cat config.sh; wc -l < config.sh
#### json with jq
cat > data.json <<'J'
{"users":[{"name":"ann","age":31,"tags":["a","b"]},{"name":"bob","age":25,"tags":[]}],"total":2}
J
jq -r '.users[] | "\(.name)\t\(.age)"' data.json
jq '.users | map(select(.age > 30)) | length' data.json
jq -c '.users[0].tags' data.json
jq -r '.users | sort_by(.age) | .[].name' data.json
jq --arg n bob '.users[] | select(.name == $n) | .age' data.json
jq 'keys' data.json
jq -r '.users | group_by(.age) | map({k: .[0].age, n: length}) | .[] | [.k, .n] | @csv' data.json
#### jq builds
jq -n --arg a x --argjson b 3 '{a: $a, b: $b, c: [1,2,3]}'
echo '{"a":1}' | jq '. + {b: 2} | to_entries | map("\(.key)=\(.value)") | join("&")'
echo '[3,1,2]' | jq -c 'sort, (map(. * 2) | add), max'
echo '{"a":{"b":[1,{"c":2}]}}' | jq -c 'paths(scalars)'
echo '{"a":null}' | jq -e .a; echo $?
#### jq slurp and raw
printf '{"n":1}\n{"n":2}\n' | jq -s 'map(.n) | add'
printf 'a\nb\n' | jq -R . 
printf 'a\nb\n' | jq -Rs 'split("\n")[:-1]' -c
echo '{"a":[1,2]}' | jq -r '.a | @json, (map(tostring) | @tsv)'
jq -n '[range(5)] | .[1:3]' -c
#### loop over globs with renames
touch "one file.JPG" two.JPG three.png
for f in *.JPG; do mv -- "$f" "${f%.JPG}.jpg"; done
ls *.jpg *.png
for f in *.nothing; do [ -e "$f" ] || { echo "none: $f"; continue; }; done
shopt -s nullglob; for f in *.nothing; do echo "$f"; done; echo done
#### associative counters
declare -A count
while read -r word; do ((count[$word]++)) || true; done < fruits.txt
for k in "${!count[@]}"; do printf '%s %d\n' "$k" "${count[$k]}"; done | sort -k2,2nr -k1,1
echo "${#count[@]}"
[[ -v count[apple] ]] && echo has apple
unset 'count[apple]'; echo "${#count[@]}"
#### csv with IFS read
while IFS=, read -r name age city; do
  [[ $name == name ]] && continue
  printf '%-8s|%3d|%s\n' "$name" "$age" "$city"
done < people.csv
#### awk report
awk -F, 'NR>1 {sum+=$2; n++; if ($2>max) {max=$2; who=$1}} END {printf "avg %.1f oldest %s\n", sum/n, who}' people.csv
awk 'BEGIN{OFS="-"} {$1=$1; print NR, $0}' fruits.txt | head -2
sort fruits.txt | uniq -c | sort -rn | awk '{print $2": "$1}'
#### retry with backoff
attempt=0
try() { attempt=$((attempt+1)); [ "$attempt" -ge 3 ]; }
until try; do echo "attempt $attempt failed" >&2; (( attempt < 5 )) || exit 1; done
echo "ok after $attempt"
#### tempdir with trap cleanup
tmp=$(mktemp -d); trap 'rm -rf "$tmp"; echo cleaned' EXIT
echo data > "$tmp/x"; [[ -f $tmp/x ]] && echo there
( cd "$tmp" && ls )
#### logging functions
log() { local level=$1; shift; printf '[%s] %s\n' "${level^^}" "$*" >&2; }
die() { log error "$@"; exit "${2:-1}"; }
log info starting up
( die "it broke" 3 ); echo "status $?"
#### parse long options
args=(--name=ann --count 3 -x file1 file2)
set -- "${args[@]}"
while [[ $# -gt 0 ]]; do
  case $1 in
    --name=*) name=${1#*=}; shift ;;
    --count) count=$2; shift 2 ;;
    -x|--extra) extra=1; shift ;;
    --) shift; break ;;
    -*) echo "bad $1"; exit 1 ;;
    *) files+=("$1"); shift ;;
  esac
done
echo "$name $count $extra ${files[*]} ${#files[@]}"
#### string munging
s="  Hello, World  "
trimmed="${s#"${s%%[![:space:]]*}"}"; trimmed="${trimmed%"${trimmed##*[![:space:]]}"}"
echo "[$trimmed]" "${trimmed,,}" "${trimmed//o/0}" "${trimmed:0:5}" "${trimmed: -5}" "${#trimmed}"
path=/a/b/c.tar.gz; echo "${path##*/} ${path%/*} ${path%%.*} ${path#*.} ${path/b/X}"
IFS=: read -ra parts <<< "x:y:z"; echo "${parts[1]} ${#parts[@]}"
printf '%s\n' "${parts[@]/#/p-}"
joined=$(IFS=,; echo "${parts[*]}"); echo "$joined"
#### menu of functions by name
cmd_start() { echo starting "$@"; }; cmd_stop() { echo stopping; }
for c in start stop bogus; do
  if declare -F "cmd_$c" > /dev/null; then "cmd_$c" now; else echo "no such command: $c" >&2; fi
done
#### process lines with line numbers
n=0
while IFS= read -r line || [[ -n $line ]]; do
  ((++n)); printf '%02d: %s\n' "$n" "$line"
done < <(printf 'first\n  second\nlast without end')
#### arrays and mapfile
mapfile -t lines < fruits.txt
echo "${#lines[@]} ${lines[0]} ${lines[-1]}"
readarray -t sorted < <(printf '%s\n' "${lines[@]}" | sort -u)
echo "${sorted[@]}"; echo "${sorted[@]:1:2}"; echo "${!sorted[@]}"
lines=("${lines[@]/apple/APPLE}"); echo "${lines[*]}"
unset 'lines[0]'; echo "${#lines[@]} ${!lines[*]}"
#### diff of two lists
printf '%s\n' a b c > l1; printf '%s\n' b c d > l2
comm -12 l1 l2; comm -3 l1 l2; diff l1 l2; echo $?
diff -u l1 l2 | tail -n +3; grep -vxFf l1 l2; join l1 l2; diff <(sort l1) <(sort l2) > /dev/null && echo same || echo differ
#### check for commands
for c in bash jq nosuchthing; do
  if command -v "$c" >/dev/null 2>&1; then echo "$c: yes"; else echo "$c: no"; fi
done
type -t cd; type -t if; type -t ls; hash ls 2>/dev/null; echo $?
#### backup files
for f in *.txt; do cp -p "$f" "$f.bak"; done; ls *.bak | wc -l; rm -f -- *.bak; ls | grep -c bak
#### gzip round trip
gzip -k fruits.txt; ls fruits*; zcat fruits.txt.gz | head -1; gunzip -c fruits.txt.gz | wc -l
gzip -c numbers.txt | gzip -dc | head -2; rm fruits.txt; gunzip fruits.txt.gz; cat fruits.txt | wc -l
#### checksums
sha256sum fruits.txt | cut -c1-12; md5sum fruits.txt numbers.txt > sums; md5sum -c sums; echo -n abc | sha1sum
echo tampered >> fruits.txt; md5sum -c sums 2>/dev/null; echo $?
#### wait for many jobs
pids=()
for i in 1 2 3; do (sleep 0.0$i; exit $((i-1))) & pids+=($!); done
fails=0; for p in "${pids[@]}"; do wait "$p" || ((fails++)); done; echo "fails $fails"
#### timeout of a command
timeout 0.2 sleep 5; echo $?; timeout 5 echo quick; timeout -k 1 0.1 bash -c 'sleep 3'; echo $?
#### column of a table
printf 'name age\nann 31\nrobert 5\n' | column -t
printf 'a,b,c\n1,22,333\n' | column -t -s,
#### date arithmetic
date -u -d '2024-03-01 -1 day' +%F; date -u -d @86400 +'%Y-%m-%d %H:%M:%S'; date -u -d '2024-01-31' +%s; date -u -d '2024-02-28 + 2 days' '+%a %d %b'
start=$(date -u -d 2024-01-01 +%s); end=$(date -u -d 2024-03-01 +%s); echo $(( (end - start) / 86400 ))
#### printf formats
printf '%05d|%-6s|%6.2f|%x|%o|%c|%%\n' 42 ab 3.14159 255 8 xyz
printf '%q ' 'a b' "it's" '$x' ''; echo; printf -v v '%03d' 7; echo $v; printf '%s=%s\n' a 1 b 2; printf '%b' 'tab\there\n'
printf '%*d|%-*d|\n' 5 42 5 42; printf '%(%Y)T\n' 0
#### arithmetic forms
echo $((16#ff)) $((2#1010)) $((8#17)) $((36#z)) $((1<<10)) $((7/2)) $((-7%3)) $((2**10)) $((5>3?1:0))
let x=5*3 y=x+1; echo $x $y; ((x+=2, y--)); echo $x $y; (( x > 100 )) || echo small; i=5; echo $((i++ + ++i)) $i
#### brace expansion
echo {1..10..3} {a..e} {z..v..2} {01..05} {a,b}{1,2} x{,y,z} {5..1} {-2..2}
mkdir -p p/{src,test}/{a,b}; ls -d p/*/*; echo file.{txt,md}
#### case fallthrough
for x in a b c; do case $x in a) echo A;& b) echo B;;& [a-c]) echo range;; *) echo other;; esac; done
#### here string and bracket regex
re='^([a-z]+)@([a-z]+)\.com$'
for m in sam@site.com bad; do if [[ $m =~ $re ]]; then echo "${BASH_REMATCH[1]} at ${BASH_REMATCH[2]}"; else echo "$m no"; fi; done
[[ "v1.2.3" =~ v([0-9]+)\.([0-9]+) ]] && echo "${BASH_REMATCH[@]}"; tr a-z A-Z <<< "here ${re:0:3}"
#### indirect and names
a1=x a2=y; n=a1; echo "${!n}"; echo "${!a@}"; f() { local -n ref=$1; ref=changed; }; f a1; echo $a1
declare -n r=a2; r=z; echo $a2; echo "${a1@Q} ${a1^} ${a1^^} ${a2@A}"
#### redirect both streams
{ echo out; echo err >&2; } > both.txt 2>&1; cat both.txt
{ echo out; echo err >&2; } 2>&1 | sed 's/^/> /'
exec 3> three.txt; echo to three >&3; exec 3>&-; cat three.txt
cmd() { echo o; echo e >&2; }; cmd 2>/dev/null; cmd >/dev/null 2>&1; out=$(cmd 2>&1 >/dev/null); echo "got $out"; cmd &> all; cat all
#### xtrace of a script
set -x; a=1; b="two words"; echo "$a" "$b"; if [ "$a" = 1 ]; then echo yes; fi; [[ $b == two* ]] && :; for i in 1 2; do : $i; done; set +x; echo end
#### exit codes everywhere
false; echo $?; (exit 7); echo $?; ! true; echo $?; nosuchcmd 2>/dev/null; echo $?; f() { return 4; }; f; echo $?; true && false || echo fallback; echo "${PIPESTATUS[@]}"
ls /nosuch 2>/dev/null || echo "ls failed with $?"
#### unset variable with message
x=; echo "${x:-default} ${y-unset} ${x+set}"; (echo "${missing:?must be set}"); echo $?
#### error line numbers
trap 'echo "failed at line $LINENO"' ERR
true
false
echo after
#### shuf and seq and tac
seq 5 | tac | paste -sd,; seq -s ' ' 3; shuf -i 1-3 | sort | paste -sd+ | tee sum; seq 0 0.5 1; shuf -e a b -n 1 | wc -l; seq 3 | rev; seq -w 8 10
#### split and cat
seq 10 > ten; split -l 4 ten part-; ls part-*; wc -l part-aa | cut -d' ' -f1; cat part-* | cmp - ten && echo same; split -b 5 ten byte-; ls byte-* | wc -l
#### paste and nl and fold
paste -d, fruits.txt numbers.txt | head -3; nl -ba -w2 -s' ' fruits.txt | head -2; echo "the quick brown fox" | fold -sw 10; echo abc | fold -w1 | paste -sd' '
#### sort keys and versions
printf '1.10\n1.9\n1.2.1\n' | sort -V; printf '2K\n1M\n300\n' | sort -h; sort -t, -k2,2n people.csv | head -2; printf 'b 2\na 2\nc 1\n' | sort -k2,2n -k1,1r; sort -u fruits.txt | wc -l
#### sed multi
sed -n '2,3p' fruits.txt; sed '/apple/d' fruits.txt; sed -e 's/a/A/2' -e '1d;$d' fruits.txt | head -2; sed -E 's/(.)(.)/\2\1/' fruits.txt | head -1; sed '/cherry/i before' fruits.txt | sed -n 3,4p; sed '$!N;s/\n/ /' fruits.txt
sed -i.orig '1s/.*/FIRST/' fruits.txt; head -1 fruits.txt fruits.txt.orig
#### jq dates
echo '"2024-01-02T03:04:05Z"' | jq 'fromdateiso8601'
#### jq groups by truth
echo '[3,1,2]' | jq -c 'group_by(. > 1)'
#### jq of no json
echo 'not json' | jq . ; echo $?
#### jq in order
echo '[{"a":2},{"a":1},{"a":2}]' | jq -c 'unique_by(.a), (map(.a)|unique), (map(.a)|min, max), (group_by(.a)|map(length))'
#### jq entries
echo '{"b":1,"a":2}' | jq -cS . ; echo '{"b":1,"a":2}' | jq -c 'to_entries, with_entries(.value += 1), keys_unsorted, del(.a), has("a")'
#### jq strings
echo '["a","b"]' | jq -r '.[] | ascii_upcase, ltrimstr("a"), test("a"), length' | paste -sd,
#### jq flat
echo '[1,[2,[3]]]' | jq -c 'flatten, flatten(1), (.. | numbers)'
#### jq defaults
echo '{"a":{"b":2}}' | jq -r '.a.b // "none", .x.y // "none", (.a | to_entries[] | "\(.key)=\(.value)")'
#### jq formats
echo '"x,y"' | jq -c 'split(","), sub("x";"z"), gsub("[xy]";"-"), @base64, @uri, @sh, @html'
#### jq index and reduce
echo '[{"k":"a","v":1},{"k":"b","v":2}]' | jq -c 'from_entries? // (map({(.k): .v}) | add), INDEX(.k), (reduce .[] as $x (0; . + $x.v)), any(.v > 1), all(.v > 1), first, last, (.[1:]), (limit(1; .[]))'
#### jq changes
echo '{"a":[1,2,3]}' | jq '.a[1] = 9 | .b = (.a | length) | .a |= map(. + 1)' -c; echo '{"a":1}' | jq -r 'if .a == 1 then "one" elif .a > 1 then "more" else "less" end, (.a | tostring | tonumber), type'
#### jq values
jq -n --argjson x '{"y":1}' '$x.y, env.HOME, $ENV.USER, ("a" * 3), ([1,2] - [2]), ({} + {a:1}), (5 % 3), (7/2), ("abc"[1:2]), ([3,1]|sort|join("-"))' -c
#### jq times
jq -rn '1700000000 | todate, (strftime("%Y-%m-%d")), (gmtime|mktime)'; jq -n 'now > 0'; jq -n '"2024-01-02T03:04:05Z" | fromdate, (strptime("%Y-%m-%dT%H:%M:%SZ")|mktime)'
