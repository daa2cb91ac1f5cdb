// Chooses the process at the start: that of the directory where gsv was started, after you have allowed it once, else your init. The
// question is one card, answered with one key.

import type { Io } from "../commands/command.ts";
import { foundIn } from "../commands/found-here.ts";
import { findHere, type Here, nameOf, type ProcessHere, processHere } from "../commands/here.ts";
import { pidNamed } from "../commands/proc/process-names.ts";
import { messageOf } from "../src/abi/errno.ts";
import { shortPath } from "../src/lib/short-path.ts";
import { reveal } from "../src/lib/text/sanitize.ts";
import { wrapWords } from "../src/lib/text/wrap.ts";
import type { Spawned } from "../src/syscalls/services.ts";
import { IGNORED_MS } from "./cards/cards.ts";
import type { AppPorts } from "./ports.ts";
import type { Theme } from "./screen/theme.ts";
import { processName } from "./state/process.ts";
import type { Directory } from "./state/state.ts";

export interface Start {
  /** null: the init. */
  readonly pid: string | null;
  /** The shell's directory in gsv; null: the account's home. */
  readonly cwd: string | null;
  readonly here: Directory | null;
  /** One line for the transcript. */
  readonly note: string | null;
  /** ctrl-c or ctrl-d instead of an answer. */
  readonly leaves?: true;
  readonly typed: readonly Uint8Array[];
}

type Answer = "yes" | "not-now" | "never" | "leave";

const ANSWERS: { readonly [key: string]: Answer } = {
  y: "yes",
  n: "not-now",
  d: "never",
  "\x1b": "not-now",
  "\x03": "leave",
  "\x04": "leave",
};
const AT_INIT: Start = { pid: null, cwd: null, here: null, note: null, typed: [] };

export async function startPlace(io: Io, ports: AppPorts): Promise<Start> {
  const { skipped } = ports;
  if (ports.to?.pid !== undefined) return { ...AT_INIT, pid: await pidNamed(io, ports.to.pid) };
  if (ports.to != null || skipped === undefined) return AT_INIT;
  const here = await findHere(io);
  if (here === null) return AT_INIT;
  const known = await processHere(io, here.directory).catch(() => null);
  const short = reveal(shortPath(here.directory, io.env.HOME));
  if (known !== null) {
    const name = processName(known.process);
    const named = name === nameOf(here.directory) ? [] : [reveal(name)];
    const note = [`Working in ${short}`, ...named, "gsv --init talks to your init"].join(" · ");
    return { ...placed(known, here, io), note, typed: [] };
  }
  if (skipped.has(here.directory)) return AT_INIT;
  const found = await foundIn(io, here.directory);
  const { answer, typed } = await ask(io, ports, { short, found });
  if (answer === "leave") return { ...AT_INIT, leaves: true };
  if (answer === "never") skipped.add(here.directory);
  if (answer !== "yes") return { ...AT_INIT, typed };
  try {
    const request = { label: nameOf(here.directory), workspace: here.directory };
    const { pid } = await io.sys().call<Spawned>("proc.spawn", request);
    const made = await processHere(io, here.directory);
    const at = made === null ? { ...AT_INIT, pid } : placed(made, here, io);
    return { ...at, note: `Working in ${short}`, typed };
  } catch (error) {
    return { ...AT_INIT, note: `Cannot work in ${short}: ${reveal(messageOf(error))}`, typed };
  }
}

export function startedAt(ports: AppPorts, { pid, note, typed }: Start): AppPorts {
  return {
    ...ports,
    to: pid === null ? (ports.to ?? null) : { pid, readOnly: ports.to?.readOnly ?? false },
    words: note === null ? ports.words : [...ports.words, note],
    early: () => [...ports.early(), ...typed],
  };
}

function placed({ process, workspace }: ProcessHere, { directory, below }: Here, { env }: Io) {
  const at = `/workspaces/${workspace.id}`;
  const here: Directory = { at, real: directory, short: shortPath(directory, env.HOME) };
  return { pid: process.pid, cwd: below === "" ? at : `${at}/${below}`, here };
}

interface Shown {
  readonly short: string;
  /** What the directory holds that tells agents what to do or runs by itself. */
  readonly found: readonly string[];
}

async function ask(io: Io, { terminal, theme }: AppPorts, shown: Shown) {
  const lines = cardLines(shown, terminal.columns, theme);
  const typed: Uint8Array[] = [];
  const since = io.clock.mono();
  terminal.write(`\r\x1b[J${lines.join("\r\n")}`);
  const answer = await new Promise<Answer>((resolve) => {
    terminal.take((bytes) => {
      const given = ANSWERS[Buffer.from(bytes).toString("latin1")];
      const isSoon = io.clock.mono() - since < IGNORED_MS;
      if (given !== undefined && (!isSoon || given === "leave")) resolve(given);
      else if (isSoon) typed.push(bytes);
    });
  });
  // Keys from now on are for the prompt.
  terminal.take((bytes) => typed.push(bytes));
  terminal.write(`\r${"\x1b[A".repeat(lines.length - 1)}\x1b[J`);
  return { answer, typed };
}

function cardLines({ short, found }: Shown, columns: number, theme: Theme): readonly string[] {
  const bar = theme.you("┃");
  const width = Math.min(columns, 80) - 3;
  const says = [
    "Your agent may read and search the files here and answer about them.",
    "Edits, deletions and commands ask you first. Your git repository stays yours.",
    ...(found.length === 0
      ? []
      : [`Found: ${found.join(", ")}. Nothing of it runs or instructs agents unless you allow it.`]),
  ];
  const keys = [
    ["y", "work here"],
    ["n", "not now"],
    ["d", "do not ask here again"],
  ].map(([key, does]) => `${theme.bold(key ?? "")} ${does}`);
  return [
    `${bar} ${theme.bold(`Work in ${short}?`)}`,
    ...says.flatMap((text) => wrapWords(text, width)).map((line) => `${bar} ${line}`),
    bar,
    `${bar} ${keys.join("   ")}`,
  ];
}
