#### exit
trap 'echo bye' EXIT; echo hi
#### exit keeps status
trap 'echo bye' EXIT; exit 3
#### exit sees status
trap 'echo "status $?"' EXIT; exit 5
#### exit after errexit
set -e; trap 'echo cleanup' EXIT; false; echo no
#### exit in a subshell
(trap 'echo inner' EXIT; echo body); echo outer
#### removed
trap 'echo bye' EXIT; trap - EXIT; echo hi
#### err
trap 'echo failed' ERR; false; true; echo end
#### cleanup of a temp file
tmp=$(mktemp); trap 'rm -f "$tmp"; echo removed' EXIT; echo data > "$tmp"; cat "$tmp"
#### function as handler
done_() { echo "done $1"; }; trap 'done_ now' EXIT; echo work
#### print traps
trap 'echo x' EXIT; trap -p EXIT; trap - EXIT
#### signal to itself
trap 'echo got usr1' USR1; kill -USR1 $$; echo after
#### number zero
trap 'echo zero' 0; echo hi
#### several signals
trap 'echo sig' INT TERM; kill -TERM $$; echo alive
#### ignored
trap '' TERM; kill -TERM $$; echo alive
#### exit changes status
trap 'exit 9' EXIT; exit 1
#### exit trap with functions and variables
x=value; trap 'echo "x=$x"' EXIT; x=changed
#### trap in function is global
f() { trap 'echo bye' EXIT; }; f; echo body
#### invalid signal
trap 'x' NOSUCH; echo $?
#### return
f() { trap 'echo leaving' RETURN; echo in; }; f
#### exit trap runs once with exit inside
trap 'echo once; exit' EXIT; exit 2
#### debug is optional
trap - DEBUG; echo ok
#### a job has traps of its own
trap 'echo never' EXIT; (trap 'echo bye; exit 4' TERM; : > up; while :; do sleep 0.05; done) & until [ -e up ]; do sleep 0.02; done; kill $!; wait $!; echo $?; trap - EXIT
#### a job signals its shell
trap 'echo got; n=1' USR1; (sleep 0.1; kill -USR1 $$) & while [ -z "$n" ]; do sleep 0.05; done; echo after; wait
#### a signal that is ignored
trap '' TERM; (kill $$; sleep 0.1; kill $$) & wait; echo still here
#### exec ends the script
trap 'echo no' EXIT; exec echo hi; echo not
#### err sees the status
trap 'echo "failed with $?"' ERR; (exit 3); echo "$?"
#### err only where nobody asked
trap 'echo E' ERR; false || true; false && true; ! true; if false; then :; fi; while false; do :; done; echo end
#### err under errexit
set -e; trap 'echo "at $?, line $LINENO"' ERR; echo a
false
echo never
#### err in parts of compounds
trap 'echo E' ERR; for i in 1 2; do false; done; { false; }; case x in x) false;; esac; echo end
#### err of tests and pipes
trap 'echo E' ERR; grep -q zzz fruits.txt; [[ a == b ]]; ((0)); x=$(false); true | false; echo "$?"
#### err is not in functions
f() { false; true; }; trap 'echo E' ERR; f; g() { false; }; g; echo "$?"
#### err is in functions under errtrace
set -E; f() { false; true; }; trap 'echo "E $?"' ERR; f; (false; true); x=$(false; echo v); echo "$x"
#### err with pipefail and a way out
set -Eeuo pipefail; trap 'echo "failed: $?"; exit 9' ERR; main() { cat none 2>/dev/null | sort; }; main; echo no
#### err in a substitution of its own
x=$(trap 'echo in' ERR; false; echo y); echo "$x"; false; echo end
#### err beside other traps
trap 'echo "exit $?"' EXIT; trap 'echo "err $?"' ERR; set -e; echo 1; (exit 9); echo 2
#### err and a signal
trap 'echo T' TERM; trap 'echo E' ERR; false; kill -TERM $$; echo "$?"; false
#### err is printed and taken away
trap 'echo E' ERR; trap -p ERR; trap - ERR; trap -p ERR; false; echo end
#### err that a handler ends with
trap 'echo E; exit 7' ERR; false; echo no
#### debug before each command
trap 'echo D' DEBUG; echo a; true && echo b; if true; then echo x; fi
#### debug before a loop
trap 'echo D' DEBUG; for i in 1 2; do echo "$i"; done
#### the command that failed
trap 'echo "cmd: $BASH_COMMAND"' ERR; ls /nowhere 2>/dev/null; test -e none
#### signal and errexit in an else
trap 'echo caught' INT; set -e; if false; then :; else echo in else; fi; echo after
#### debug and errexit in an else
trap 'echo dbg' DEBUG; set -e; if false; then :; else echo in else; fi; echo after
#### err under errexit with a number about
set -e; trap 'echo "err $?"' ERR; : 1 2 15; (exit 3); echo never
#### return again
f() { trap 'echo leaving f' RETURN; echo in f; }
f; g() { echo in g; }; g; echo end
#### return inherits with T
set -T; trap 'echo ret' RETURN; f() { echo f; }; f; echo end
#### return source
echo 'echo sourced' > lib.sh; trap 'echo back' RETURN; . ./lib.sh; trap - RETURN; . ./lib.sh
#### debug rounds
trap 'echo D' DEBUG; for i in 1 2; do :; done; while ((i++ < 3)); do :; done; trap - DEBUG; echo end
#### err with E in functions
set -E; trap 'echo "err $? line $LINENO"' ERR
f() { false; echo after; }
f; (false); x=$(false); false || true; if false; then :; fi; ! true; echo end
#### err without E
trap 'echo err' ERR; f() { false; true; }; f; f2() { false; }; f2; echo end
#### return with local and status
f() { local tmp=x; trap 'echo "rm $tmp"' RETURN; if [ "$1" = early ]; then return 3; fi; echo body; false; }
f early; echo $?; f; echo $?
#### return in loop
f() { trap 'echo out' RETURN; for i in 1 2 3; do [ $i = 2 ] && return 5; echo $i; done; }; f; echo $?; trap - RETURN; f2() { return 1; }; f2 || echo no
