// A line failed in gsv's shell because a program or file exists only on this computer: a hint says how to reach it. Only looks, and only after
// a failure.

import type { Io } from "../../commands/command.ts";
import type { Thing } from "../../commands/files/copy/side.ts";
import { simpleWords } from "../line/simple.ts";

export interface FailedLine {
  readonly text: string;
  readonly status: number;
  readonly cwd: string;
  readonly pid: string;
}

const NOT_FOUND = 127;
const INTERRUPTED = 130;
const WORDS_MAX = 8;

/** null if there is no hint. */
export async function elsewhere({ text, status, cwd, pid }: FailedLine, io: Io): Promise<string | null> {
  const [program = "", ...rest] = (status === 0 || status === INTERRUPTED ? null : simpleWords(text)) ?? [];
  if (program === "" || program === "gsv") return null;
  if (status === NOT_FOUND) return `To run it on this computer: ! ${text.trim()}`;
  for (const word of rest.filter((each) => !each.startsWith("-") && !each.includes(":")).slice(0, WORDS_MAX)) {
    const thing = await onThisComputer(word, io);
    if (thing === null || word.startsWith("~") || (await isInGsv(within(cwd, word), io))) continue;
    if (program !== "cd") return `${word} is on this computer. To run it there: ! ${text.trim()}`;
    return thing.kind === "directory" ? await toDirectory(word, thing.real, pid, io) : null;
  }
  return null;
}

function within(cwd: string, path: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}

async function onThisComputer(word: string, io: Io): Promise<Thing | null> {
  try {
    return await (await io.host()).look(word, { follow: true });
  } catch {
    return null;
  }
}

async function isInGsv(path: string, io: Io): Promise<boolean> {
  return await io
    .sys()
    .call("fs.stat", { path })
    .then(
      () => true,
      () => false,
    );
}

interface Workspaces {
  readonly workspaces: readonly { readonly id: string; readonly directory: string | null }[];
}

async function toDirectory(word: string, real: string, pid: string, io: Io): Promise<string> {
  const { workspaces } = await io
    .sys()
    .call<Workspaces>("workspace.list", {})
    .catch(() => ({ workspaces: [] }));
  const known = workspaces.find(({ directory }) => directory === real);
  if (known !== undefined) return `This directory is on this computer. In gsv: cd /workspaces/${known.id}`;
  const named = word.includes("/") || word === "." ? word : `./${word}`;
  return `To let your agent work there: workspace attach ${named} --pid ${pid}`;
}
