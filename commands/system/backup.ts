// `gsv backup FILE`, `gsv restore FILE` and `gsv df`: back up, restore and measure a home.

import type { BackupCounts, BackupMade, BackupRestored, HomeUsage, Usage } from "../../src/abi/backup.ts";
import { SysError } from "../../src/abi/errno.ts";
import { sizeText } from "../../src/lib/text/size.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { printText } from "../print.ts";

export const backup = command(
  {
    name: "backup",
    summary: "Back up the home to one file",
    input: {
      file: field.text("file to write; .gz or .tgz compresses it", {
        positional: true,
        meta: "FILE",
        shortest: 1,
      }),
      force: field.flag("overwrite an existing file"),
    },
    examples: ["gsv backup ~/gsv.tar", "gsv backup --force ~/gsv.tar.gz"],
    notes: [
      "A backup contains processes, histories, archives, files and accounts, but no secrets, logs or quarantined databases.\nYou can keep working meanwhile.",
    ],
  },
  async ({ args, json }, io) => {
    if (args.file === "-")
      throw new SysError("EUSAGE", "cannot write a backup to stdout", ["for example: gsv backup ~/gsv.tar.gz"]);
    const made = await io.keep.backup(args.file, { force: args.force ?? false });
    await say(io, json, made, madeText(made));
    return warn(io, made.faults, "skipped, because it is damaged");
  },
);

export const restore = command(
  {
    name: "restore",
    summary: "Restore a backup",
    input: {
      file: field.text("file that gsv backup wrote", { positional: true, meta: "FILE", shortest: 1 }),
      force: field.flag("replace the current home, which is saved in backup/"),
    },
    examples: ["gsv restore ~/gsv.tar", "gsv restore --force ~/gsv.tar"],
    notes: ["The backup is checked completely before anything changes. Stop the kernel first: gsv kernel stop."],
  },
  async ({ args, json }, io) => {
    const restored = await io.keep.restore(args.file, { force: args.force ?? false });
    await say(io, json, restored, restoredText(restored));
    return warn(io, restored.faults, "not in the backup, because it was damaged");
  },
);

export const df = command(
  {
    name: "df",
    summary: "Show disk usage of the home",
    // A habit; sizes always have a unit.
    input: { human: field.flag("sizes such as 1.5K (the default)", { letter: "h", flag: "human-readable" }) },
    examples: ["gsv df", "gsv df --json"],
  },
  async ({ json }, io) => {
    const usage = await io.keep.usage();
    if (json) for (const row of [...usage.rows, totalOf(usage)]) await io.stdout.write(jsonLine(row));
    else await printText(io.stdout, usageText(usage));
    return 0;
  },
);

async function say(io: Io, json: boolean, value: object, text: string): Promise<void> {
  if (json) await io.stdout.write(jsonLine(value));
  else await printText(io.stdout, text);
}

/** Exit status 1 if something was skipped. */
async function warn(io: Io, faults: readonly string[], what: string): Promise<number> {
  for (const fault of faults) await printText(io.stderr, `gsv: ${what}: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

function madeText({ file, bytes, counts }: BackupMade): string {
  return `${file} (${sizeText(bytes)}): ${countsText(counts)}`;
}

function restoredText({ home, madeAt, counts, replaced }: BackupRestored): string {
  return [
    `restored ${home} as of ${new Date(madeAt).toISOString()}: ${countsText(counts)}`,
    ...(replaced === null ? [] : [`the previous home is in ${replaced}`]),
    "set your secrets again: a backup has none",
  ].join("\n");
}

function countsText({ processes, messages, archives, files }: BackupCounts): string {
  return [
    plural(processes, "process", "processes"),
    plural(messages, "message", "messages"),
    plural(archives, "archive", "archives"),
    plural(files, "file", "files"),
  ].join(", ");
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function usageText(usage: HomeUsage): string {
  const rows = [...usage.rows, totalOf(usage)].map(({ kind, name, bytes, count }) => [
    sizeText(bytes),
    String(count),
    kind,
    name,
  ]);
  const width = (at: number) => Math.max(...rows.map((row) => row[at]?.length ?? 0));
  const [sizes, counts, kinds] = [width(0), width(1), width(2)];
  return [
    ...rows.map(
      ([size = "", count = "", kind = "", name = ""]) =>
        `${size.padStart(sizes)}  ${count.padStart(counts)}  ${kind.padEnd(kinds)}  ${name}`,
    ),
    `${sizeText(usage.freeBytes)} free on this disk`,
  ].join("\n");
}

function totalOf({
  home,
  usedBytes,
  freeBytes,
  rows,
}: HomeUsage): Omit<Usage, "kind"> & { kind: string; freeBytes: number } {
  return {
    kind: "total",
    name: home,
    bytes: usedBytes,
    count: rows.reduce((sum, row) => sum + row.count, 0),
    freeBytes,
  };
}
