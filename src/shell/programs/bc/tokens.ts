// What a program of `bc` is made of: numbers, names, signs, strings and ends of lines. Pure.

const TOKEN =
  /\s*(?:\/\*[\s\S]*?\*\/|#[^\n]*|\\\n)*[ \t]*(\n|"[^"]*"|[0-9A-F]*\.?[0-9A-F]+|[a-z][a-z0-9_]*|\+\+|--|[-+*/%^]=|[<>=!]=|&&|\|\||[-+*/%^=<>!;(){}[\],])/y;

export function tokensOf(source: string, complain: (what: string) => void): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < source.length; ) {
    TOKEN.lastIndex = at;
    const [whole = "", token] = TOKEN.exec(source) ?? [];
    // A newline may be among the blanks before it.
    if (token !== undefined) {
      if (token !== "\n" && /\n/.test(whole.replaceAll(/\/\*[\s\S]*?\*\/|\\\n/g, "").slice(0, -token.length)))
        tokens.push("\n");
      tokens.push(token);
      at += whole.length;
      continue;
    }
    const left = source.slice(at).replace(/^(?:\s|\/\*[\s\S]*?\*\/|#[^\n]*)+/, "");
    if (left === "") break;
    complain(`(standard_in) 1: illegal character: ${left[0]}\n`);
    at = source.length - left.length + 1;
  }
  return [...tokens, "\n"];
}

/** As `print` means them. */
export function escaped(text: string): string {
  const named: { readonly [letter: string]: string } = { n: "\n", t: "\t", q: '"', a: "\x07", "\\": "\\" };
  return text.replaceAll(/\\(.)/g, (_, letter: string) => named[letter] ?? letter);
}

/** What stands behind the variable that begins here; what is set is not printed. */
export function operatorAfter(tokens: readonly string[], from: number): string {
  let [at, open] = [from + 1, 0];
  if (tokens[at] !== "[") return tokens[at] ?? "";
  do {
    if (tokens[at] === "[") open++;
    if (tokens[at] === "]") open--;
    at++;
  } while (open > 0 && at < tokens.length);
  return tokens[at] ?? "";
}
