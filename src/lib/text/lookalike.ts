// What a person who must judge a line cannot see in it although every character has a glyph: words whose letters come from two alphabets and
// look like one, and blanks that are not the blank they look like. Pure.

/** Letters of these alphabets pass for Latin ones. */
const FOREIGN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
const LATIN = /\p{Script=Latin}/u;
const WORD = /[\p{L}\p{N}_-]+/gu;
const ODD_BLANK = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/g;

export interface Lookalike {
  readonly word: string;
  /** The letters that are not what they look like. */
  readonly letters: readonly string[];
}

/** Words of two alphabets, each once. */
export function lookalikes(text: string): readonly Lookalike[] {
  const words = [...new Set(text.match(WORD) ?? [])].filter((word) => FOREIGN.test(word) && LATIN.test(word));
  return words.map((word) => ({ word, letters: [...new Set([...word].filter((letter) => FOREIGN.test(letter)))] }));
}

/** Blanks that are no plain ones, by name. */
export function withBlanksShown(text: string): string {
  return text.replace(ODD_BLANK, codeOf);
}

export function codeOf(letter: string): string {
  return `⟨U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
