// Questions that the manual has no clear answer to, looked up in what the owner keeps: the telling words in ~/knowledge, and the skill
// whose line in the prompt fits. It shows where something stands and what stands there, and draws no conclusion. Pure.

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

export function keptCalls(question: string, { system, tools }: ModelRequest): readonly PlannedCall[] {
  if (!QUESTION.test(question) || !tools.some(({ name }) => name === "Search")) return [];
  const words = tellingWords(question);
  if (words.length === 0) return [];
  const searches = words.flatMap((word) =>
    // The search takes letters as they are.
    [...new Set([word, word.toLowerCase(), word[0]?.toUpperCase() + word.slice(1).toLowerCase()])].map((query) => ({
      name: "Search",
      // Of a home that keeps none yet nothing is an error.
      args: { query, path: "~" },
    })),
  );
  const skill = skillFor(question, system);
  return [...searches, ...(skill === null ? [] : [{ name: "Read", args: { path: skill, limit: SKILL_LINES } }])];
}

/** What was found; empty when nothing was. */
export function keptAnswer(question: string, done: readonly Exchange[]): string {
  const parts: string[] = [];
  const rows = bestLines(question, done);
  if (rows.length > 0) parts.push(`In ${KNOWLEDGE} stands:\n\n${rows.map((row) => `    ${row}`).join("\n")}`);
  for (const { call, result } of done) {
    if (call.name !== "Read" || result.outcome !== "completed") continue;
    const text = result.output.split("\n").map((line) => `    ${line.replace(/^ *\d+\t/, "")}`);
    parts.push(`A skill that may fit, ${call.args.path}:\n\n${text.join("\n").trimEnd()}`);
  }
  return parts.join("\n\n");
}

/** Lines with most of the words, each once, in the order in which they were found. */
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

/** The longest of those that mean something, as they were written. */
function tellingWords(question: string): string[] {
  const words = question.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  const telling = words.filter((word) => word.length > 2 && termsOf(word).length > 0);
  return [...new Set(telling)].sort((a, b) => b.length - a.length).slice(0, TERMS_MAX);
}

/** By the index of skills that the prompt holds. */
function skillFor(question: string, system: string): string | null {
  const skills = [...system.matchAll(/^- ([\w-]+): (.+) \((\/\S+|~\/\S+)\)$/gm)].map(
    ([, heading = "", text = "", path = ""]) => ({ heading, words: heading.replace(/-/g, " "), text, path }),
  );
  const [hit] = indexSections(skills).search(question);
  return hit !== undefined && hit.coverage >= COVERAGE_MIN ? hit.section.path : null;
}
