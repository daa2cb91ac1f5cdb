// True if an awk program only reads its input and prints. Refuses system, pipes, redirections, getline, other files and programs, and whatever
// two awks could parse differently. Pure.

const FUNCTIONS =
  /^(?:length|substr|index|split|sub|gsub|match|sprintf|tolower|toupper|int|sqrt|exp|log|sin|cos|atan2)$/;
const KEYWORDS = /^(?:BEGIN|END|if|else|while|for|do|in|break|continue|next|exit|delete|print|printf)$/;
const VARIABLES = /^(?:NR|NF|FNR|FS|OFS|RS|ORS|SUBSEP|RSTART|RLENGTH|FILENAME|CONVFMT|OFMT)$/;
/** Variable of the program; upper-case names may be awk's. */
const OWN = /^[a-z_][a-z0-9_]*$/;
/** Names with a special meaning in some awk. */
const KNOWN_ELSEWHERE =
  /^(?:system|getline|close|fflush|nextfile|func|function|return|switch|case|default|namespace|include|load|rand|srand|systime|strftime|mktime|asort\w*|gensub|patsplit|strtonum|typeof|isarray|and|or|xor|compl|lshift|rshift|bindtextdomain|dcgettext|dcngettext|printf)$/;
const SIGNS = /^(?:\+\+|--|[-+*/%^=!<>]=|&&|\|\||!~|[-+*%^=!<~?:,;(){}[\]$])/;
const PROGRAM_CHARS_MAX = 2000;

type Token = "operand" | "call" | "close" | "other";

export function onlyReads(program: string): boolean {
  if (program.length > PROGRAM_CHARS_MAX) return false;
  let before: Token = "other";
  let divides = false;
  let quotesSlash = false;
  /** A redirection could follow. */
  let printing = false;
  for (let at = 0; at < program.length; ) {
    const rest = program.slice(at);
    const blank = /^ +/.exec(rest)?.[0];
    const text = /^"(?:[^"\\]|\\[nt\\"/.])*"/.exec(rest)?.[0];
    const name = /^[A-Za-z_][A-Za-z0-9_]*/.exec(rest)?.[0];
    const figure = /^[0-9]+(?:\.[0-9]+)?/.exec(rest)?.[0];
    let taken = blank ?? text ?? name ?? figure;
    if (text !== undefined) {
      quotesSlash ||= text.includes("/");
      before = "operand";
    } else if (name !== undefined) {
      const known = tokenOf(name, rest.slice(name.length));
      if (known === null) return false;
      printing ||= name === "print" || name === "printf";
      before = known;
    } else if (figure !== undefined) before = "operand";
    else if (blank === undefined && rest.startsWith("/")) {
      // After a parenthesis: division or pattern, depending on the awk.
      if (before === "close" || before === "call") return false;
      const pattern = before === "operand" ? "/" : patternAt(rest);
      if (pattern === null) return false;
      divides ||= before === "operand";
      taken = pattern;
      before = before === "operand" ? "other" : "close";
    } else if (blank === undefined && /^>(?![=>])/.test(rest) && !printing) {
      taken = ">";
      before = "other";
    } else if (blank === undefined) {
      const sign = SIGNS.exec(rest)?.[0];
      if (sign === undefined) return false;
      taken = sign;
      if (/^[;{}]$/.test(sign)) printing = false;
      before = sign === "]" ? "operand" : /^(?:\)|\+\+|--)$/.test(sign) ? "close" : "other";
    }
    at += taken?.length ?? 1;
  }
  // Where a slash divides, no text may end a pattern that another awk sees there.
  return !(divides && quotesSlash);
}

function tokenOf(name: string, after: string): Token | null {
  if (FUNCTIONS.test(name)) return after.startsWith("(") ? "call" : null;
  if (KEYWORDS.test(name)) return "other";
  if (VARIABLES.test(name)) return "operand";
  return OWN.test(name) && !KNOWN_ELSEWHERE.test(name) && !after.startsWith("(") ? "operand" : null;
}

/** The whole pattern; null if its end is ambiguous. */
function patternAt(rest: string): string | null {
  return /^\/(?:[^/\\[]|\\[^\n]|\[\^?[^\][/\\]+\])*\//.exec(rest)?.[0] ?? null;
}
