// A line that failed in gsv's shell for want of something that this machine has: a program, or a file where gsv was started. Then one line
// says how it is reached. Looks only, and only after a failure.

import type { Io } from "../../commands/command.ts";
import type { Thing } from "../../commands/files/copy/side.ts";
import { simpleWords } from "./simple.ts";

export interface Failed {
  readonly text: string;
  readonly status: number;
  /** Where the shell stood, inside gsv. */
  readonly cwd: string;
  /** Whom one talks to. */
  readonly pid: string;
}

const NOT_FOUND = 127;
const INTERRUPTED = 130;
const WORDS_MAX = 8;

/** Null where there is nothing to say. */
export async function elsewhere({ text, status, cwd, pid }: Failed, io: Io): Promise<string | null> {
  const [program = "", ...rest] = (status === 0 || status === INTERRUPTED ? null : simpleWords(text)) ?? [];
  if (program === "" || program === "gsv") return null;
  if (status === NOT_FOUND) return `on this machine: ! ${text.trim()}`;
  for (const word of rest.filter((each) => !each.startsWith("-") && !each.includes(":")).slice(0, WORDS_MAX)) {
    const thing = await onMachine(word, io);
    if (thing === null || word.startsWith("~") || (await isInGsv(within(cwd, word), io))) continue;
    if (program !== "cd") return `${word} is on this machine: ! ${text.trim()}`;
    return thing.kind === "directory" ? await toDirectory(word, thing.real, pid, io) : null;
  }
  return null;
}

function within(cwd: string, path: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}

async function onMachine(word: string, io: Io): Promise<Thing | null> {
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
  if (known !== undefined) return `it is on this machine; here it is /workspaces/${known.id}`;
  const named = word.includes("/") || word === "." ? word : `./${word}`;
  return `for your agent to work there: workspace attach ${named} --pid ${pid}`;
}
