// `gsv logs PID`: the newest messages of a process, or all since a time. -f continues from the number of the last message, so a kernel crash
// neither repeats nor skips any. --kernel prints the log of the kernel.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { ENDED_BY, SysError } from "../../src/abi/errno.ts";
import { isoTime, localTime } from "../../src/lib/text/days.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { field } from "../../src/syscalls/define.ts";
import { historyRows, messageLine, partsText } from "../../src/syscalls/format.ts";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import { usageError } from "../args.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { jsonLine, note } from "../io/status.ts";
import { printResult, printText } from "../print.ts";

/** Time between reads if no signal comes. */
const LOOK_MS = 5000;

const spec = {
  name: "logs",
  summary: "Print recent messages of a process",
  input: {
    pid: field.optional(field.pid("the process (default: your init)", { positional: true, meta: "PID" })),
    limit: field.optional(
      field.int(`number of messages (default ${LIMITS.historyPageDefault}, or all with --since)`, {
        min: 1,
        max: LIMITS.historyPageMax,
        letter: "n",
        meta: "N",
      }),
    ),
    since: field.optional(
      field.text("start time: today, yesterday, 10m, 2h or a date", {
        letter: "s",
        longest: 40,
        meta: "WHEN",
      }),
    ),
    follow: field.flag("new messages too, until ctrl-c", { letter: "f" }),
    kernel: field.flag("the log of the kernel"),
  },
  examples: [
    "gsv logs task:abc123",
    "gsv logs --since 2h task:abc123",
    "gsv logs -f --since today",
    "gsv logs --kernel --since 10m",
  ],
  notes: ["For older messages: gsv proc history."],
};

export const logs = command(spec, async ({ args: { follow: goesOn, kernel, ...args }, json }, io) => {
  if (kernel === true && args.pid !== undefined) throw usageError(spec, "--kernel and a process cannot be combined");
  if (goesOn === true && io.isScript === true)
    throw new SysError("EUSAGE", "logs -f never ends, so a script cannot wait for it", [
      kernel === true
        ? "outside a script: gsv logs -f --kernel"
        : "in a pipe it ends with the reader: logs -f PID | grep -m1 WORD",
    ]);
  if (kernel === true) {
    const { kernelLog } = await import("../system/kernel-log.ts");
    return kernelLog(io, { ...args, follow: goesOn === true, json });
  }
  const cursor = await (args.since !== undefined && args.limit === undefined ? allSince : newest)(io, args, {
    json,
    // Says nothing about an empty page, because messages may follow.
    goesOn: goesOn === true,
  });
  return goesOn === true ? follow(io, cursor, json) : 0;
});

interface LogQuery {
  readonly pid?: string | undefined;
  readonly limit?: number | undefined;
  readonly since?: string | undefined;
}

interface LogFormat {
  readonly json: boolean;
  readonly goesOn: boolean;
}

async function newest(io: Io, asked: LogQuery, { json, goesOn }: LogFormat): Promise<Cursor> {
  const { print } = (await declared("proc.history")).cli;
  const page = await io.sys().call<HistoryPage>("proc.history", { limit: LIMITS.historyPageDefault, ...asked });
  // A pager would delay new messages.
  const steady: Io = goesOn ? Object.create(io, { noPager: { value: true } }) : io;
  if (!goesOn || historyRows(page).length > 0) await printResult(steady, print, page, json);
  const last = page.messages.at(-1)?.id ?? (goesOn ? await lastOf(io, page.pid) : 0);
  return { pid: page.pid, afterSeq: last };
}

/** Page by page. */
async function allSince(io: Io, { pid, since }: LogQuery, { json, goesOn }: LogFormat): Promise<Cursor> {
  const limit = LIMITS.historyPageMax;
  const query = { ...(pid === undefined ? {} : { pid }), since, limit, afterSeq: 0 };
  const first = await io.sys().call<HistoryPage>("proc.history", query);
  const cursor = { pid: first.pid, afterSeq: first.messages.at(-1)?.id ?? 0 };
  if (first.messages.length === 0) {
    if (goesOn) return { ...cursor, afterSeq: await lastOf(io, first.pid) };
    await note(io, `(no messages since ${reveal(since ?? "")})`);
    return cursor;
  }
  await printMessages(io, first, json);
  if (first.hasMoreAfter) await printNew(io, cursor, json);
  return cursor;
}

async function lastOf(io: Io, pid: string): Promise<number> {
  const { messages } = await io.sys().call<HistoryPage>("proc.history", { pid, limit: 1 });
  return messages.at(-1)?.id ?? 0;
}

async function printMessages(io: Io, page: HistoryPage, json: boolean): Promise<void> {
  for (const message of historyRows(page)) {
    if (json) await io.stdout.write(jsonLine(message));
    else await printText(io.stdout, messageLine(message, io.stdout.isTTY ? localTime : isoTime));
  }
  const missing = partsText(page);
  if (missing !== null) await note(io, missing);
}

interface Cursor {
  readonly pid: string;
  afterSeq: number;
}

async function follow(io: Io, cursor: Cursor, json: boolean): Promise<number> {
  const { pid } = cursor;
  let status: number | null = null;
  let isOver = false;
  let wake = new AbortController();
  const release = io.onEnding((name) => {
    status ??= ENDED_BY[name];
    wake.abort();
  });
  const deaf = io.sys().on({ pid }, ({ name }) => {
    isOver ||= name === "process.exit";
    wake.abort();
  });
  try {
    while (status === null && !io.stdout.closed) {
      const wasOver = isOver;
      wake = new AbortController();
      if (!(await printNew(io, cursor, json)) || wasOver) {
        await note(io, `gsv: ${pid} has ended`);
        return 0;
      }
      if (status === null && !isOver) await io.clock.sleep(LOOK_MS, wake.signal);
    }
    return status ?? 0;
  } finally {
    deaf();
    release();
  }
}

/** Prints new messages. False if the process is gone. */
async function printNew(io: Io, cursor: Cursor, json: boolean): Promise<boolean> {
  const { pid } = cursor;
  try {
    for (let goesOn = true; goesOn && !io.stdout.closed; ) {
      const query = { pid, afterSeq: cursor.afterSeq, limit: LIMITS.historyPageMax };
      const page = await io.sys().call<HistoryPage>("proc.history", query);
      cursor.afterSeq = Math.max(cursor.afterSeq, page.messages.at(-1)?.id ?? 0);
      await printMessages(io, page, json);
      goesOn = page.hasMoreAfter;
    }
    return true;
  } catch (error) {
    if (error instanceof SysError && error.code === "ESRCH") return false;
    throw error;
  }
}
