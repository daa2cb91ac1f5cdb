// Tokenizes bc programs: numbers, names, operators, strings and newlines. Pure.

const TOKEN =
  /\s*(?:\/\*[\s\S]*?\*\/|#[^\n]*|\\\n)*[ \t]*(\n|"[^"]*"|[0-9A-F]*\.?[0-9A-F]+|[a-z][a-z0-9_]*|\+\+|--|[-+*/%^]=|[<>=!]=|&&|\|\||[-+*/%^=<>!;(){}[\],])/y;

export function tokensOf(source: string, complain: (what: string) => void): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < source.length; ) {
    TOKEN.lastIndex = at;
    const [whole = "", token] = TOKEN.exec(source) ?? [];
    // The blanks before it may contain a newline.
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

/** Escapes of `print`. */
export function escaped(text: string): string {
  const named: { readonly [letter: string]: string } = { n: "\n", t: "\t", q: '"', a: "\x07", "\\": "\\" };
  return text.replaceAll(/\\(.)/g, (_, letter: string) => named[letter] ?? letter);
}

/** The operator after the variable at this position; assignments are not printed. */
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
