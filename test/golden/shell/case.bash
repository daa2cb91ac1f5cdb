#### simple
case apple in banana) echo b;; apple) echo a;; esac
#### alternatives
for x in y Y n; do case $x in y|Y) echo yes;; n|N) echo no;; esac; done
#### default
case zzz in a) echo a;; *) echo other;; esac
#### globs
case file.tar.gz in *.zip) echo zip;; *.tar.*) echo tar;; esac
#### ranges
for c in a 5 Z; do case $c in [a-z]) echo lower;; [0-9]) echo digit;; [[:upper:]]) echo upper;; esac; done
#### fall through
case a in a) echo 1;& b) echo 2;; c) echo 3;; esac
#### go on matching
case abc in a*) echo starts;;& *c) echo ends;; *) echo no;; esac
#### quoted pattern
x='*'; case abc in "$x") echo literal;; *) echo not;; esac
#### nothing matches
case x in y) echo y;; esac; echo $?
#### empty word
case "" in "") echo empty;; *) echo full;; esac
#### open parenthesis
case a in (a) echo open;; esac
#### option parsing
set -- -v --name=x file; for a; do case $a in -v) echo verbose;; --name=*) echo "name ${a#*=}";; -*) echo unknown;; *) echo "file $a";; esac; done
#### in a function with return
kind() { case $1 in *.md) return 0;; *) return 1;; esac; }; kind a.md && echo md; kind b || echo no
#### multiple commands
case 1 in 1) echo a; echo b;; esac
#### negated class
case x in [!a-m]) echo late;; esac
#### extglob pattern
shopt -s extglob
case foo.jpeg in *.@(jpg|jpeg)) echo picture;; esac
#### quotes within a pattern
for x in 'a*' ab '[q]'; do case $x in "["q']') echo br;; a'*'|z) echo star;; a"b"*) echo ab;; esac; done
case abc in a\*c) echo no;; *) echo yes;; esac; case a*b in *'*'*) echo yes;; esac; case ab in $'a*') echo no;; *) echo yes;; esac
