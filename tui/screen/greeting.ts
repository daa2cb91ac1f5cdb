// The first thing a person sees. Once one has talked here it is a line; before that it says what works now, how to get more, and what to try,
// and holds nobody up.

import { reveal } from "../../src/lib/text/sanitize.ts";
import type { Theme } from "./theme.ts";

export interface Greeting {
  readonly version: string;
  readonly username: string;
  readonly pid: string;
  /** Who answers; null when that cannot be told. */
  readonly model: string | null;
  /** Nothing was ever said to this process. */
  readonly isNew: boolean;
  readonly columns: number;
  readonly rows: number;
}

const TRIES = [
  ["how do I stop a process?", "plain words go to your agent"],
  ["ls /proc", "runs: here everything is a file"],
  ["! git status", "runs on this machine"],
  ["/new --workspace .", "an agent for this directory"],
  ["what is running &", "in the background; top shows it"],
] as const;
const INDENT = "  ";
const TRY_COLUMNS = Math.max(...TRIES.map(([line]) => line.length)) + 2;
const WHY_COLUMNS = Math.max(...TRIES.map(([, why]) => why.length));
/** With fewer rows than that, what is said is said in short; where why one tries something stands below it, with fewer than the second. */
const ROOMY_ROWS = [18, 24] as const;

export function greeting(about: Greeting, theme: Theme): readonly string[] {
  const { version, username, pid, isNew, columns, rows } = about;
  const head = `${theme.bold(`gsv ${version}`)}  ${theme.dim(`${username} · talking to ${pid} · ? shows the keys`)}`;
  if (!isNew) return [head];
  const aside = columns > INDENT.length + TRY_COLUMNS + WHY_COLUMNS;
  if (rows < ROOMY_ROWS[aside ? 0 : 1]) return inShort(about, theme);
  const tries = TRIES.flatMap(([line, why]) =>
    aside
      ? [`${INDENT}${line.padEnd(TRY_COLUMNS)}${theme.dim(why)}`]
      : [INDENT + line, INDENT + INDENT + theme.dim(why)],
  );
  return [head, "", ...modelLines(about, theme), "", "Try:", ...tries];
}

/** The same, so that all of it is on the screen at once. */
function inShort({ version, model }: Greeting, theme: Theme): readonly string[] {
  const answers =
    model === null || model === "offline" ? "The manual answers: no model yet." : `${reveal(model)} answers.`;
  return [
    `${theme.bold(`gsv ${version}`)}  ${theme.dim("? shows the keys")}`,
    answers,
    `  ${theme.bold("auth provider anthropic")}`,
    "Try:",
    ...TRIES.map(([line]) => `  ${line}`),
  ];
}

function modelLines({ model }: Greeting, theme: Theme): readonly string[] {
  if (model !== null && model !== "offline") return [`${reveal(model)} answers.`];
  return [
    "No model is set up yet: what answers is the manual, with the real tools and plain rules.",
    `  ${theme.bold("auth provider anthropic")}${theme.dim("   asks for a key and keeps it; openai and ollama work too")}`,
  ];
}
