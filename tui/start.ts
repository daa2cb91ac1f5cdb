// Chooses the process at the start: that of the directory where gsv was started, after you have allowed it once, else your init. The
// question is one card, answered with one key.

import type { Io } from "../commands/command.ts";
import { foundIn, MCP_FILE } from "../commands/found-here.ts";
import { findHere, nameOf, type ProcessHere, processHere } from "../commands/here.ts";
import { pidNamed } from "../commands/proc/process-names.ts";
import { messageOf } from "../src/abi/errno.ts";
import { processName } from "../src/abi/process/process-name.ts";
import { shortPath } from "../src/lib/short-path.ts";
import { reveal } from "../src/lib/text/sanitize.ts";
import type { Spawned } from "../src/syscalls/services.ts";
import type { AppPorts } from "./ports.ts";
import { askCard, cardLines } from "./start-card.ts";
import { startModel } from "./start-model.ts";
import type { Directory } from "./state/state.ts";

export interface Start extends Omit<Place, "note"> {
  /** Lines for the transcript. */
  readonly notes: readonly string[];
}

interface Place {
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

type Answer = "yes" | "not-now" | "never";

const ANSWERS: { readonly [key: string]: Answer } = {
  y: "yes",
  n: "not-now",
  d: "never",
  "\x1b": "not-now",
};
const AT_INIT: Place = { pid: null, cwd: null, here: null, note: null, typed: [] };

/** First the model, then the process. */
export async function startOf(io: Io, ports: AppPorts): Promise<Start> {
  const model = await startModel(io, ports);
  if (model.leaves) return { ...AT_INIT, notes: [], leaves: true };
  const place = await startPlace(io, ports);
  const notes = [model.note, place.note].filter((note) => note !== null);
  return { ...place, notes, typed: [...model.typed, ...place.typed] };
}

async function placeAsked(io: Io, { to }: AppPorts): Promise<Place> {
  return to?.pid === undefined ? AT_INIT : { ...AT_INIT, pid: await pidNamed(io, to.pid) };
}

async function startPlace(io: Io, ports: AppPorts): Promise<Place> {
  const { skipped } = ports;
  const server = await io.remotes.current();
  if (server !== null) {
    const where = server.url.includes(server.name)
      ? reveal(server.url)
      : `${reveal(server.name)} (${reveal(server.url)})`;
    return { ...(await placeAsked(io, ports)), note: `On ${where}, with the files of that computer` };
  }
  if (ports.to?.pid !== undefined) return await placeAsked(io, ports);
  if (ports.to != null || skipped === undefined) return AT_INIT;
  const here = await findHere(io);
  if (here === null) return AT_INIT;
  const known = await processHere(io, here).catch(() => null);
  if (known !== null) {
    const name = processName(known.process);
    const named = name === nameOf(known.directory) ? [] : [reveal(name)];
    const working = `Working in ${reveal(shortPath(known.directory, io.env.HOME))}`;
    const note = [working, ...named, "gsv --init talks to your init"].join(" · ");
    return { ...(await placed(known, io)), note, typed: [] };
  }
  const short = reveal(shortPath(here.directory, io.env.HOME));
  if (skipped.has(here.directory)) return AT_INIT;
  const found = await foundIn(io, here.directory);
  const { answer, typed } = await ask(io, ports, { short, found });
  if (answer === null) return { ...AT_INIT, leaves: true };
  if (answer === "never") skipped.add(here.directory);
  if (answer !== "yes") return { ...AT_INIT, typed };
  try {
    const request = { label: nameOf(here.directory), workspace: here.directory };
    const { pid } = await io.sys().call<Spawned>("proc.spawn", request);
    const made = await processHere(io, here);
    const at = made === null ? { ...AT_INIT, pid } : await placed(made, io);
    const { holdServers } = await import("../commands/links/mcp-import/import.ts");
    const held = found.includes(MCP_FILE) ? await holdServers(io, here.directory) : null;
    return { ...at, note: [`Working in ${short}`, ...(held === null ? [] : [held])].join(" · "), typed };
  } catch (error) {
    return { ...AT_INIT, note: `Cannot work in ${short}: ${reveal(messageOf(error))}`, typed };
  }
}

export function startedAt(ports: AppPorts, { pid, notes, typed }: Start): AppPorts {
  return {
    ...ports,
    to: pid === null ? (ports.to ?? null) : { pid, readOnly: ports.to?.readOnly ?? false },
    words: [...ports.words, ...notes],
    early: () => [...ports.early(), ...typed],
  };
}

async function placed({ process, workspace, directory, below }: ProcessHere, io: Io) {
  const at = `/workspaces/${workspace.id}`;
  const leadsThere = await io
    .sys()
    .call<{ path: string }>("fs.stat", { path: directory })
    .then(
      ({ path }) => path === at,
      () => false,
    );
  const cwd = leadsThere ? directory : at;
  const here: Directory = { at, cwd, real: directory, short: shortPath(directory, io.env.HOME) };
  return { pid: process.pid, cwd: below === "" ? cwd : `${cwd}/${below}`, here };
}

interface Shown {
  readonly short: string;
  /** What the directory holds that tells agents what to do or runs by itself. */
  readonly found: readonly string[];
}

function ask(io: Io, ports: AppPorts, { short, found }: Shown) {
  const { terminal, theme } = ports;
  const keys = [
    ["y", "work here"],
    ["n", "not now"],
    ["d", "do not ask here again"],
  ].map(([key, does]) => `${theme.bold(key ?? "")} ${does}`);
  const rows = [
    theme.bold(`Work in ${short}?`),
    "Your agent may read and search the files here and answer about them.",
    "Edits, deletions and commands ask you first. Your git repository stays yours.",
    ...(found.length === 0
      ? []
      : [`Found: ${found.join(", ")}. Nothing of it runs or instructs agents unless you allow it.`]),
    null,
    keys.join("   "),
  ];
  return askCard(io, ports, cardLines(rows, terminal.columns, theme), (key) => ANSWERS[key]);
}
