// `gsv logs PID`: the newest page of a process's history as text; with -f also what comes, from the number of the last message on, so that
// nothing is told twice or left out when a kernel dies meanwhile.

import { SysError } from "../src/abi/errno.ts";
import { LIMITS } from "../src/abi/limits.ts";
import { field } from "../src/syscalls/define.ts";
import { messageLine, partsText } from "../src/syscalls/format.ts";
import type { HistoryPage } from "../src/syscalls/services.ts";
import type { Interruption, Io } from "./command.ts";
import { command } from "./define.ts";
import { declared } from "./derive.ts";
import { jsonLine, note, printResult, printText } from "./print.ts";

const STATUS: { readonly [I in Interruption]: number } = { HUP: 129, INT: 130, TERM: 143 };
/** In any case: whatever happened is told before. */
const LOOK_MS = 5000;

const spec = {
  name: "logs",
  summary: "Print what was said in a process lately, oldest first",
  input: {
    pid: field.optional(field.pid("the process; your init when left out", { positional: true, meta: "PID" })),
    limit: field.withDefault(
      field.int("how many messages", { min: 1, max: LIMITS.historyPageMax, letter: "n", meta: "N" }),
      LIMITS.historyPageDefault,
    ),
    follow: field.flag("go on with what comes, until ctrl-c or the end of the process", { letter: "f" }),
  },
  examples: ["gsv logs task:abc123", "gsv logs task:abc123 --limit 5", "gsv logs -f task:abc123"],
  notes: ["gsv proc history has the older pages."],
};

export const logs = command(spec, async ({ args: { follow: goesOn, ...args }, json }, io) => {
  const { print } = (await declared("proc.history")).cli;
  const first = await io.sys().call<HistoryPage>("proc.history", args);
  if (goesOn !== true) {
    await printResult(io, print, first, json);
    return 0;
  }
  if (io.isScript === true)
    throw new SysError("EUSAGE", "logs -f does not end, and a script waits for the end of each command", [
      "outside of a script: gsv logs -f PID",
    ]);
  // Without its word about an empty page: something may come.
  const steady: Io = Object.create(io, { noPager: { value: true } });
  if (first.messages.length > 0) await printResult(steady, print, first, json);
  return followed(io, { pid: first.pid, afterSeq: first.messages.at(-1)?.id ?? 0 }, json);
});

interface Cursor {
  readonly pid: string;
  /** The number of the last message that was told. */
  afterSeq: number;
}

async function followed(io: Io, cursor: Cursor, json: boolean): Promise<number> {
  const { pid } = cursor;
  let status: number | null = null;
  let isOver = false;
  let wake = new AbortController();
  const release = io.onSignal((name) => {
    status ??= STATUS[name];
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
      if (!(await more(io, cursor, json)) || wasOver) {
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

/** Prints what came since. False where the process is gone. */
async function more(io: Io, cursor: Cursor, json: boolean): Promise<boolean> {
  const { pid } = cursor;
  try {
    for (let goesOn = true; goesOn && !io.stdout.closed; ) {
      const query = { pid, afterSeq: cursor.afterSeq, limit: LIMITS.historyPageMax };
      const page = await io.sys().call<HistoryPage>("proc.history", query);
      for (const message of page.messages) {
        cursor.afterSeq = Math.max(cursor.afterSeq, message.id);
        if (json) await io.stdout.write(jsonLine(message));
        else await printText(io.stdout, messageLine(message));
      }
      const missing = partsText(page);
      if (missing !== null) await note(io, missing);
      goesOn = page.hasMoreAfter;
    }
    return true;
  } catch (error) {
    if (error instanceof SysError && error.code === "ESRCH") return false;
    throw error;
  }
}
