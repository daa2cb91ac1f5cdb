// The interpreter's commands as a list, so that looking up a word does not load the interpreter.

export const INTERPRETER: ReadonlySet<string> = new Set(
  [
    // programs
    "alias awk base64 basename bash cat chmod clear column comm cp cut date diff dirname du echo egrep env expand expr false fgrep file find",
    "fold grep gunzip gzip head help history hostname html-to-markdown join jq ln ls md5sum mkdir mv nl od paste printenv printf pwd readlink",
    "rev rg rm rmdir sed seq sh sha1sum sha256sum sleep sort split stat strings tac tail tee time timeout touch tr tree true unalias",
    "unexpand uniq wc which whoami xargs zcat",
    // builtins
    ". : [ break builtin cd command compgen complete compopt continue declare dirs eval exec exit export getopts hash let local mapfile popd",
    "pushd read readarray readonly return set shift shopt source test type typeset unset wait",
    // what gsv gives it
    "bg disown fg jobs trap umask",
  ]
    .join(" ")
    .split(" "),
);
