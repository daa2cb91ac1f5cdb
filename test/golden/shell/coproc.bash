#### descriptors
coproc { while read -r x; do echo "got $x"; done; }; echo "${COPROC[@]}"; echo hi >&${COPROC[1]}; read -r y <&${COPROC[0]}; echo "$y"
exec {COPROC[1]}>&-; echo "$? ${COPROC[1]}"; wait $COPROC_PID; echo "$? ${COPROC[@]-none} ${COPROC_PID-none}"
#### a hundred questions
coproc UP { while read -r line; do echo "${line^^}"; done; echo bye; }
for i in {1..100}; do echo "line $i" >&"${UP[1]}"; read -r -u "${UP[0]}" answer; done; echo "$answer"
up=$UP_PID; eval "exec ${UP[1]}>&-"; read -r -u ${UP[0]} last; echo "$last"; wait $up; echo $?
#### simple command
coproc cat; for i in 1 2 3; do echo $i >&${COPROC[1]}; done; exec {COPROC[1]}>&-; cat <&${COPROC[0]}
#### loop body and loop around the reader
coproc while read -r x; do echo "<$x>"; done; { echo a; echo b; } >&${COPROC[1]}; exec {COPROC[1]}>&-
while read -r l; do echo "$l"; done <&${COPROC[0]}
#### status
coproc { read -r x; exit 3; }; pid=$COPROC_PID; echo >&${COPROC[1]}; wait $pid; echo $?
coproc { read -r x; false; }; echo >&${COPROC[1]}; wait $!; echo $?
#### kill
coproc cat; kill $COPROC_PID; wait $COPROC_PID; echo $?
#### copied descriptors
add() { while read -r a b; do echo $((a+b)); done; }; coproc ADD (add)
exec 5>&${ADD[1]} 6<&${ADD[0]}; echo 3 4 >&5; read -r r <&6; echo $r; exec {out}>&${ADD[1]}; echo 5 6 >&$out; read -r -u 6 r; echo $r
exec {out}>&- 5>&- {ADD[1]}>&-; wait $ADD_PID; echo $?
#### mapfile
coproc A { echo one; echo two; read -r x; }; mapfile -t -n 2 -u ${A[0]} all; echo "${#all[@]} ${all[1]}"; echo >&${A[1]}; wait $A_PID
#### own variables
x=1; coproc { x=2; echo "$x"; read -r y; }; read -r z <&${COPROC[0]}; echo "$x $z"; echo >&${COPROC[1]}; wait $!
#### stderr and its own redirections
coproc { echo out; echo err >&2; read -r x; } 2> log; read -r y <&${COPROC[0]}; echo >&${COPROC[1]}; wait $COPROC_PID; echo "$y $(cat log)"
#### from a function
ask() { echo "$1" >&${CALC[1]}; read -r answer <&${CALC[0]}; }; start() { coproc CALC { while read -r e; do echo $((e)); done; }; }
start; ask 6*7; echo $answer; ask 2**10; echo $answer
#### in a trap at exit
trap 'echo bye >&${COPROC[1]}; read -r l <&${COPROC[0]}; echo "$l"' EXIT; coproc cat; echo x
#### much output
coproc { for i in {1..5000}; do echo "line $i of many"; done; read -r x; }; n=0; while read -r l; do n=$((n+1)); [ $n = 5000 ] && break; done <&${COPROC[0]}; echo "$n $l"; echo >&${COPROC[1]}; wait $!
