// `gsv perf PID`: tokens, cost and time of a process by model, call, file and child. From usage, the syscall log and the process list.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { microsOf, usdText } from "../../src/abi/process/money.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { ProcessCaps } from "../../src/syscalls/account/account-service.ts";
import { field } from "../../src/syscalls/define.ts";
import type { TraceRow } from "../../src/syscalls/services.ts";
import type { UsageInfo, UsagePage } from "../../src/syscalls/system/spending.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { table } from "../io/table-layout.ts";
import { printText } from "../print.ts";
import { allProcesses } from "./process-names.ts";
import { type CallSum, summed, tookText } from "./trace-table.ts";

const FILES_SHOWN = 10;

const spec = {
  name: "perf",
  summary: "Show where tokens, money and time went",
  input: { pid: field.optional(field.pid("the process (default: your init)", { positional: true, meta: "PID" })) },
  examples: ["gsv perf", "gsv perf task:abc123", "gsv perf init:1000 --json"],
  notes: ["Calls and files come from the syscall log, which holds the newest thousand calls."],
} as const;

interface Spent {
  readonly models: readonly UsageInfo[];
  readonly calls: readonly CallSum[];
  readonly files: readonly FileSum[];
  readonly children: readonly Pick<ProcessInfo, "pid" | "label" | "costUsd" | "tokens">[];
}

interface FileSum {
  readonly path: string;
  readonly calls: number;
  readonly ms: number;
}

export const perf = command(spec, async ({ args, json }, io) => {
  const pid = args.pid ?? (await io.sys().call<ProcessCaps>("proc.caps", {})).pid;
  const spent = await spentBy(io, pid);
  await printText(io.stdout, json ? jsonLine({ pid, ...spent }) : textOf(io, spent));
  return 0;
});

async function spentBy(io: Io, pid: string): Promise<Spent> {
  const sys = io.sys();
  const { rows: models } = await sys.call<UsagePage>("proc.usage", { pid, by: "model" });
  const trace = await allCalls(io, pid);
  const children = descendants(await allProcesses(io), pid);
  return {
    models,
    calls: summed(trace),
    files: byFile(trace).slice(0, FILES_SHOWN),
    children: children.map(({ pid: child, label, costUsd, tokens }) => ({ pid: child, label, costUsd, tokens })),
  };
}

async function allCalls(io: Io, pid: string): Promise<readonly TraceRow[]> {
  const all: TraceRow[] = [];
  for (let [after, more] = [0, true]; more; ) {
    const { rows } = await io.sys().call<{ rows: TraceRow[] }>("proc.trace", { pid, after });
    all.push(...rows);
    after = rows.at(-1)?.id ?? after;
    more = rows.length === LIMITS.historyPageMax;
  }
  return all;
}

function descendants(all: readonly ProcessInfo[], pid: string): readonly ProcessInfo[] {
  const children = all.filter(({ parentPid }) => parentPid === pid);
  return children.flatMap((child) => [child, ...descendants(all, child.pid)]);
}

function byFile(trace: readonly TraceRow[]): readonly FileSum[] {
  const sums = new Map<string, FileSum>();
  for (const { args, ms } of trace) {
    const path = pathIn(args);
    if (path === null) continue;
    const { calls, ms: before } = sums.get(path) ?? { calls: 0, ms: 0 };
    sums.set(path, { path, calls: calls + 1, ms: before + ms });
  }
  return [...sums.values()].sort((left, right) => right.calls - left.calls || right.ms - left.ms);
}

/** The log contains JSON text, cut if it is long. */
function pathIn(args: string): string | null {
  const [, path] = /"path":("(?:[^"\\]|\\.)*")/.exec(args) ?? [];
  return path === undefined ? null : (JSON.parse(path) as string);
}

function textOf(io: Io, { models, calls, files, children }: Spent): string {
  const view = { width: io.stdout.isTTY ? io.stdout.columns : null, nowMs: io.clock.now() };
  const part = (columns: Parameters<typeof table>[0], rows: readonly object[]) =>
    rows.length === 0 ? [] : [table(columns, rows, view)];
  const parts = [
    ...part(
      [
        { head: "MODEL", cell: (row: UsageInfo) => row.key, shrink: true },
        { head: "TURNS", cell: (row: UsageInfo) => String(row.turns), align: "right" },
        { head: "TOKENS", cell: (row: UsageInfo) => String(row.input + row.output), align: "right" },
        { head: "COST", cell: (row: UsageInfo) => usdText(microsOf(row.costUsd)), align: "right" },
        { head: "TIME", cell: (row: UsageInfo) => tookText(row.runMs), align: "right" },
      ],
      models,
    ),
    ...part(
      [
        { head: "CALL", cell: (row: CallSum) => row.call },
        { head: "CALLS", cell: (row: CallSum) => String(row.calls), align: "right" },
        { head: "FAILED", cell: (row: CallSum) => String(row.errors), align: "right" },
        { head: "TIME", cell: (row: CallSum) => tookText(row.ms), align: "right" },
      ],
      calls,
    ),
    ...part(
      [
        { head: "FILE", cell: (row: FileSum) => row.path, shrink: true },
        { head: "CALLS", cell: (row: FileSum) => String(row.calls), align: "right" },
        { head: "TIME", cell: (row: FileSum) => tookText(row.ms), align: "right" },
      ],
      files,
    ),
    ...part(
      [
        { head: "CHILD", cell: (row: Spent["children"][number]) => row.pid },
        { head: "LABEL", cell: (row: Spent["children"][number]) => row.label ?? "-", shrink: true },
        { head: "TOKENS", cell: (row: Spent["children"][number]) => String(row.tokens), align: "right" },
        { head: "COST", cell: (row: Spent["children"][number]) => usdText(microsOf(row.costUsd)), align: "right" },
      ],
      children,
    ),
  ];
  return parts.length === 0 ? "(no usage and no calls)" : parts.join("\n");
}
