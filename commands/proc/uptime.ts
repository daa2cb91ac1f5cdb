// `gsv uptime` and `gsv w`: how long the kernel has been up and how busy it is; `w` adds the processes that do something or wait for something.

import { microsOf, usdText } from "../../src/abi/process/money.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import { wrapWords } from "../../src/lib/text/wrap.ts";
import { waitsForText } from "../../src/syscalls/format.ts";
import type { KernelStatus } from "../../src/syscalls/services.ts";
import type { UsagePage } from "../../src/syscalls/system/spending.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { ageText, table } from "../io/table-layout.ts";
import { printText } from "../print.ts";
import { allProcesses } from "./process-names.ts";

interface Look {
  readonly kernel: KernelStatus;
  readonly processes: readonly ProcessInfo[];
  readonly todayUsd: number;
}

async function look(io: Io): Promise<Look> {
  const sys = io.sys();
  const kernel = await sys.call<KernelStatus>("system.status", {});
  const { total } = await sys.call<UsagePage>("proc.usage", { by: "day", since: "today" });
  return { kernel, processes: await allProcesses(io), todayUsd: total.costUsd };
}

function headLine({ kernel, processes, todayUsd }: Look, now: number): string {
  const { running, startedAt, clients } = kernel;
  const busy = processes.filter(isBusy).length;
  const waiting = processes.filter(({ state }) => state === "waiting_hil").length;
  const up = running && startedAt !== null ? `up ${ageText(startedAt, now)}` : "no kernel is running";
  return [
    up,
    ...(running ? [count(clients, "client")] : []),
    `${count(processes.length, "process", "processes")}, ${busy} running`,
    ...(waiting > 0 ? [`${waiting} waiting for you`] : []),
    `${usdText(microsOf(todayUsd))} today`,
  ].join(", ");
}

function headLines({ stdout, clock }: Io, seen: Look): string {
  const line = headLine(seen, clock.now());
  return stdout.isTTY ? wrapWords(line, stdout.columns).join("\n") : line;
}

function count(many: number, one: string, several = `${one}s`): string {
  return `${many} ${many === 1 ? one : several}`;
}

function isBusy({ state }: ProcessInfo): boolean {
  return state === "running" || state === "waiting_tool" || state === "queued";
}

export const uptime: Command = command(
  {
    name: "uptime",
    summary: "Show uptime and load of the kernel",
    input: {},
    examples: ["gsv uptime"],
  },
  async ({ json }, io) => {
    const seen = await look(io);
    await printText(io.stdout, json ? jsonLine(recordOf(seen)) : headLines(io, seen));
    return 0;
  },
);

function recordOf({ kernel, processes, todayUsd }: Look) {
  const { running, startedAt, clients } = kernel;
  return {
    running,
    startedAt,
    clients,
    processes: processes.length,
    atWork: processes.filter(isBusy).length,
    todayUsd,
  };
}

export const w: Command = command(
  {
    name: "w",
    summary: "Show running processes and pending requests",
    input: {},
    examples: ["gsv w", "gsv w --json"],
  },
  async ({ json }, io) => {
    const seen = await look(io);
    const shown = seen.processes.filter(({ state }) => state !== "idle");
    if (json) {
      await io.stdout.write(shown.map((process) => jsonLine(process)).join(""));
      return 0;
    }
    const now = io.clock.now();
    await printText(io.stdout, headLines(io, seen));
    const width = io.stdout.isTTY ? io.stdout.columns : Number.MAX_SAFE_INTEGER;
    if (shown.length > 0) await io.stdout.write(table(COLUMNS, shown, { width, nowMs: now }));
    return 0;
  },
);

const COLUMNS = [
  { head: "RUN AS", cell: (row: ProcessInfo) => row.runAs },
  { head: "PID", cell: (row: ProcessInfo) => row.pid },
  { head: "STATE", cell: (row: ProcessInfo) => row.state },
  { head: "FOR", since: (row: ProcessInfo) => row.lastActiveAt ?? row.createdAt, align: "right" },
  { head: "COST", cell: (row: ProcessInfo) => usdText(microsOf(row.costUsd)), align: "right" },
  {
    head: "WHAT",
    cell: (row: ProcessInfo) => (row.waitsFor === null ? (row.label ?? "-") : waitsForText(row.waitsFor)),
    shrink: true,
  },
] as const;
