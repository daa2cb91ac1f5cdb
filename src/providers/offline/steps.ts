// Orders that take the offline provider more than one step: remembering something, summing up where a process works, and looking into
// what its owner keeps. Each step follows from the order and the results so far, so that a turn that is asked again does the same. What
// stands in a file is only ever added to. Pure.

import type { ModelRequest } from "../../abi/stream.ts";
import { keptAnswer, keptCalls } from "./notes.ts";
import type { Exchange, PlannedCall } from "./rules.ts";
import { workspaceCalls, workspaceText } from "./workspace.ts";

export interface Step {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
  /** What the manual says of it follows, once nothing else does. */
  readonly withManual?: true;
  /** Ids of calls whose results the text tells of, or which only led here. */
  readonly told: readonly string[];
}

const NOTES = "~/knowledge/notes.md";
const HEADING = "# Notes";
const NOTE_CHARS_MAX = 2000;

const REMEMBER =
  /^(?:(?:please )?(?:remember|note|keep in mind)(?: that |: ?| )|(?:please )?make a note(?: that |: ?| of ))(?!(?:when|what|where|who|why|how|me|it|this)\b)(?<text>\S.*)$/is;
const SUM_UP =
  /^(?:(?:please |can you |could you )*(?:summari[sz]e|sum up|describe|give me a summary of|show me|what(?:['’]?s| is) in|what do i have in)) (?:my|this|the)(?: current)? (?:workspace|working directory|project)[.!?]*(?: please[.!]?)?$/i;

/** The next step of an order after what was done for it; null when it is none of these. `isUnanswered`: the manual has no clear answer. */
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
          ? keptStep(said, done, request)
          : null;
  if (step === null) return null;
  return step.calls.every(({ name }) => request.tools.some((tool) => tool.name === name)) ? step : null;
}

function rememberStep(note: string, done: readonly Exchange[]): Step {
  const path = NOTES;
  const looked = done.find(({ call }) => call.name === "Read" && call.args.path === path);
  if (looked === undefined) return { text: "", calls: [{ name: "Read", args: { path } }], told: [] };
  const wrote = done.find(({ call }) => call !== looked.call && call.args.path === path);
  if (wrote !== undefined) {
    if (wrote.result.outcome !== "completed") return { text: "", calls: [], told: [looked.call.id] };
    return { text: `Noted in ${path}: ${note}`, calls: [], told: [looked.call.id, wrote.call.id] };
  }
  const told = [looked.call.id];
  const { outcome, output } = looked.result;
  const line = `- ${note}`;
  if (outcome !== "completed") {
    if (!output.startsWith("ENOENT")) return { text: "", calls: [], told: [] };
    return { text: "", calls: [{ name: "Write", args: { path, content: `${HEADING}\n\n${line}\n` } }], told };
  }
  const edit = editAdding(line, output);
  if (edit !== null) return { text: "", calls: [{ name: "Edit", args: { path, ...edit } }], told };
  const why = `I add to ${path} after its first line, and that does not stand there just once`;
  return { text: `I did not note it: ${why}. Your note was: ${note}`, calls: [], told };
}

/** Adds a line after our heading, else after the first line, where an edit finds that once; null where it would not. */
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
  if (calls.length > 0) return { text: "", calls, told: done.map(({ call }) => call.id) };
  return { text: workspaceText(done, request), calls: [], told: done.map(({ call }) => call.id) };
}

function keptStep(question: string, done: readonly Exchange[], request: ModelRequest): Step | null {
  const calls = keptCalls(question, request);
  const own = done.filter(({ call }) => calls.some(({ args }) => JSON.stringify(args) === JSON.stringify(call.args)));
  const told = own.map(({ call }) => call.id);
  if (own.length > 0) return { text: keptAnswer(question, own), calls: [], told, withManual: true };
  if (done.length > 0) return null;
  return calls.length === 0 ? null : { text: "", calls, told: [], withManual: true };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, NOTE_CHARS_MAX).toWellFormed();
}
