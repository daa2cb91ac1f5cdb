// Words that are both commands and English, and words of the shell's grammar. Such a word is a command if it stands alone, with one word, or
// with something that no sentence has.

export const ENGLISH: ReadonlySet<string> = new Set(
  [
    "agent alias allow answer approve archive at attach audit auth backup basename bind break builtin cat chat clear column comm command compact complete completion",
    "config continue cut date debug deny diff dirname doctor edit enable env eval events every exec exit expand explain export false fetch file find fold fork free fs get",
    "group groups hash head help history host hostname id install join jobs kernel kill last less let link list local logs look mail make man media mode model more mount move on",
    "nice notify paste patch paths pause permit policy pool print prompt proc pwd read repeat restore return rev run scale schema search seek send session set shift skills sleep sort",
    "source spawn split start stat stop strings system tail task tee test time timeout top touch tr tree trap true truncate type undo uniq unset unlink update usage",
    "user wait watch where which who write yes",
  ]
    .join(" ")
    .split(" "),
);

/** Sentences with numbers have one of these words, commands hardly ever. */
export const JOINING: ReadonlySet<string> = new Set(
  "a about an and are at but by can do for from had has have he her his how i if in into is it its me more my not of on or our out over she should so than that the their them then there these they this those through to us was we were what when why will with you your".split(
    " ",
  ),
);

/** They run the program that follows them. */
export const RUNNERS: ReadonlySet<string> = new Set(["nice", "time"]);

/** Their arguments may end with a question mark. */
export const SPEAKERS: ReadonlySet<string> = new Set(["echo", "gsv", "printf"]);

/** Reserved words of the shell; sentences begin with them too. */
export const RESERVED: ReadonlySet<string> = new Set(
  "case coproc do done elif else esac fi for function if in select then until while".split(" "),
);

/** Second words of short orders: `test it`, `undo that`, `help me`, `more please`. */
export const ADDRESSED: ReadonlySet<string> = new Set("again everything it me please that them this us".split(" "));

/** Verbs of gsv's nouns: `session list`. */
export const NOUN_VERBS: ReadonlySet<string> = new Set(
  "add allow archive create delete dismiss edit export get grant import list login logout provider read rm search set setup show start status stop trust".split(
    " ",
  ),
);

/** Alone these answer a question; as commands they would do nothing, or never end. */
export const REPLIES: ReadonlySet<string> = new Set(["continue", "yes"]);

/** Programs whose names are English words or words of gsv: plain words after them are not enough for a command. */
export const HOST_ENGLISH: ReadonlySet<string> = new Set(
  [
    "as batch bison build c check clip code col compare compose convert crash cut dash deploy display dig dot factor fmt format gate go import install",
    "just key lint like link lock login look message mesh montage more mount node open pack page parallel perform play plot post prove rename",
    "report reset review rust say scan screen script service session shred shuffle size spell split start stream strip summary swift sync task tidy",
    "translate transform tsc turn update view watch what who word write zip make test time top",
  ]
    .join(" ")
    .split(" "),
);

/** Subcommands of programs whose names are words: `go build`, but not `go ahead`. */
export const SUBCOMMANDS: { readonly [program: string]: ReadonlySet<string> } = {
  go: new Set(
    "build bug clean doc env fix fmt generate get help install list mod run test tool version vet work".split(" "),
  ),
  bundle: new Set("add check exec init install outdated update".split(" ")),
  make: new Set("all build check clean dev dist docs install lint release run start test".split(" ")),
  service: new Set(["--status-all"]),
  just: new Set(["build", "test", "lint", "run", "check", "fmt", "dev", "clean", "install", "deploy"]),
  like: new Set(),
  say: new Set(),
  what: new Set(),
  who: new Set(),
  as: new Set(),
  open: new Set(["."]),
};

/** Verbs after a program's name make it the subject of a sentence. */
export const VERBS: ReadonlySet<string> = new Set(
  [
    "is are was were isn't aren't wasn't does doesn't do don't did didn't has hasn't have had can can't cannot could should shouldn't will won't would",
    "wouldn't must may might seems looks keeps says said fails failed hangs hung crashes crashed complains complained broke stopped and or but on in for with",
    "about vs versus takes gives shows showed works worked needs sounds feels",
  ]
    .join(" ")
    .split(" "),
);
