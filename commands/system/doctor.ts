// `gsv doctor` and `gsv fsck`: problems of a home, one line each, with the fix. Neither needs a kernel, and both change nothing by default. On a
// narrow terminal the fix is on the next line.

import type { Finding } from "../../src/doctor/examine.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { displayWidth } from "../../src/lib/text/truncate.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine, note } from "../io/status.ts";
import { tryProvider } from "./doctor-provider.ts";

const doctorSpec = {
  name: "doctor",
  summary: "Check gsv for problems",
  input: {
    checks: field.optional(field.words("checks to run (default: all)", { positional: true, meta: "CHECK..." })),
    fix: field.flag("fix safe problems"),
    provider: field.flag("only test the model with one short request"),
  },
  examples: ["gsv doctor", "gsv doctor --fix", "gsv doctor --provider", "gsv doctor databases disk"],
  notes: [
    [
      "Works without a kernel and on a broken home. A problem needs fixing; a notice does not. --fix corrects",
      "file modes and removes leftovers of a crashed kernel: its socket, lock name and partial files.",
      "Exit status: 0 for no problems, else 1.",
    ].join("\n"),
  ],
};

export const doctor: Command = command(doctorSpec, async ({ args, json }, io) => {
  if (args.provider) return print(io, [await tryProvider(io)], json);
  const found = await (await io.machine.doctor()).examine({ checks: args.checks ?? [], fix: args.fix ?? false });
  return print(io, found, json);
});

const fsckSpec = {
  name: "fsck",
  summary: "Verify all stored data",
  input: {
    repair: field.flag("repair damage; needs a stopped kernel"),
  },
  examples: ["gsv fsck", "gsv kernel stop; gsv fsck --repair"],
  notes: [
    [
      "Reads every database, archive and file. --repair rebuilds indexes, copies the state of processes",
      "to kernel.db again, and moves orphaned files to quarantine/. Nothing is deleted.",
      "Exit status: 0 for no problems left, else 1; 75 if --repair finds a running kernel.",
    ].join("\n"),
  ],
};

export const fsck: Command = command(fsckSpec, async ({ args, json }, io) => {
  const found = await (await io.machine.doctor()).fsck({ repair: args.repair ?? false });
  return print(io, found, json);
});

async function print(io: Io, found: readonly Finding[], json: boolean): Promise<number> {
  const problems = found.filter((finding) => finding.level === "problem").length;
  if (json) await io.stdout.write(found.map((finding) => jsonLine(finding)).join(""));
  else {
    await io.stdout.write(linesOf(io, found));
    await note(io, problems === 0 ? "no problem found" : `${problems} ${problems === 1 ? "problem" : "problems"}`);
  }
  return problems === 0 ? 0 : 1;
}

function linesOf(io: Io, found: readonly Finding[]): string {
  const widths = [
    Math.max(0, ...found.map((finding) => finding.level.length)),
    Math.max(0, ...found.map((finding) => finding.check.length)),
  ] as const;
  return found.map((finding) => lineOf(io, finding, widths)).join("");
}

function lineOf({ stdout }: Io, { level, check, what, fix }: Finding, widths: readonly [number, number]): string {
  const start = `${level.padEnd(widths[0])}  ${check.padEnd(widths[1])}  `;
  const line = `${start}${reveal(what)}`;
  if (fix === undefined) return `${line}\n`;
  const beside = `${line} → ${reveal(fix)}`;
  if (!stdout.isTTY || displayWidth(beside) <= stdout.columns) return `${beside}\n`;
  return `${line}\n${" ".repeat(start.length)}→ ${reveal(fix)}\n`;
}
