// `df`: free space on the disk of gsv's home, for any path.

import { options } from "../options.ts";
import { type Call, linesOf, phrase, text, Usage } from "../program.ts";
import { human } from "./human.ts";

export async function df(call: Call): Promise<number> {
  const { flags, operands } = options("df", call.args, {
    letters: "hkmaPTlx:t:",
    long: { "human-readable": "h", all: "a", portability: "P", "print-type": "T", local: "l" },
  });
  let status = 0;
  for (const name of operands)
    await call.files.stat(call.path(name)).catch((error: unknown) => {
      call.err(`df: ${name}: ${phrase(error)}\n`);
      status = 1;
    });
  if (status !== 0 && operands.length === 1) return status;
  const amounts = linesOf(await text(call, "/proc/disk").catch(unreadable)).map(
    (line) => Number(/\d+/.exec(line)?.[0] ?? 0) * 1024,
  );
  const [total = 0, free = 0] = amounts;
  const unit = flags.has("m") ? 1024 * 1024 : 1024;
  const shown = (bytes: number) => (flags.has("h") ? human(bytes) : String(Math.ceil(bytes / unit)));
  const used = `${total === 0 ? 0 : Math.ceil(((total - free) / total) * 100)}%`;
  const head = flags.has("h") ? "Size" : flags.has("m") ? "1M-blocks" : "1K-blocks";
  const rows = [
    ["Filesystem", ...(flags.has("T") ? ["Type"] : []), head, "Used", "Available", "Use%", "Mounted on"],
    ["gsv", ...(flags.has("T") ? ["gsv"] : []), shown(total), shown(total - free), shown(free), used, "/"],
  ];
  call.out(tableOf(rows));
  return status;
}

/** Text is left-aligned, numbers right-aligned. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const last = (rows[0]?.length ?? 1) - 1;
  const isText = (at: number) => at === 0 || at === last || rows[0]?.[at] === "Type";
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  const cell = (word: string, at: number) => {
    if (at === last) return word;
    return isText(at) ? word.padEnd(widths[at] ?? 0) : word.padStart(widths[at] ?? 0);
  };
  return rows.map((row) => `${row.map(cell).join(" ")}\n`).join("");
}

function unreadable(error: unknown): never {
  throw new Usage(`df: /proc/disk: ${phrase(error)}`);
}
