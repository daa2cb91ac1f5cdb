// Words that are commands and English both, and those with which only a shell begins a line. A program among them is typed when it stands
// alone, with one word, or with anything that no sentence has.

export const ENGLISH: ReadonlySet<string> = new Set(
  [
    "alias allow approve archive at audit auth backup basename bind break builtin cat chat clear column comm command complete completion",
    "config continue cut date debug deny diff dirname doctor edit enable env eval exec exit expand explain export false file find fold free fs get",
    "group head help history host hostname id install join jobs kernel kill less let link list local logs look mail make man more mount move",
    "nice paste patch paths pause permit pool print proc pwd read repeat restore return rev run scale schema search seek send set shift sleep sort",
    "source spawn split start stat stop strings system tail tee test time timeout top touch tr tree trap true type uniq unset unlink update",
    "user wait watch where which who write yes",
  ]
    .join(" ")
    .split(" "),
);

/** The grammar's own: a sentence may begin with them too. */
export const RESERVED: ReadonlySet<string> = new Set(
  "case coproc do done elif else esac fi for function if in select then until while".split(" "),
);
