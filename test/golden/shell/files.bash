#### mkdir parents
mkdir -p a/b/c; ls -d a/b/c; mkdir a; echo $?
#### rmdir
mkdir e; rmdir e; ls -d e; echo $?; rmdir sub; echo $?
#### touch and rm
touch x y; rm x; ls x y; echo $?
#### rm missing and forced
rm nope; echo $?; rm -f nope; echo $?
#### rm a directory
rm sub; echo $?; rm -r sub; ls -d sub 2>/dev/null || echo gone
#### cp
cp fruits.txt c; cmp fruits.txt c && echo same; cp -r sub copy; find copy -type f | sort
#### cp into directory
mkdir d; cp fruits.txt numbers.txt d; ls d
#### cp directory without r
cp sub other; echo $?
#### cp missing
cp nope x; echo $?
#### mv
mv fruits.txt f2; ls f2; mv f2 sub/; ls sub/f2
#### mv missing
mv nope x; echo $?
#### ln s
ln -s sub/one.txt l; readlink l; cat l
#### ln existing
ln -s a fruits.txt; echo $?
#### ls one per line
ls; ls sub
#### ls hidden
touch .h; ls -A | head -2
#### ls missing
ls nope; echo $?
#### ls several
ls sub fruits.txt
#### ls d and F
ls -d sub; ls -F | head -3
#### ls reverse
ls -r | head -2
#### ls recursive
ls -R sub
#### chmod and stat
touch f; chmod 640 f; stat -c '%a %A' f; chmod u+x,g-r f; stat -c %a f
#### ls l mode
touch f; chmod 754 f; ls -l f | cut -c1-10
#### stat size and name
stat -c '%s %n %F' numbers.txt sub
#### umask
umask; umask 027; touch u; stat -c %a u; mkdir v; stat -c %a v
#### umask symbolic
umask -S; umask u=rwx,g=rx,o=; umask
#### find names
find . -name '*.txt' | sort
#### find types and depth
find sub -type d | sort; find . -maxdepth 1 -type f | sort
#### find exec
find sub -name '*.txt' -exec basename {} \; | sort
#### find exec plus
find sub -name '*.txt' -exec cat {} + | wc -l
#### find size and empty
find . -empty -type f; find . -size +0c -name 'f*'
#### find not and or
find . -maxdepth 1 \( -name '*.csv' -o -name 'n*' \) | sort; find . -maxdepth 1 -type f ! -name '*.txt' | sort
#### find delete
find sub -name '*.md' -delete; ls sub
#### find printf
find sub -type f -printf '%f %s\n' | sort
#### find path and prune
find . -path ./sub/deep -prune -o -type f -print | sort
#### find missing
find nope; echo $?
#### xargs
echo a b c | xargs echo x
#### xargs n
seq 4 | xargs -n 2 echo; seq 2 | xargs -n1 echo n
#### xargs I
printf 'a\nb\n' | xargs -I{} echo "<{}>"; printf 'c\n' | xargs -I % echo % %
#### xargs null
find . -maxdepth 1 -name '*file*' -print0 | xargs -0 ls
#### xargs with sh
seq 2 | xargs -I{} sh -c 'echo $(({} * 10))'
#### xargs status
echo x | xargs false; echo $?; printf '' | xargs -r echo no
#### realpath and readlink f
ln -s sub/one.txt l; realpath l | sed "s|$HOME|H|"; readlink -f l | sed "s|$HOME|H|"
#### realpath missing and relative
realpath nope/x; echo $?; realpath -m --relative-to=sub sub/deep/x
#### mktemp
f=$(mktemp); [ -f "$f" ] && echo file; d=$(mktemp -d); [ -d "$d" ] && echo dir; stat -c %a "$f" "$d"; rm -r "$f" "$d"
#### mktemp with template
f=$(mktemp ./x.XXXXXX); echo ${#f}; ls x.* | wc -l
#### du and wc of size
du -b numbers.txt | cut -f1
#### file permissions deny nothing to test
test -w fruits.txt; echo $?
#### id
[ "$(id -u)" -ge 0 ] && echo number; id -un | wc -l
#### which
which nosuchprogram; echo $?
#### env
env -i A=1 env; env | grep -c '^HOME='
#### printenv
X=1 printenv X; printenv NOPE; echo $?
#### uname
uname
#### yes
yes ok | head -2
#### tail from a line and follow off
tail -n 1 fruits.txt numbers.txt
#### nohup
nohup echo hi 2>/dev/null
#### timeout
timeout 5 echo in time; timeout 0.1 sleep 3; echo $?
#### sleep fraction
sleep 0.01 && echo slept
#### patch
printf 'a\nb\n' > o; printf 'a\nc\n' > n; diff -u o n > p; patch o p; cat o
#### truncate and dd
printf 'abcdef' > f; truncate -s 3 f; cat f; echo; echo abcdef | dd bs=2 count=2 2>/dev/null; echo
#### tar round trip
tar cf t.tar sub; mkdir o; tar xf t.tar -C o; ls o/sub
#### gzip round trip
echo data | gzip | gunzip; gzip -k numbers.txt; zcat numbers.txt.gz | head -1
#### hostname and whoami say something
[ -n "$(whoami)" ] && echo who; [ -n "$(hostname)" ] && echo host
#### install a mode with mkdir
mkdir -m 700 private; stat -c %a private
#### cd back
mkdir -p one; cd one; cd ..; cd - > at; cat at; pwd; echo "$OLDPWD"; rm at; (cd - > /dev/null; pwd)
#### sums of files and lists
sha512sum fruits.txt | cut -c1-20; sha256sum < fruits.txt; md5sum "a file.txt" nosuch; echo $?; sha256sum fruits.txt numbers.txt > list; echo x >> numbers.txt; sha256sum -c list; echo $?; rm numbers.txt; sha256sum -c list; sha256sum --quiet -c list 2>/dev/null; sha256sum -c --status list; echo $?; sha256sum -c fruits.txt; echo $?; md5sum --tag fruits.txt; echo hi | sha224sum -; md5sum sub; echo $?; find sub -type f -exec md5sum {} + | sort -k2
#### find of names with a newline
mkdir n; cd n; mkdir -p $'d\nx/y'; touch $'a\nb' axb ab $'d\nx/z' '[q]' 'w\w'
for p in 'a*b' 'a?b' $'a\nb' '*' 'a[!z]b' '[a]*' '\[q\]' 'w\\w' '*.b'; do echo "$p"; find . -name "$p" | sort; done
for p in './a*b' $'./d\nx/'\* './*z' '*x/z' 'a*'; do echo "$p"; find . -path "$p" | sort; done
find . -iname 'A*B' | sort; find . ! -name 'a*' -type f | sort; find . -name 'd*' -prune -o -name '*' -print | sort
#### find by a whole path
find sub -path 'sub/*' | sort; find sub -path 'sub/d*' -type f; find sub -name 'deep' -exec echo '{}' -name z ';'
find . -regex './sub/.*md' | sort; find sub -regex 'one'; find . -name .
#### du with a NUL
mkdir d; du -0 d/. | tail -c 4 | od -c; du --null d | tr '\0' '@' | cut -f2
#### ls quotes names
mkdir n; cd n; touch $'a\nb' 'c d' 'e"f' 'g\h' $'t\tab'; ls -b; ls -Q; ls -q; ls -bq; ls -QN; ls --quoting-style=c; ls --escape; ls -m -Q
ls --quote-name *; mkdir $'d\ne'; ls -bR; ls -Qp; ls --nope; echo $?
