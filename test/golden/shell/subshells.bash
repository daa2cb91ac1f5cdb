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
#### jobs in order
(exit 3) & p=$!; wait $p; echo $?; wait $p; echo again $?; wait; echo $?
#### jobs and their words
sleep 5 & jobs | sed 's/^\(...\)./\1/'; jobs -r | wc -l; jobs -s; kill $!; wait 2> /dev/null; jobs
#### next of two
(until [ -e go ]; do sleep 0.02; done; exit 7) & (exit 8) & wait -n; echo $?; : > go; wait -n; echo $?; wait -n; echo $?
#### no such job
fg; fg %1; bg; wait %9; echo $?; kill %9; echo $?; wait 1; echo $?; disown; disown %3; echo $?
#### output of jobs is caught
x=$(echo a & wait); echo "[$x]"; { echo b & } | tr b c; for i in 1; do echo d & done > log; wait; cat log
#### jobs of a function through a pipe
f() { (until [ -e go ]; do sleep 0.02; done; echo 1) & (echo 2; : > go) & wait; }; f | tr "\n" " "; echo
#### a job sees variables and arguments
x=1; a=(1 2 "3 4"); g() { echo "g $1 ${a[2]} $x"; }; set -- p q; g y & wait; { x=2; echo "$1 $x"; } & wait; echo $x
#### killed jobs
sleep 5 & kill $!; wait $! 2>/dev/null; echo $?; sleep 5 & kill -9 $!; wait $! 2>/dev/null; echo $?; kill -0 $! 2>/dev/null; echo $?
#### a list in the background
false && echo no || echo yes & wait; true && (echo in; exit 4) & wait $!; echo $?
#### here document of a job
v=5; cat <<E & wait
doc $v
E
