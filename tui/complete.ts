// What TAB makes of a line: words of gsv's commands by their declarations, programs, pids, and paths of gsv's files as they stand from the
// shell's directory. It looks, and starts nothing; where it cannot look there is nothing to offer.

import type { Io } from "../commands/command.ts";
import { completionOf } from "../commands/complete.ts";
import { reveal } from "../src/lib/sanitize.ts";
import type { EntryPage } from "../src/syscalls/file-tree.ts";

export interface Completed {
  /** Where in the text the word begins. */
  readonly from: number;
  readonly candidates: readonly string[];
}

export interface CompletePlace {
  readonly io: Io;
  readonly cwd: string;
  readonly home: string;
  /** Everything that can be the first word of a line. */
  readonly programs: () => readonly string[];
}

const CANDIDATES_MAX = 200;

/** `text` is what stands before the cursor. */
export async function complete(text: string, isForShell: boolean, place: CompletePlace): Promise<Completed> {
  const statement = /(?:^|[|;&(\n])\s*(?<rest>[^|;&(\n]*)$/.exec(text)?.groups?.rest ?? "";
  const words = statement.split(/\s+/);
  const current = words.pop() ?? "";
  const from = text.length - current.length;
  const before = words.filter((word) => word !== "" && word !== "gsv");
  const found = await candidates({ before, current, isForShell, place });
  return { from, candidates: [...new Set(found)].filter((each) => reveal(each) === each).slice(0, CANDIDATES_MAX) };
}

async function candidates(asked: {
  readonly before: readonly string[];
  readonly current: string;
  readonly isForShell: boolean;
  readonly place: CompletePlace;
}): Promise<readonly string[]> {
  const { before, current, isForShell, place } = asked;
  if (current.startsWith("@")) return (await paths(current.slice(1), place)).map((path) => `@${path}`);
  if (/^(?:init|task):/.test(current)) return pids(current, place);
  if (before.length === 0) {
    const slash = current.startsWith("/") ? "/" : "";
    const named = place
      .programs()
      .filter((name) => name.startsWith(current.slice(slash.length)))
      .map((name) => `${slash}${name} `);
    if (current === "" || (named.length > 0 && !current.slice(1).includes("/"))) return current === "" ? [] : named;
    return paths(current, place);
  }
  const { candidates: offered, files } = await completionOf(before, current, place.io);
  const ours = offered.map(({ value }) => `${value}${/[=/]$/.test(value) ? "" : " "}`);
  if (ours.length > 0 && !files) return ours;
  return isForShell || /[/~.]/.test(current) ? [...ours, ...(await paths(current, place))] : ours;
}

async function pids(current: string, { io }: CompletePlace): Promise<readonly string[]> {
  const { processes } = await io.sys().call<{ processes: readonly { pid: string }[] }>("proc.list", {});
  return processes.map(({ pid }) => `${pid} `).filter((pid) => pid.startsWith(current));
}

async function paths(current: string, { io, cwd, home }: CompletePlace): Promise<readonly string[]> {
  const slash = current.lastIndexOf("/");
  const [folder, name] = [current.slice(0, slash + 1), current.slice(slash + 1)];
  if (current === "~") return ["~/"];
  const path =
    folder === ""
      ? cwd
      : folder.startsWith("/")
        ? folder
        : folder.startsWith("~/")
          ? home + folder.slice(1)
          : `${cwd}/${folder}`;
  try {
    const { entries } = await io.sys().call<EntryPage>("fs.list", { path });
    return entries
      .filter((entry) => entry.name.startsWith(name) && (name !== "" || !entry.name.startsWith(".")))
      .map((entry) => `${folder}${quotedAsTyped(entry.name)}${entry.kind === "directory" ? "/" : " "}`);
  } catch {
    return [];
  }
}

function quotedAsTyped(name: string): string {
  return name.replace(/[\s'"\\$`|&;()<>*?[\]{}!#~]/g, "\\$&");
}
