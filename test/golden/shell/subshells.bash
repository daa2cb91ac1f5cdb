#### variables do not leak
x=1; (x=2; echo $x); echo $x
#### directory does not leak
(cd sub; basename "$PWD"); basename "$PWD" | wc -l
#### group shares
{ x=3; }; echo $x
#### nested levels
echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL; (echo $BASH_SUBSHELL))
#### status of group
{ true; false; }; echo $?
#### capture both
out=$( { echo o; echo e >&2; } 2>&1 ); echo "$out"
#### substitution runs in subshell
x=1; y=$(x=2; echo $x); echo $x $y
#### options do not leak
(set -f); echo *.csv
#### exit in pipe part
echo a | (read x; exit 3); echo $?
#### function in subshell
f() { x=in; }; (f); echo "[$x]"
#### subshell in background
(sleep 0.01; echo late) & echo early; wait
#### group in pipe
{ echo b; echo a; } | sort
#### export in subshell
(export E=1; bash -c 'echo $E'); echo "[$E]"
#### env for one command
A=1 bash -c 'echo $A'; echo "[$A]"
#### unset in subshell
x=1; (unset x); echo $x
#### cd and back
cd sub; cd ..; cd sub/deep; cd - > /dev/null; ls sub | head -1
#### pushd popd
pushd sub > /dev/null; ls one.txt; popd > /dev/null; ls fruits.txt
#### cd missing
cd nope; echo $?
#### pwd and oldpwd
cd sub; echo "${OLDPWD##*/}" | wc -l; echo "${PWD##*/}"
