#### simple flags
set -- -a -b val rest; while getopts ab: o; do case $o in a) echo A;; b) echo "B=$OPTARG";; esac; done; shift $((OPTIND-1)); echo "$@"
#### joined flags
set -- -xyz; while getopts xyz o; do echo $o; done
#### unknown flag
set -- -q; while getopts a o; do echo "got $o"; done
#### unknown flag silent
set -- -q; while getopts :a o; do echo "$o $OPTARG"; done
#### missing argument
set -- -b; while getopts :b: o; do echo "$o $OPTARG"; done
#### in a function
f() { local OPTIND o; while getopts n: o; do echo "n=$OPTARG"; done; shift $((OPTIND-1)); echo "left $*"; }; f -n 3 x; f -n4 y
#### double dash ends
set -- -a -- -b; while getopts ab o; do echo $o; done; shift $((OPTIND-1)); echo "$1"
#### argument joined
set -- -ofile; while getopts o: o; do echo $OPTARG; done
#### long options by hand
set -- --size 3 --force x; while [ $# -gt 0 ]; do case $1 in --size) size=$2; shift 2;; --force) force=1; shift;; *) break;; esac; done; echo $size $force $1
#### usage function
usage() { echo "usage: prog [-h]" >&2; exit 2; }; (set -- -h; while getopts h o; do usage; done); echo $?
