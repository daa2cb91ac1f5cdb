// For questions without a clear answer in the manual: searches ~/knowledge for the important words, and suggests a skill from the prompt.
// Shows locations and lines; draws no conclusions. Pure.

import type { ModelRequest } from "../../abi/stream.ts";
import { indexSections, termsOf } from "../../lib/text/search.ts";
import type { Exchange, PlannedCall } from "./rules.ts";

const KNOWLEDGE = "~/knowledge";
const QUESTION =
  /^(?:what|who|whose|when|where|which|why|how|do (?:i|you|we|they)|does|did|is|are|was|were|can|tell me about)\b|\?$/i;
const TERMS_MAX = 3;
const LINES_MAX = 8;
const SKILL_LINES = 20;
const COVERAGE_MIN = 0.5;

export function noteCalls(question: string, { system, tools }: ModelRequest): readonly PlannedCall[] {
  if (!QUESTION.test(question) || !tools.some(({ name }) => name === "Search")) return [];
  const words = keyWords(question);
  if (words.length === 0) return [];
  const searches = words.flatMap((word) =>
    // The search is case-sensitive.
    [...new Set([word, word.toLowerCase(), word[0]?.toUpperCase() + word.slice(1).toLowerCase()])].map((query) => ({
      name: "Search",
      // Search "~", not ~/knowledge: the directory may not exist.
      args: { query, path: "~" },
    })),
  );
  const skill = skillFor(question, system);
  return [...searches, ...(skill === null ? [] : [{ name: "Read", args: { path: skill, limit: SKILL_LINES } }])];
}

/** Empty if nothing was found. */
export function noteAnswer(question: string, done: readonly Exchange[]): string {
  const parts: string[] = [];
  const rows = bestLines(question, done);
  if (rows.length > 0) parts.push(`Found in ${KNOWLEDGE}:\n\n${rows.map((row) => `    ${row}`).join("\n")}`);
  for (const { call, result } of done) {
    if (call.name !== "Read" || result.outcome !== "completed") continue;
    const text = result.output.split("\n").map((line) => `    ${line.replace(/^ *\d+\t/, "")}`);
    parts.push(`A skill that may help, ${call.args.path}:\n\n${text.join("\n").trimEnd()}`);
  }
  return parts.join("\n\n");
}

/** Lines with the most matching words, without duplicates, in order. */
function bestLines(question: string, done: readonly Exchange[]): string[] {
  const wanted = new Set(termsOf(question));
  const scores = new Map<string, number>();
  for (const { call, result } of done) {
    if (call.name !== "Search" || result.outcome !== "completed") continue;
    for (const row of result.output.split("\n")) {
      if (!/^[^:]*\/knowledge\/[^:]+:\d+:/.test(row)) continue;
      scores.set(row, termsOf(row.replace(/^[^:]+:\d+:/, "")).filter((term) => wanted.has(term)).length);
    }
  }
  const best = Math.max(0, ...scores.values());
  return [...scores]
    .filter(([, score]) => score > 0 && score === best)
    .map(([row]) => row)
    .slice(0, LINES_MAX);
}

/** The longest meaningful words, as written. */
function keyWords(question: string): string[] {
  const words = question.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  const telling = words.filter((word) => word.length > 2 && termsOf(word).length > 0);
  return [...new Set(telling)].sort((a, b) => b.length - a.length).slice(0, TERMS_MAX);
}

/** From the skills index in the prompt. */
function skillFor(question: string, system: string): string | null {
  const skills = [...system.matchAll(/^- ([\w-]+): (.+) \((\/\S+|~\/\S+)\)$/gm)].map(
    ([, heading = "", text = "", path = ""]) => ({ heading, words: heading.replace(/-/g, " "), text, path }),
  );
  const [hit] = indexSections(skills).search(question);
  return hit !== undefined && hit.coverage >= COVERAGE_MIN ? hit.section.path : null;
}
