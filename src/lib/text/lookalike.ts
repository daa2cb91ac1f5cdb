// Finds misleading text that looks normal: words with letters of two alphabets that look like one,
// and unusual blanks. Pure.

/** Alphabets with letters that look Latin. */
const FOREIGN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
const LATIN = /\p{Script=Latin}/u;
const WORD = /[\p{L}\p{N}_-]+/gu;
const ODD_BLANK = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/g;

export interface Lookalike {
  readonly word: string;
  /** The letters from the other alphabet. */
  readonly letters: readonly string[];
}

/** Words with letters of two alphabets, each once. */
export function lookalikes(text: string): readonly Lookalike[] {
  const words = [...new Set(text.match(WORD) ?? [])].filter((word) => FOREIGN.test(word) && LATIN.test(word));
  return words.map((word) => ({ word, letters: [...new Set([...word].filter((letter) => FOREIGN.test(letter)))] }));
}

/** Blanks other than the plain one, by name. */
export function withBlanksShown(text: string): string {
  return text.replace(ODD_BLANK, codeOf);
}

export function codeOf(letter: string): string {
  return `⟨U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
