// Orders with several steps: remember a note, summarize the workspace, search the owner's notes. Each step follows from the order and the
// results so far, so a retried turn repeats it. Files are only appended to. Pure.

import type { ModelRequest } from "../../abi/stream.ts";
import { noteAnswer, noteCalls } from "./notes.ts";
import type { Exchange, PlannedCall } from "./rules.ts";
import { workspaceCalls, workspaceText } from "./workspace.ts";

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
