// `du`: disk usage of directories.

import { options } from "../options.ts";
import { type Call, entries, type Stat } from "../program.ts";
import { human } from "./human.ts";

const BLOCK = 4096;

export async function du(call: Call): Promise<number> {
  const { flags, operands } = options("du", call.args, {
    letters: "abchksmd:x0",
    long: { all: "a", bytes: "b", total: "c", "human-readable": "h", summarize: "s", "max-depth=": "d", null: "0" },
  });
  const depthMax = flags.has("s") ? 0 : flags.has("d") ? Number(flags.get("d")) : Number.POSITIVE_INFINITY;
  const sized = (bytes: number) =>
    flags.has("h")
      ? human(bytes)
      : flags.has("b")
        ? String(bytes)
        : String(Math.ceil(bytes / (flags.has("m") ? 1024 ** 2 : 1024)));
  const visit = async (name: string, depth: number, known?: Stat): Promise<number> => {
    const { kind, size } = known ?? (await call.files.lstat(call.path(name)));
    let bytes = flags.has("b") ? size : Math.ceil(size / BLOCK) * BLOCK;
    if (kind === "directory")
      for (const entry of await listed(name))
        bytes += await visit(`${name === "/" ? "" : name}/${entry.name}`, depth + 1, entry.stat);
    if (depth === 0 || (depth <= depthMax && (kind === "directory" || flags.has("a")))) printed(name, bytes);
    return bytes;
  };
  let [status, total] = [0, 0];
  const listed = (name: string) =>
    entries(call, name).catch((error: unknown) => {
      call.fail(error, (why) => `du: cannot read directory '${name}': ${why}`);
      status = 1;
      return [];
    });
  const printed = (path: string, bytes: number) =>
    call.row === null ? call.out(`${sized(bytes)}\t${path}${flags.has("0") ? "\0" : "\n"}`) : call.row({ path, bytes });
  for (const name of operands.length === 0 ? ["."] : operands) {
    try {
      total += await visit(name, 0);
    } catch (error) {
      call.fail(error, (why) => `du: cannot access '${name}': ${why}`);
      status = 1;
    }
  }
  if (flags.has("c")) printed("total", total);
  return status;
}
