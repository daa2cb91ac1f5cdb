// The first thing a person sees. Once one has talked here it is a line; before that it says what works now, how to get more, and what to try,
// and holds nobody up.

import { reveal } from "../src/lib/sanitize.ts";
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
  ["how do I stop a process?", "plain words are said to your agent"],
  ["ls /proc", "commands are run: here everything is a file"],
  ["! git status", "runs on this machine, where you are"],
  ["what is running &", "asked of a task in the background; jobs and top show it"],
] as const;
/** With fewer rows than that, what is said is said in short. */
const ROOMY_ROWS = 18;
const TRY_COLUMNS = Math.max(...TRIES.map(([line]) => line.length)) + 2;

export function greeting(about: Greeting, theme: Theme): readonly string[] {
  const { version, username, pid, isNew, columns, rows } = about;
  const head = `${theme.bold(`gsv ${version}`)}  ${theme.dim(`${username} · talking to ${pid} · ? shows the keys`)}`;
  if (!isNew) return [head];
  if (rows < ROOMY_ROWS) return inShort(about, theme);
  const aside = columns >= TRY_COLUMNS + 50;
  const tries = TRIES.flatMap(([line, why]) =>
    aside ? [`  ${line.padEnd(TRY_COLUMNS)}${theme.dim(why)}`] : [`  ${line}`, `    ${theme.dim(why)}`],
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
