#### tar a directory and list it
mkdir -p pkg/in; echo one > pkg/a; echo two > pkg/in/b
tar -czf pkg.tar.gz pkg && tar -tzf pkg.tar.gz | sort
mkdir out && tar -xzf pkg.tar.gz -C out && cat out/pkg/in/b
tar -cf plain.tar -C pkg a in; tar tf plain.tar | sort; tar -xOf plain.tar a
tar -xzf nosuch.tar.gz 2>/dev/null; echo $?
#### tar verbose and members
tar cvf a.tar sub/one.txt fruits.txt; tar tf a.tar fruits.txt; mkdir x; tar xvf a.tar -C x sub/one.txt; ls x/sub; tar xf a.tar nosuch; echo $?; tar cf b.tar nosuch fruits.txt; echo $?
#### tar strip and exclude
mkdir -p p/q; echo 1 > p/q/f.txt; echo 2 > p/g.log; tar cf p.tar --exclude='*.log' p; tar tf p.tar | sort; mkdir d; tar xf p.tar -C d --strip-components=1; ls -R d | sort
#### tar through a pipe
tar cf - sub | tar tf - | sort; tar czf - sub | gzip -dc | tar xf - -O sub/one.txt; tar -C sub -cf - . | (mkdir -p copy && cd copy && tar xf -); ls copy
#### tar links
ln -s fruits.txt link; tar cf l.tar link; rm link; tar xf l.tar; readlink link; tar tvf l.tar | cut -c1-10
#### tar absolute names
echo x > "$PWD/abs"; tar cf abs.tar "$PWD/abs" 2>&1 | sed 's/.*Removing/Removing/'; tar tf abs.tar | grep -c '^/'
#### tar bad archives
echo nothing > bad.tar; tar tf bad.tar; echo $?; tar xzf bad.tar; echo $?; tar cf x.tar; echo $?; tar tf none.tar; echo $?; tar f x.tar; echo $?
#### tar modes
echo '#!/bin/sh' > run.sh; chmod 750 run.sh; tar cf m.tar run.sh; rm run.sh; tar xpf m.tar; stat -c %a run.sh; tar --create --file=l.tar run.sh && tar --list --file l.tar
