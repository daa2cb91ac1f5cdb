// Words that are commands and English both, and those with which only a shell begins a line. A program among them is typed when it stands
// alone, with one word, or with anything that no sentence has.

export const ENGLISH: ReadonlySet<string> = new Set(
  [
    "alias allow approve archive at attach audit auth backup basename bind break builtin cat chat clear column comm command complete completion",
    "config continue cut date debug deny diff dirname doctor edit enable env eval exec exit expand explain export false fetch file find fold fork free fs get",
    "group groups hash head help history host hostname id install join jobs kernel kill last less let link list local logs look mail make man more mount move",
    "nice paste patch paths pause permit pool print proc pwd read repeat restore return rev run scale schema search seek send set shift sleep sort",
    "source spawn split start stat stop strings system tail tee test time timeout top touch tr tree trap true truncate type undo uniq unset unlink update",
    "user wait watch where which who write yes",
  ]
    .join(" ")
    .split(" "),
);

/** Without any of these hardly a sentence has a number in it, and hardly a command has one of them. */
export const JOINING: ReadonlySet<string> = new Set(
  "about and are but by can do for from had has have he her his how i if in is it its me more my not of on or our out over she should so than that the their them then there these they this those to us was we were what when why will with you your".split(
    " ",
  ),
);

/** They run what follows them: that is a program, or it is no command. */
export const RUNNERS: ReadonlySet<string> = new Set(["nice", "time"]);

/** What follows these is prose, whatever it ends with. */
export const SPEAKERS: ReadonlySet<string> = new Set(["echo", "gsv", "printf"]);

/** The grammar's own: a sentence may begin with them too. */
export const RESERVED: ReadonlySet<string> = new Set(
  "case coproc do done elif else esac fi for function if in select then until while".split(" "),
);

/** Of a line of two words the second, where the first is said to somebody: `test it`, `undo that`, `help me`, `more please`. */
export const ADDRESSED: ReadonlySet<string> = new Set("again everything it me please that them this us".split(" "));

/** Alone these are answers to a question; as commands they would do nothing, or never end. */
export const REPLIES: ReadonlySet<string> = new Set(["continue", "yes"]);
