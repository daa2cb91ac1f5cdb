// Patterns of names as a shell has them: `*`, `?` and `[…]`; everything else stands for itself. Pure. Matches without regular expressions,
// so no pattern can take exponential time on a name.

export function globMatcher(
  pattern: string,
  { ignoreCase }: { readonly ignoreCase: boolean },
): (name: string) => boolean {
  const parts = partsOf(ignoreCase ? pattern.toLowerCase() : pattern);
  return (name) => matches(parts, [...(ignoreCase ? name.toLowerCase() : name)]);
}

type Part = "*" | ((letter: string) => boolean);

function partsOf(pattern: string): Part[] {
  const letters = [...pattern];
  const parts: Part[] = [];
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    if (letter === "*") parts.push("*");
    else if (letter === "?") parts.push(() => true);
    else if (letter === "[") {
      const end = letters.indexOf("]", at + (letters[at + 1] === "!" || letters[at + 1] === "^" ? 3 : 2));
      if (end === -1) parts.push((other) => other === "[");
      else {
        parts.push(classOf(letters.slice(at + 1, end)));
        at = end;
      }
    } else {
      const wanted = letter === "\\" && at + 1 < letters.length ? (letters[++at] as string) : letter;
      parts.push((other) => other === wanted);
    }
  }
  return parts;
}

function classOf(letters: readonly string[]): (letter: string) => boolean {
  const negated = letters[0] === "!" || letters[0] === "^";
  const of = negated ? letters.slice(1) : letters;
  return (letter) => {
    let inside = false;
    for (let at = 0; at < of.length; at++) {
      const from = of[at] as string;
      const isRange = of[at + 1] === "-" && at + 2 < of.length;
      const to = isRange ? (of[at + 2] as string) : from;
      if (letter >= from && letter <= to) inside = true;
      if (isRange) at += 2;
    }
    return inside !== negated;
  };
}

// On a mismatch the last star takes one letter more; an earlier one never needs to.
function matches(parts: readonly Part[], name: readonly string[]): boolean {
  let [part, at, star, starAt] = [0, 0, -1, 0];
  while (at < name.length) {
    const wanted = parts[part];
    if (wanted === "*") {
      star = part++;
      starAt = at;
    } else if (wanted?.(name[at] as string)) {
      part++;
      at++;
    } else if (star !== -1) {
      part = star + 1;
      at = ++starAt;
    } else return false;
  }
  return parts.slice(part).every((rest) => rest === "*");
}
