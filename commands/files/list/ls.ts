// `gsv ls`: what is in a directory. A directory costs one call; what is no directory shows as itself, before all directories.

import { base, join } from "../../../fs/path.ts";
import { SysError } from "../../../src/abi/errno.ts";
import { wantsColour } from "../../../src/lib/text/colour.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import { field } from "../../../src/syscalls/define.ts";
import type { FileEntry } from "../../../src/syscalls/fs/file-tree-service.ts";
import type { Command, Io } from "../../command.ts";
import { command } from "../../define.ts";
import { jsonLine } from "../../io/status.ts";
import { Problems } from "../problems.ts";
import { entriesOf, statOf } from "./entries.ts";
import { longForm, shortForm, type View } from "./ls-layout.ts";

const input = {
  paths: field.optional(
    field.paths("what to list; your home when left out", { positional: true, meta: "PATH...", of: "file" }),
  ),
  long: field.flag("mode, owner, group, size and time too", { letter: "l" }),
  all: field.flag("names that begin with a dot too", { letter: "a" }),
  directory: field.flag("a directory itself, not what is in it", { letter: "d" }),
  recursive: field.flag("everything below too", { letter: "R" }),
  human: field.flag("with -l, sizes as 1.5K", { letter: "h", flag: "human-readable" }),
  time: field.flag("newest first", { letter: "t" }),
  size: field.flag("biggest first", { letter: "S" }),
  reverse: field.flag("the other way round", { letter: "r" }),
  one: field.flag("one name a line", { letter: "1" }),
};

interface Listing {
  readonly path: string;
  readonly entries: readonly FileEntry[];
}

type Flags = { readonly [name: string]: unknown };

export const ls: Command = command(
  {
    name: "ls",
    summary: "List files and directories",
    input,
    examples: ["gsv ls", "gsv ls -l '~/notes'", "gsv ls -lt /proc"],
    notes: ["Paths are those inside gsv: quote ~, or your shell makes its own home of it."],
  },
  async ({ args, json }, io) => {
    const problems = new Problems(io, "ls", json);
    const files: FileEntry[] = [];
    const listings: Listing[] = [];
    for (const path of args.paths ?? ["."])
      await problems.attempt(path, () => look(io, path, args, { files, listings }));
    files.sort((left, right) => (left.name < right.name ? -1 : 1));
    const view = viewOf(io, args.human === true);
    const several = (args.paths ?? []).length > 1 || args.recursive === true;
    let before = files.length > 0;
    if (before) await print(io, { path: "", rows: sorted(files, args) }, { args, json, view });
    for (const first of listings) {
      for await (const listing of args.recursive ? below(io, first, args, problems) : [first]) {
        if (several && !json) await io.stdout.write(`${before ? "\n" : ""}${reveal(listing.path)}:\n`);
        await print(io, { path: listing.path, rows: visible(listing, args) }, { args, json, view });
        before = true;
        if (io.stdout.closed) return problems.status;
      }
    }
    return problems.status;
  },
);

async function look(
  io: Io,
  path: string,
  args: Flags,
  { files, listings }: { files: FileEntry[]; listings: Listing[] },
): Promise<void> {
  // As everywhere: with -l a link that is named shows as the link it is.
  if (args.directory !== true && !(args.long === true && !path.endsWith("/") && (await isLink(io, path)))) {
    try {
      listings.push({ path, entries: await entriesOf(io.sys(), path) });
      return;
    } catch (error) {
      if (!(error instanceof SysError) || error.code !== "ENOTDIR") throw error;
    }
  }
  files.push({ ...(await statOf(io.sys(), path, { link: true })), name: path });
}

async function isLink(io: Io, path: string): Promise<boolean> {
  return /[^./~]/.test(path) && (await statOf(io.sys(), path, { link: true })).kind === "symlink";
}

async function* below(io: Io, first: Listing, args: Flags, problems: Problems): AsyncGenerator<Listing> {
  const todo = [first];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    yield next;
    const { path } = next;
    const directories = visible(next, args).filter(({ kind }) => kind === "directory");
    const lists: Listing[] = [];
    for (const { name } of directories) {
      const where = join(path, name);
      const found = await problems.attempt(where, () => entriesOf(io.sys(), where));
      if (found !== null) lists.push({ path: where, entries: found });
    }
    todo.push(...lists.reverse());
  }
}

/** What was named shows whatever it is called. */
function visible({ entries }: Listing, args: Flags): FileEntry[] {
  return sorted(
    entries.filter(({ name }) => args.all === true || !name.startsWith(".")),
    args,
  );
}

function sorted(entries: readonly FileEntry[], args: Flags): FileEntry[] {
  const shown = [...entries];
  if (args.size === true) shown.sort((left, right) => right.size - left.size);
  if (args.time === true) shown.sort((left, right) => right.mtimeMs - left.mtimeMs);
  return args.reverse === true ? shown.reverse() : shown;
}

async function print(
  io: Io,
  { path, rows }: { readonly path: string; readonly rows: readonly FileEntry[] },
  { args, json, view }: { readonly args: Flags; readonly json: boolean; readonly view: View },
): Promise<void> {
  if (json) {
    const lines = rows.map((row) => {
      // What was named goes by the path it was named with.
      const own = path === "" ? { path: row.name, name: base(row.name) } : { path: join(path, row.name) };
      return jsonLine({ ...row, ...own });
    });
    return io.stdout.write(lines.join(""));
  }
  await io.stdout.write(args.long === true ? longForm(rows, view) : shortForm(rows, view, args.one === true));
}

export function viewOf(io: Io, human: boolean): View {
  const { isTTY, columns } = io.stdout;
  const colour = wantsColour(isTTY, io.env);
  return { width: isTTY ? columns : null, colour, nowMs: io.clock.now(), human };
}
