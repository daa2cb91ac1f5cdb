// `gsv tree`: draws a directory.

import { wantsColour } from "../../src/lib/text/colour.ts";
import { painted, visibleName } from "../../src/shell/programs/files/names-layout.ts";
import type { Look } from "../../src/shell/programs/program.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { type Walked, walk } from "./entries.ts";
import { Problems } from "./problems.ts";

const input = {
  path: field.optional(
    field.path("where to start (default: your home)", { positional: true, meta: "PATH", of: "file" }),
  ),
  levels: field.optional(field.int("maximum depth", { letter: "L", min: 1, max: 1000, meta: "N" })),
  all: field.flag("hidden names too", { letter: "a" }),
  directories: field.flag("directories only", { letter: "d" }),
};

export const tree: Command = command(
  {
    name: "tree",
    summary: "Show a directory as a tree",
    input,
    examples: ["gsv tree", "gsv tree -L 2 /proc"],
  },
  async ({ args, json }, io) => {
    const problems = new Problems(io, "tree", json);
    const top = args.path ?? ".";
    const depthMax = args.levels ?? Number.POSITIVE_INFINITY;
    const found: Walked[] = [];
    let hidden = Number.POSITIVE_INFINITY;
    for await (const each of walk({ sys: io.sys(), problems, depthMax }, top)) {
      // A hidden directory hides everything below it.
      if (each.depth > hidden) continue;
      const isHidden = each.depth > 0 && args.all !== true && each.entry.name.startsWith(".");
      hidden = isHidden ? each.depth : Number.POSITIVE_INFINITY;
      if (isHidden || (args.directories === true && each.entry.kind !== "directory")) continue;
      found.push(each);
    }
    await io.stdout.write(
      json
        ? found.map(({ path, depth, entry }) => jsonLine({ path, depth, ...entry })).join("")
        : drawing(found, top, lookOf(io)),
    );
    return problems.status;
  },
);

function lookOf({ stdout, env }: Io): Look {
  return {
    columns: stdout.isTTY ? stdout.columns : null,
    colour: wantsColour(stdout.isTTY, env),
    isoTimes: !stdout.isTTY,
  };
}

function drawing(found: readonly Walked[], top: string, look: Look): string {
  if (found.length === 0) return "";
  let text = "";
  let [directories, files] = [0, 0];
  const more = branches(found);
  for (const [at, { entry, depth }] of found.entries()) {
    const mode = Number.parseInt(entry.mode, 8);
    const name = painted({ ...entry, mode }, visibleName(depth === 0 ? top : entry.name, look), look);
    const arrow = entry.target === undefined ? "" : ` -> ${visibleName(entry.target, look)}`;
    text += `${more[at] ?? ""}${name}${arrow}\n`;
    if (depth === 0) continue;
    if (entry.kind === "directory") directories++;
    else files++;
  }
  const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
  return `${text}\n${counted(directories, "directory", "directories")}, ${counted(files, "file", "files")}\n`;
}

/** The lines before each name. Computed from the end, because only then is it known which branches continue. */
function branches(found: readonly Walked[]): string[] {
  const goesOn: boolean[] = [];
  const heads: string[] = [];
  for (let at = found.length - 1; at >= 0; at--) {
    const { depth } = found[at] as Walked;
    goesOn.length = depth + 1;
    let head = "";
    for (let level = 1; level < depth; level++) head += goesOn[level] ? "│   " : "    ";
    heads[at] = depth === 0 ? "" : `${head}${goesOn[depth] ? "├── " : "└── "}`;
    goesOn[depth] = true;
  }
  return heads;
}
