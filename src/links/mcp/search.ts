// Finds the tools for a few words: names count more than descriptions, rare words more than common ones.

import type { ToolSpec } from "../../abi/stream.ts";

const RESULTS = 5;
const NAME_WEIGHT = 3;

export function foundTools(query: string, specs: readonly ToolSpec[], most = RESULTS): readonly ToolSpec[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const texts = specs.map(({ name, description }) => ({ name: wordsOf(name), text: wordsOf(description) }));
  const weights = words.map((word) => {
    const count = texts.filter(({ name, text }) => has(name, word) || has(text, word)).length;
    return Math.log(1 + specs.length / (1 + count));
  });
  const scored = specs.map((spec, index) => {
    const { name, text } = texts[index]!;
    const score = words.reduce((sum, word, at) => {
      const times = (has(name, word) ? NAME_WEIGHT : 0) + (has(text, word) ? 1 : 0);
      return sum + times * weights[at]!;
    }, 0);
    return { spec, score };
  });
  const found = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  return found.slice(0, most).map(({ spec }) => spec);
}

/** `issues` finds `issue`, and `create` finds `createIssue`. */
function has(words: readonly string[], word: string): boolean {
  return words.some((each) => each === word || each.startsWith(word) || (each.length > 3 && word.startsWith(each)));
}

function wordsOf(text: string): readonly string[] {
  const apart = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return [...new Set(apart.match(/[\p{L}\p{N}]{2,}/gu) ?? [])];
}
