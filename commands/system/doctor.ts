// `gsv doctor` and `gsv fsck`: problems of a home, one line each, with the fix. Neither needs a kernel, and both change nothing by default. On a
// narrow terminal the fix is on the next line.

import type { FailureClass } from "../../src/abi/stream.ts";
import type { Finding } from "../../src/doctor/examine.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { displayWidth } from "../../src/lib/text/truncate.ts";
import { wrapWords } from "../../src/lib/text/wrap.ts";
import { field } from "../../src/syscalls/define.ts";
import type { ModelTrial } from "../../src/syscalls/run/ai.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine, note } from "../io/status.ts";

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
  if (args.provider) return print(io, [explained(await io.sys().call<ModelTrial>("ai.test", {}))], json);
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
  const margins = { first: start, rest: " ".repeat(start.length) };
  const line = stdout.isTTY ? wrapWords(reveal(what), stdout.columns, margins).join("\n") : `${start}${reveal(what)}`;
  if (fix === undefined) return `${line}\n`;
  const beside = `${line} → ${reveal(fix)}`;
  if (!stdout.isTTY || (!line.includes("\n") && displayWidth(beside) <= stdout.columns)) return `${beside}\n`;
  return `${line}\n${" ".repeat(start.length)}→ ${reveal(fix)}\n`;
}

/** How to fix a failure of a provider at an address. */
const FIXES: { readonly [C in FailureClass]: (provider: string, address: string) => string } = {
  throttle: () => "wait: runs retry automatically",
  quota: (provider) => `the account at ${provider} has no credit or reached a limit: see its console`,
  outage: (provider) => `${provider} has an outage: try again later, or set another model in ai.fallback`,
  network: (_, address) => `no model server at ${address}: check the network, the proxy and the address`,
  timeout: (_, address) => `${address} accepts connections but does not answer: try again, or a smaller model`,
  config: () => "gsv config list -v ai shows what is set, and where",
  auth: (provider) => `gsv auth provider ${provider} keeps a key; a variable of the environment wins over it`,
  model: (provider) => `gsv models --provider ${provider} lists the models it has`,
  server: (_, address) => `check the address ${address}: gsv config list -v baseUrls`,
  request: (provider) => `gsv models --provider ${provider} lists the models it has`,
  overflow: () => "the context of the model is too small: choose another",
  protocol: (_, address) => `${address} uses another API: set ai.providerStyle to responses or chat`,
  content: () => "the model works but declined to answer",
};

function explained({ model, address, ms, failure, usage }: ModelTrial): Finding {
  const [provider = model] = model.split(/[/:]/);
  const where = address === null ? "" : ` at ${address}`;
  if (failure !== null) {
    const what = `${model}${where}: ${failure.message} (${failure.class})`;
    return { check: "provider", level: "problem", what, fix: FIXES[failure.class](provider, address ?? provider) };
  }
  const tokens = usage === null ? "" : `, ${usage.input + usage.cacheRead} tokens in and ${usage.output} out`;
  return { check: "provider", level: "ok", what: `${model}${where} answered in ${ms} ms${tokens}` };
}
