// `gsv wait PID…`: waits and exits as the process. Several processes print `PID status` lines, and the last one decides. A process that needs a
// person is reported, not waited for.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { ENDED_BY } from "../../src/abi/errno.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import { field } from "../../src/syscalls/define.ts";
import { inPartText, waitsForText } from "../../src/syscalls/format.ts";
import type { WaitResult } from "../../src/syscalls/services.ts";
import { type Spec, timeoutMs } from "../args.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine, note } from "../io/status.ts";
import { printText } from "../print.ts";

const input = {
  pids: field.pids(`the processes, at most ${LIMITS.pidsPerCallMax}`, { positional: true, meta: "PID..." }),
  run: field.optional(field.uuid("run to wait for", { meta: "RUN" })),
  wait: field.flag("keep waiting while a run is on hold"),
  next: field.flag("wait for the first to end; prints its pid", { letter: "n" }),
  timeout: field.optional(field.text("seconds to wait (exit status 124)", { meta: "SECONDS" })),
};

export function waitAs(name: string): Command {
  const spec: Spec<typeof input> = {
    name,
    summary: "Wait for processes to finish",
    input,
    examples: [
      "gsv wait task:abc123; echo $?",
      "gsv wait task:abc123 task:def456",
      "gsv wait -n task:abc123 task:def456",
      "gsv wait --timeout 60 task:abc123",
    ],
    notes: [
      "Exit status: 0 ok or never ran, 1 failed, 130 aborted, 137 killed, 5 needs your answer,\n4 credential missing, 6 a limit, 75 unavailable, 124 --timeout.",
    ],
  };
  return command(spec, async ({ args, json }, io) => {
    const limitMs = timeoutMs(spec, args.timeout);
    const silence = io.clock.after(SILENCE_MS, () => void sayStopped(io, args.pids).catch(() => {}));
    const request = { pids: args.pids, run: args.run, wait: args.wait === true };
    const results = await waitFor(io, args.next ? eachOf(request) : [request], limitMs).finally(silence);
    if (results === null) {
      await note(io, `gsv: still running after ${args.timeout} s`);
      return ENDED_BY.time;
    }
    const alone = results.length === 1 && args.next !== true;
    for (const result of results) await report(io, result, { json, alone, named: args.next === true });
    return results.at(-1)?.exit ?? 0;
  });
}

const SILENCE_MS = 500;

// Waits through a stop and a retry time, but says so.
async function sayStopped(io: Io, pids: readonly string[]): Promise<void> {
  for (const pid of pids) {
    const { state, waitsFor } = await io.sys().call<ProcessInfo>("proc.get", { pid });
    if (waitsFor?.kind === "outage" || waitsFor?.kind === "restart")
      await note(io, `gsv: ${pid} is paused: ${waitsForText(waitsFor)}; waiting`);
    if (state === "stopped") await note(io, `gsv: ${pid} is stopped. To resume: gsv proc resume ${pid}`);
  }
}

interface Waiting {
  readonly pids: readonly string[];
  readonly run?: string | undefined;
  readonly wait: boolean;
}

function eachOf({ pids, ...rest }: Waiting): Waiting[] {
  return [...new Set(pids)].map((pid) => ({ ...rest, pids: [pid] }));
}

/** null at the timeout. */
async function waitFor(io: Io, requests: readonly Waiting[], limitMs: number | null): Promise<WaitResult[] | null> {
  const giveUp = new AbortController();
  const asked = requests.map((request) =>
    io.sys().call<{ results: WaitResult[] }>("proc.wait", request, { signal: giveUp.signal }),
  );
  const late = limitMs === null ? [] : [io.clock.sleep(limitMs, giveUp.signal).then(() => null)];
  try {
    return (await Promise.race([...asked, ...late]))?.results ?? null;
  } finally {
    giveUp.abort();
    for (const answer of asked) answer.catch(() => {});
  }
}

interface Form {
  readonly json: boolean;
  readonly alone: boolean;
  /** Prints only the pid; the exit status says how it ended. */
  readonly named: boolean;
}

async function report(io: Io, result: WaitResult, form: Form): Promise<void> {
  if (form.json) {
    if (result.inPart) await note(io, `gsv: ${result.pid}: ${inPartText(result.pid)}`);
    return io.stdout.write(jsonLine(result));
  }
  if (form.named) await printText(io.stdout, result.pid);
  else if (!form.alone) await printText(io.stdout, `${result.pid} ${result.status}`);
  if (result.waitsFor !== null) await note(io, `gsv: ${result.pid} is on hold: ${waitsForText(result.waitsFor)}`);
  else if (result.error !== null)
    await note(io, `gsv: ${result.error.startsWith(`${result.pid} `) ? "" : `${result.pid}: `}${result.error}`);
}
