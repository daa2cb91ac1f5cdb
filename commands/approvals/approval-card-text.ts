// The text of a request, for `gsv approvals` and for the card of the terminal: what will run, where, and why it asks. Nothing is cut, and
// control characters are made visible.

import { grantsText } from "../../src/abi/grants.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import { quotedName } from "../../src/abi/process/process-name.ts";
import { codeOf, lookalikes, withBlanksShown } from "../../src/lib/text/lookalike.ts";
import { reveal, sanitize } from "../../src/lib/text/sanitize.ts";

const MAIN: { readonly [call: string]: string } = {
  "shell.exec": "command",
  "fs.delete": "path",
  "net.fetch": "url",
  "hil.plan": "plan",
};

/** The end of a failed run says most. */
const FAILURE_LINES_MAX = 4;

const LOOKALIKES_MAX = 5;

type ApprovalView = Pick<Approval, "id" | "kind" | "pid" | "tool" | "call" | "why" | "about" | "expiresAt"> & {
  readonly args: object;
  readonly label?: string | null;
};

export function approvalText(asked: ApprovalView): string {
  const { pid, label = null, tool, why, about, kind } = asked;
  const name = shown(quotedName({ pid, label }));
  if (kind === "question") return [`${name} asks you`, ...approvalBody(asked)].join("\n");
  const { target = "gsv", directory = null } = about ?? {};
  const where = directory === null ? target : `${target} in ${shown(directory)}`;
  const head = `${name} asks: ${tool} on ${where}`;
  return [
    head,
    ...dangersOf(asked),
    // A command that runs in the sandbox names its grants in the reason.
    ...(about?.sandboxed === true ? [] : grantLines(asked)),
    ...approvalBody(asked),
    ...failureLines(asked),
    `  to ${shown(why)}`,
    ...reasonLines(asked),
    ...patternLines(asked),
  ].join("\n");
}

export function dangerLines({ about }: Pick<ApprovalView, "about">): readonly string[] {
  return [...dangersOf({ about }), ...grantLines({ about })];
}

function dangersOf({ about }: Pick<ApprovalView, "about">): readonly string[] {
  return (about?.dangers ?? []).map((each) => `  danger: ${shown(each)}`);
}

export function grantLines({ about }: Pick<ApprovalView, "about">): readonly string[] {
  const grants = about?.grants ?? [];
  return grants.length === 0 ? [] : [`  grants: ${shown(grantsText(grants))}, for this command only`];
}

/** The end of the first run of a command that would run again. */
export function failureLines({ about }: Pick<ApprovalView, "about">): readonly string[] {
  if (about?.again === undefined) return [];
  const { exit, output } = about.again;
  const lines = sanitize(output)
    .split("\n")
    .filter((line) => line.trim() !== "");
  return [`  first run failed (exit status ${exit}):`, ...quoted(lines.slice(-FAILURE_LINES_MAX).join("\n"))];
}

export function approvalBody(asked: ApprovalView): readonly string[] {
  const body = asked.kind === "question" ? questionBody(asked) : requestBody(asked);
  return [...body, ...lookalikeLines(body.join(" "))];
}

export function lookalikesIn(asked: ApprovalView): readonly string[] {
  return lookalikeLines((asked.kind === "question" ? questionBody(asked) : requestBody(asked)).join(" "));
}

function lookalikeLines(text: string): readonly string[] {
  const found = lookalikes(text);
  const lines = found.slice(0, LOOKALIKES_MAX).map(({ word, letters }) => {
    const which = letters.map((letter) => `${letter} is ${codeOf(letter)}`).join(", ");
    return `  look-alike letters in ${word}: ${which}`;
  });
  return found.length > lines.length ? [...lines, `  and ${found.length - lines.length} more words`] : lines;
}

function requestBody(asked: ApprovalView): readonly string[] {
  const diff = asked.about?.diff ?? null;
  return [...requestLines(asked), ...(diff === null ? [] : quoted(diff))];
}

/** Without the diff. */
export function requestLines({
  call,
  about,
  ...asked
}: Pick<ApprovalView, "call" | "about" | "args">): readonly string[] {
  const args = asked.args as Approval["args"];
  const { diff = null } = about ?? {};
  const main = MAIN[call];
  const body = main !== undefined && typeof args[main] === "string" ? (args[main] as string) : null;
  const rest = Object.entries(args).filter(
    ([name]) => name !== main && name !== "target" && !(name === "network" && isNetworkGranted(about)),
  );
  const others = diff === null ? rest : rest.filter(([name]) => !CHANGES.has(name));
  return [...(body === null ? [] : quoted(body)), ...others.flatMap(([name, value]) => argumentText(name, value))];
}

/** Then the grants name it, and nothing else has to. */
function isNetworkGranted(about: Approval["about"]): boolean {
  return about?.grants?.includes("network") === true;
}

function patternLines({ about }: Pick<ApprovalView, "about">): readonly string[] {
  const { patterns = [], once } = about ?? {};
  return once || patterns.length === 0 ? [] : [`  patterns: ${patterns.map(shown).join(" · ")}`];
}

export function reasonLines({ about }: Pick<ApprovalView, "about">): readonly string[] {
  const { reasons = [], dangers = [] } = about ?? {};
  return reasons
    .filter((reason) => !dangers.includes(reason) && !(isNetworkGranted(about) && reason.endsWith("uses the network")))
    .map((reason) => `  reason: ${shown(reason)}`);
}

/** Arguments that the diff of a file change already shows. */
const CHANGES = new Set(["content", "oldString", "newString"]);

function argumentText(name: string, value: unknown): readonly string[] {
  if (typeof value === "string" && value.includes("\n")) return [`  ${shown(name)}:`, ...quoted(value)];
  return [`  ${shown(name)}: ${shown(typeof value === "string" ? value : JSON.stringify(value))}`];
}

function questionBody({ args, expiresAt }: ApprovalView): readonly string[] {
  const { question, choices, default: fallback } = args as { question?: string; choices?: string[]; default?: string };
  return [
    ...quoted(String(question ?? "")),
    ...(choices ?? []).map((choice, index) => `  ${index + 1} ${shown(choice)}`),
    ...(expiresAt === null
      ? []
      : [`until ${new Date(expiresAt).toISOString()}${fallback === undefined ? "" : `, then: ${shown(fallback)}`}`]),
  ];
}

/** Marks each line, so that none can pass for a line of gsv. */
function quoted(text: string): readonly string[] {
  return text.split("\n").map((line) => `  | ${shown(line)}`);
}

function shown(text: string): string {
  return withBlanksShown(reveal(text));
}

export function answerText({ id, kind }: Pick<Approval, "id" | "kind">): string {
  if (kind === "question") return `answer with: gsv answer ${id} TEXT`;
  return `answer with: gsv approve ${id}   or: gsv deny ${id}`;
}
