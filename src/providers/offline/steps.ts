// Orders with several steps: remember a note, summarize the workspace, search the owner's notes. Each step follows from the order and the
// results so far, so a retried turn repeats it. Files are only appended to. Pure.

import type { ModelRequest } from "../../abi/stream.ts";
import { indexSections, termsOf } from "../../lib/text/search.ts";
import type { Exchange, PlannedCall } from "./rules.ts";

export interface Step {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
  /** Append the manual's answer at the end. */
  readonly withManual?: true;
  /** Calls whose results `text` covers. */
  readonly covered: readonly string[];
}

const NOTES = "~/knowledge/notes.md";
const HEADING = "# Notes";
const NOTE_CHARS_MAX = 2000;

const REMEMBER =
  /^(?:(?:please )?(?:remember|note|keep in mind)(?: that |: ?| )|(?:please )?make a note(?: that |: ?| of ))(?!(?:when|what|where|who|why|how|me|it|this)\b)(?<text>\S.*)$/is;
const SUM_UP =
  /^(?:(?:please |can you |could you )*(?:summari[sz]e|sum up|describe|give me a summary of|show me|what(?:['’]?s| is) in|what do i have in)) (?:my|this|the)(?: current)? (?:workspace|working directory|project)[.!?]*(?: please[.!]?)?$/i;

/** The next step of an order; null if it is no such order. `isUnanswered`: the manual has no clear answer. */
export function stepOf(
  order: string,
  done: readonly Exchange[],
  request: ModelRequest,
  isUnanswered: () => boolean,
): Step | null {
  const said = order.trim();
  const note = said.endsWith("?") ? null : REMEMBER.exec(said)?.groups?.text;
  const step =
    note != null
      ? rememberStep(oneLine(note), done)
      : SUM_UP.test(said)
        ? sumUpStep(done, request)
        : isUnanswered()
          ? notesStep(said, done, request)
          : null;
  if (step === null) return null;
  return step.calls.every(({ name }) => request.tools.some((tool) => tool.name === name)) ? step : null;
}

function rememberStep(note: string, done: readonly Exchange[]): Step {
  const path = NOTES;
  const looked = done.find(({ call }) => call.name === "Read" && call.args.path === path);
  if (looked === undefined) return { text: "", calls: [{ name: "Read", args: { path } }], covered: [] };
  const wrote = done.find(({ call }) => call !== looked.call && call.args.path === path);
  if (wrote !== undefined) {
    if (wrote.result.outcome !== "completed") return { text: "", calls: [], covered: [looked.call.id] };
    return { text: `Noted in ${path}: ${note}`, calls: [], covered: [looked.call.id, wrote.call.id] };
  }
  const covered = [looked.call.id];
  const { outcome, output } = looked.result;
  const line = `- ${note}`;
  if (outcome !== "completed") {
    if (!output.startsWith("ENOENT")) return { text: "", calls: [], covered: [] };
    return { text: "", calls: [{ name: "Write", args: { path, content: `${HEADING}\n\n${line}\n` } }], covered };
  }
  const edit = editAdding(line, output);
  if (edit !== null) return { text: "", calls: [{ name: "Edit", args: { path, ...edit } }], covered };
  const why = `notes go after the first line of ${path}, and that line is not unique`;
  return { text: `Not noted: ${why}. Your note was: ${note}`, calls: [], covered };
}

/** Appends a line after our heading, else after the first line. Null if that text is not unique. */
function editAdding(line: string, output: string): { readonly oldString: string; readonly newString: string } | null {
  const text = output.replace(/^ *\d+\t/gm, "");
  const isOnce = (part: string) => text.split(part).length === 2;
  const ours = `${HEADING}\n\n`;
  if (text.startsWith(ours) && isOnce(ours)) return { oldString: ours, newString: `${ours}${line}\n` };
  const first = text.split("\n").find((each) => each.trim() !== "" && !each.startsWith("("));
  return first !== undefined && isOnce(first) ? { oldString: first, newString: `${first}\n${line}` } : null;
}

function sumUpStep(done: readonly Exchange[], request: ModelRequest): Step {
  const calls = workspaceCalls(done, request);
  if (calls.length > 0) return { text: "", calls, covered: done.map(({ call }) => call.id) };
  return { text: workspaceText(done, request), calls: [], covered: done.map(({ call }) => call.id) };
}

function notesStep(question: string, done: readonly Exchange[], request: ModelRequest): Step | null {
  const calls = noteCalls(question, request);
  const own = done.filter(({ call }) => calls.some(({ args }) => JSON.stringify(args) === JSON.stringify(call.args)));
  const covered = own.map(({ call }) => call.id);
  if (own.length > 0) return { text: noteAnswer(question, own), calls: [], covered, withManual: true };
  if (done.length > 0) return null;
  return calls.length === 0 ? null : { text: "", calls, covered: [], withManual: true };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, NOTE_CHARS_MAX).toWellFormed();
}

const LISTING = { name: "Read", args: { path: "." } };
const NEWEST = { name: "Shell", args: { command: "ls -lt" } };
const SUMMARY = ".gsv/summary.md";
const FIRST_LINES = 12;
const NAMES_SHOWN = 40;

/** Calls still to be made; empty when done. */
function workspaceCalls(done: readonly Exchange[], { tools }: ModelRequest): readonly PlannedCall[] {
  const listing = done.find(isListing);
  if (listing === undefined) return tools.some(({ name }) => name === NEWEST.name) ? [LISTING, NEWEST] : [LISTING];
  if (done.some(({ call }) => call.name === "Read" && call.args.path !== ".")) return [];
  const names = namesIn(listing);
  const readme = names.find((name) => /^readme(?:\.(?:md|txt))?$/i.test(name));
  return [...(readme === undefined ? [] : [readme]), ...(names.includes(".gsv/") ? [SUMMARY] : [])].map((path) => ({
    name: "Read",
    args: { path, limit: FIRST_LINES },
  }));
}

function workspaceText(done: readonly Exchange[], { about: { cwd } }: ModelRequest): string {
  const listing = done.find(isListing);
  if (listing === undefined || listing.result.outcome !== "completed")
    return `I could not list ${cwd}: ${listing?.result.output ?? "no result"}`;
  const where = cwd.startsWith("/workspaces/") ? `The workspace ${cwd}` : `This process works in ${cwd}, which`;
  return [`${where} ${contentsText(namesIn(listing))}`, ...newestText(done), ...beginningsText(done)].join("\n\n");
}

function contentsText(names: readonly string[]): string {
  if (names.length === 0) return "is empty.";
  const directories = names.filter((name) => name.endsWith("/")).length;
  const files = names.length - directories;
  const more = names.length > NAMES_SHOWN ? `\n    … and ${names.length - NAMES_SHOWN} more` : "";
  const rows = names.slice(0, NAMES_SHOWN).map((name) => `    ${name}`);
  return `holds ${counted(files, "file", "files")} and ${counted(directories, "directory", "directories")}:\n\n${rows.join("\n")}${more}`;
}

function newestText(done: readonly Exchange[]): string[] {
  const newest = done.find(({ call }) => call.name === NEWEST.name);
  if (newest === undefined || newest.result.outcome !== "completed") return [];
  const rows = newest.result.output.split("\n").filter((line) => line.startsWith("-"));
  if (rows.length === 0) return [];
  return [`Sizes and newest changes:\n\n${rows.slice(0, FIRST_LINES).map(indented).join("\n")}`];
}

function beginningsText(done: readonly Exchange[]): string[] {
  return done
    .filter(({ call, result }) => call.name === "Read" && call.args.path !== "." && result.outcome === "completed")
    .map(({ call, result }) => {
      const lines = result.output.split("\n").filter((line) => /^ *\d+\t/.test(line));
      const text = lines.map((line) => line.replace(/^ *\d+\t/, "")).slice(0, FIRST_LINES);
      const what = call.args.path === SUMMARY ? "Where work was left" : `${call.args.path} begins`;
      return `${what}:\n\n${text.map(indented).join("\n").trimEnd()}`;
    });
}

function isListing({ call }: Exchange): boolean {
  return call.name === "Read" && call.args.path === ".";
}

function namesIn({ result }: Exchange): string[] {
  return result.output.split("\n").filter((line) => line !== "" && !line.startsWith("("));
}

function indented(line: string): string {
  return `    ${line}`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

const KNOWLEDGE = "~/knowledge";
const QUESTION =
  /^(?:what|who|whose|when|where|which|why|how|do (?:i|you|we|they)|does|did|is|are|was|were|can|tell me about)\b|\?$/i;
const TERMS_MAX = 3;
const LINES_MAX = 8;
const SKILL_LINES = 20;
const COVERAGE_MIN = 0.5;

function noteCalls(question: string, { system, tools }: ModelRequest): readonly PlannedCall[] {
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
function noteAnswer(question: string, done: readonly Exchange[]): string {
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
