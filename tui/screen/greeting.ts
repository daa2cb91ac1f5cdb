// The first lines on the screen: one line for a process with a history, otherwise also the model and things to try.

import { reveal } from "../../src/lib/text/sanitize.ts";
import type { Theme } from "./theme.ts";

export interface Greeting {
  readonly version: string;
  readonly username: string;
  /** The name of a remote kernel. */
  readonly remote?: string | null;
  /** Of the process. */
  readonly name: string;
  readonly model: string | null;
  readonly isNew: boolean;
  /** In a directory of this computer. */
  readonly isHere: boolean;
  readonly columns: number;
  readonly rows: number;
}

const ASK_MANUAL = ["how do I stop a process?", "ask your agent"] as const;
const NEW_HERE = ["/new --workspace .", "start an agent here"] as const;
const HOST_PROGRAM = ["git status", "run a program of this computer"] as const;
const TRIES = [
  ASK_MANUAL,
  ["ls /proc", "run a command over gsv's files"],
  HOST_PROGRAM,
  NEW_HERE,
  ["what is running &", "ask in the background"],
] as const;
const NO_MODEL = "No model configured. Answers come from the built-in manual.";
const SET_UP = "auth provider anthropic";
const INDENT = "  ";
const TRY_COLUMNS = Math.max(...TRIES.map(([line]) => line.length)) + 2;
const WHY_COLUMNS = Math.max(...TRIES.map(([, why]) => why.length));
/** Minimum rows for the full greeting; the second if the explanations are below the lines. */
const ROOMY_ROWS = [18, 24] as const;

export function greeting(about: Greeting, theme: Theme): readonly string[] {
  const { version, username, remote = null, name, isNew, columns, rows } = about;
  const who = remote === null ? username : `${username}@${reveal(remote)}`;
  const head = `${theme.bold(`gsv ${version}`)}  ${theme.dim(`${who} · ${reveal(name)} · ? for keys`)}`;
  if (!isNew) return [head];
  const fits = columns > INDENT.length + TRY_COLUMNS + WHY_COLUMNS;
  if (rows < ROOMY_ROWS[fits ? 0 : 1]) return inShort(about, theme);
  const tries = triesOf(about).flatMap(([line, why]) =>
    fits
      ? [`${INDENT}${line.padEnd(TRY_COLUMNS)}${theme.dim(why)}`]
      : [INDENT + line, INDENT + INDENT + theme.dim(why)],
  );
  return [head, "", ...modelLines(about, theme), "", "Try:", ...tries];
}

/** An agent already works in the directory of this computer. */
function triesOf({ isHere, remote = null, model }: Greeting): readonly (readonly [string, string])[] {
  if (remote !== null)
    return TRIES.filter((line) => line !== NEW_HERE).map((line) =>
      line === HOST_PROGRAM ? ([`! ${HOST_PROGRAM[0]}`, `run a program of ${reveal(remote)}`] as const) : line,
    );
  if (!isHere) return TRIES;
  const question = isOffline(model) ? ASK_MANUAL : (["what does this code do?", ASK_MANUAL[1]] as const);
  return TRIES.map((line) => {
    if (line === ASK_MANUAL) return question;
    return line === NEW_HERE ? ["/mode plan", "agree on a plan before edits"] : line;
  });
}

function inShort(about: Greeting, theme: Theme): readonly string[] {
  const { version, model } = about;
  return [
    `${theme.bold(`gsv ${version}`)}  ${theme.dim("? for keys")}`,
    ...(isOffline(model) ? ["No model configured. To add one:", INDENT + theme.bold(SET_UP)] : [modelLine(model)]),
    "Try:",
    ...triesOf(about).map(([line]) => INDENT + line),
  ];
}

function modelLines({ model }: Greeting, theme: Theme): readonly string[] {
  if (!isOffline(model)) return [modelLine(model)];
  return [NO_MODEL, `${INDENT}${theme.bold(SET_UP)}${theme.dim("   add a key; also openai, ollama")}`];
}

function isOffline(model: string | null): boolean {
  return model === null || model === "offline";
}

function modelLine(model: string | null): string {
  return `Model: ${reveal(model ?? "")}`;
}
