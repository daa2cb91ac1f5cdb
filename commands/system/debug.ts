// `gsv debug`: shows the crash record of a failed run. Read-only.

import { coreInstant } from "../../src/abi/process/crash.ts";
import { field, type Print } from "../../src/syscalls/define.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { printResult, printText } from "../print.ts";
import { coreField, coreNamed, coreNames, type NamedCore } from "./core.ts";
import { coreText, whyText } from "./core-text.ts";

const LISTED_MAX = 50;

const spec = {
  name: "debug",
  summary: "Show why a run failed",
  input: {
    core: coreField,
    list: field.flag("list crash records, newest first", { letter: "l" }),
  },
  examples: ["gsv debug", "gsv debug task:abc123", "gsv debug --list", "gsv debug ./core.json --json"],
  notes: [
    "Each failed run leaves a record in /var/crash, without secrets. retention.crashes and retention.crashDays limit how many are kept.",
  ],
} as const;

export const debug = command(spec, async ({ args, json }, io) => {
  if (args.list === true) {
    const names = (await coreNames(io)).slice(0, LISTED_MAX);
    const cores: NamedCore[] = [];
    for (const name of names) {
      const found = await coreNamed(io, name).catch(() => null);
      if (found !== null) cores.push(found);
    }
    await printResult(io, LIST, { cores }, json);
    return 0;
  }
  const { name, core } = await coreNamed(io, args.core);
  await printText(io.stdout, json ? jsonLine({ name, ...core }) : coreText(name, core));
  return 0;
});

const LIST = {
  kind: "table",
  rows: ({ cores }: { readonly cores: readonly NamedCore[] }) =>
    cores.map(({ name, core }) => ({
      ...{ name, pid: core.pid, at: coreInstant(name) ?? core.at, reason: core.run.reason, error: core.run.error },
    })),
  empty: "(no failed runs)",
  columns: [
    { head: "NAME", cell: ({ name }: { name: string }) => name },
    { head: "AGE", since: ({ at }: { at: number }) => at, align: "right" },
    { head: "WHY", cell: ({ reason }: { reason: string }) => whyText(reason) },
    { head: "ERROR", cell: ({ error }: { error: string }) => error, shrink: true },
  ],
} as Print<never>;
