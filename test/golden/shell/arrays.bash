#### make and read
a=(one two "three four"); echo ${a[0]} "${a[2]}" ${#a[@]}
#### all elements quoted
a=("x y" z); for e in "${a[@]}"; do echo "<$e>"; done
#### append
a=(1); a+=(2 3); echo "${a[*]}"
#### indices
a=([3]=x [7]=y); echo "${!a[@]}" ${#a[@]}
#### unset element
a=(a b c); unset 'a[1]'; echo "${a[@]}" "${!a[@]}"
#### slice
a=(a b c d e); echo "${a[@]:1:3}" "${a[@]: -2}"
#### negative index
a=(a b c); echo ${a[-1]} ${a[-2]}
#### associative
declare -A m=([k]=v [x]="y z"); echo "${m[k]}" "${m[x]}" ${#m[@]}
#### associative keys sorted
declare -A m; m[b]=2; m[a]=1; m[c]=3; for k in "${!m[@]}"; do echo "$k=${m[$k]}"; done | sort
#### associative test key
declare -A m=([a]=1); [[ -v m[a] ]] && echo has; [[ -v m[b] ]] || echo hasnt
#### from command
a=($(printf '%s\n' x y z)); echo ${#a[@]} ${a[1]}
#### mapfile
mapfile -t lines < fruits.txt; echo ${#lines[@]} "${lines[2]}"
#### readarray with delimiter
readarray -d , -t parts < <(printf 'a,b,c'); printf '[%s]' "${parts[@]}"; echo
#### length of element
a=(abc de); echo ${#a[0]} ${#a[1]}
#### replace in all
a=(cat hat); echo "${a[@]/at/og}"
#### suffix in all
a=(a.txt b.txt); echo "${a[@]%.txt}"
#### join with ifs
a=(1 2 3); (IFS=+; echo "${a[*]}")
#### copy
a=("x y" z); b=("${a[@]}"); echo ${#b[@]}
#### arithmetic index
a=(10 20 30); i=1; echo $((a[i] + a[i+1])) ${a[i+1]}
#### increment element
declare -A c; for w in a b a; do ((c[$w]++)); done; echo ${c[a]} ${c[b]}
#### read into array
read -ra w <<< "the quick fox"; echo ${#w[@]} ${w[2]}
#### declare p
a=(x "y z"); declare -p a
#### declare p associative
declare -A m=([one]="1 2"); declare -p m
#### array without index
a=(first second); echo $a ${#a}
#### in function local
f() { local -a l=(a b); echo ${#l[@]}; }; f; echo "[${l[*]}]"
#### pass by nameref
f() { local -n ref=$1; ref+=(new); }; arr=(old); f arr; echo "${arr[@]}"
#### empty array
a=(); echo ${#a[@]} "${a[@]}" end
#### loop with index
a=(x y z); for i in "${!a[@]}"; do echo "$i:${a[i]}"; done
#### sort an array
a=(c a b); IFS=$'\n' s=($(sort <<< "${a[*]}")); unset IFS; echo "${s[@]}"
#### contains
a=(x y z); [[ " ${a[*]} " == *" y "* ]] && echo yes || echo no
#### stack
s=(); s+=(a); s+=(b); echo ${s[-1]}; unset 's[-1]'; echo "${s[@]}"
#### array default
echo "${a[0]:-none}" "${a[@]:-nothing}"
#### array as arguments
args=(-n "hello world"); echo "${args[@]}"; echo
#### multi line array
a=(
  one   # comment
  two
)
echo "${a[@]}"
#### uppercase all
a=(ab cd); echo "${a[@]^^}"
#### append after gaps and holes
a=(1); a[5]=x; a+=(y z); unset 'a[7]'; a+=("k l"); a[2]=q; a+=($(echo m n)); for i in "${!a[@]}"; do echo "$i=${a[i]}"; done
#### append to scalars references and locals
b=s; b+=(t); echo "${b[@]}"; f() { local -n r=b; r+=(u); local c=(1); c+=(2 3); echo "${c[*]}"; }; f; echo "${b[@]}" ${#c[@]}
#### append in a subshell does not leak
a=(1 2); (a+=(3); echo "${#a[@]}"); echo "${#a[@]}"; a+=("${a[@]}" "$(exit 3)"); echo $? "${#a[@]}"; false || a+=(4); echo $?
#### append with keys
a=(x); a+=([4]=y z); declare -A m=([k]=1); m+=([l]=2); echo "${!a[@]} ${a[@]} ${#m[@]} ${m[l]}"
