// The replacement of sed's `s` command. Pure.

/** `&`, `\1`, and letters made big or small from here on, or the next one only. */
export function filled(text: string, found: readonly (string | undefined)[]): string {
  let output = "";
  let all = "";
  let one = "";
  const add = (part: string) => {
    let shown = all === "U" ? part.toUpperCase() : all === "L" ? part.toLowerCase() : part;
    if (one !== "" && shown !== "") {
      shown = (one === "u" ? shown.charAt(0).toUpperCase() : shown.charAt(0).toLowerCase()) + shown.slice(1);
      one = "";
    }
    output += shown;
  };
  for (const [token] of text.matchAll(/\\[\s\S]|&|[^\\&]+/g)) {
    const letter = token[0] === "\\" ? (token[1] ?? "") : "";
    if (token === "&") add(found[0] ?? "");
    else if (letter === "") add(token);
    else if (/\d/.test(letter)) add(String(found[Number(letter)] ?? ""));
    else if (letter === "U" || letter === "L" || letter === "E") all = letter === "E" ? "" : letter;
    else if (letter === "u" || letter === "l") one = letter;
    else add({ n: "\n", t: "\t" }[letter] ?? letter);
  }
  return output;
}
