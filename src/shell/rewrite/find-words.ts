// Arguments of `find`: the interpreter's own patterns stop at a newline, know no `[!…]` and search `-path` as a part. Each becomes a `-regex`
// for the whole path. Pure.

const PATTERN = /^-i?(?:name|path|wholename|regex)$/;
const COMMAND = /^-exec(?:dir)?$/;
/** The interpreter compares the end of a name for these, which is faster and as exact. */
const ENDING = /^\*\.[a-zA-Z0-9]+$/;

export function findArguments(args: readonly string[]): readonly string[] {
  const all: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    const value = args[at + 1];
    if (COMMAND.test(word)) {
      while (at < args.length && args[at] !== ";" && args[at] !== "+") all.push(args[at++] ?? "");
      if (at < args.length) all.push(args[at] ?? "");
    } else if (value === undefined || !PATTERN.test(word)) all.push(word);
    else {
      at++;
      const isKept = /^-i?name$/.test(word) && ENDING.test(value);
      all.push(...(isKept ? [word, value] : [word.startsWith("-i") ? "-iregex" : "-regex", regexOf(word, value)]));
    }
  }
  return all;
}

function regexOf(test: string, value: string): string {
  if (test.endsWith("regex")) return `(?s)^(?:${value})$`;
  const pattern = globRegex(value);
  return /^-i?name$/.test(test) ? `(?s)^(?:.*/)?${pattern}/?$` : `(?s)^${pattern}$`;
}

function globRegex(glob: string): string {
  let regex = "";
  for (let at = 0; at < glob.length; at++) {
    const here = glob[at] ?? "";
    const set = here === "[" ? /^\[([!^]?)(\]?(?:\[:\w+:\]|[^\]])*)\]/s.exec(glob.slice(at)) : null;
    if (set !== null) {
      const [whole, not = "", members = ""] = set;
      const kept = members.replaceAll(/\\(.)|([\]\\^])|\[(?!:)/gs, (each, one, two) => `\\${one ?? two ?? each}`);
      regex += `[${not === "" ? "" : "^"}${kept}]`;
      at += whole.length - 1;
    } else if (here === "*") regex += ".*";
    else if (here === "?") regex += ".";
    else if (here === "\\" && at + 1 < glob.length) regex += literal(glob[++at] ?? "");
    else regex += literal(here);
  }
  return regex;
}

function literal(character: string): string {
  return /[\\^$.|?*+()[\]{}]/.test(character) ? `\\${character}` : character;
}
