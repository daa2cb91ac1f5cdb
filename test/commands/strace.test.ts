// strace: the shown calls of a process, their order, and the end of following.

import { expect, test } from "bun:test";
import { callChoice, isChosen, summed, tookText, traceCells, traceLayout } from "../../commands/proc/trace-table.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { TraceRow } from "../../src/syscalls/services.ts";
import { FakeIo, runs } from "../support/io.ts";

const PID = "task:abc123";

function row(id: number, call = "fs.read", more: Partial<TraceRow> = {}): TraceRow {
  return { id, at: 1000 * id, call, args: '{"path":"~/a.md"}', outcome: "ok", ms: 1.25, ...more };
}

/** A log that is read and waited for, like a kernel's. */
function logged(io: FakeIo, logs: { readonly [pid: string]: TraceRow[] }) {
  const waiting = new Map<string, () => void>();
  const asking = async (
    args: { pid: string; after?: number; limit?: number; waitMs?: number },
    signal?: AbortSignal,
  ) => {
    const log = logs[args.pid];
    if (log === undefined) throw new SysError("ESRCH", `no such process: ${args.pid}`);
    const rows = () =>
      args.after === undefined ? log.slice(-(args.limit ?? 500)) : log.filter(({ id }) => id > (args.after ?? 0));
    if (rows().length === 0 && (args.waitMs ?? 0) > 0)
      await new Promise<void>((resolve, reject) => {
        waiting.set(args.pid, resolve);
        signal?.addEventListener("abort", () => reject(new SysError("ECANCELED", "given up")));
      });
    return { rows: rows() };
  };
  io.fakeSys.answer("proc.trace", ((args: never, options: { signal?: AbortSignal }) =>
    asking(args, options.signal)) as never);
  return {
    async waits(pid: string) {
      while (!waiting.has(pid)) await io.clock.advance(20);
    },
    add: (pid: string, ...rows: TraceRow[]) => {
      logs[pid]?.push(...rows);
      waiting.get(pid)?.();
      waiting.delete(pid);
    },
  };
}

test("a line is time, call with arguments, outcome and duration", async () => {
  const io = new FakeIo();
  logged(io, { [PID]: [row(1), row(2, "net.fetch", { args: '{"url":"http://x"}', outcome: "EPERM", ms: 0.5 })] });
  expect(await runs(io, "strace", "--once", PID)).toBe(0);
  expect(io.stdout.lines).toEqual([
    '1970-01-01T00:00:01.000Z fs.read({"path":"~/a.md"}) = ok <1.3 ms>',
    '1970-01-01T00:00:02.000Z net.fetch({"url":"http://x"}) = EPERM <0.5 ms>',
  ]);
});

test("new calls are printed once, as they come, until the process ends", async () => {
  const io = new FakeIo();
  const log = logged(io, { [PID]: [row(1)] });
  const running = runs(io, "strace", "-p", PID);
  await log.waits(PID);
  log.add(PID, row(2, "shell.exec"), row(3, "fs.write"));
  await log.waits(PID);
  io.fakeSys.emit({ name: "process.exit", pid: PID, uid: 1000, parent: null, at: 0, archive: null, label: null });
  expect(await running).toBe(0);
  expect(io.stdout.lines.map((line) => line.split(/[ (]/)[1])).toEqual(["fs.read", "shell.exec", "fs.write"]);
  expect(io.stderr.lines).toEqual([`gsv: ${PID} ended`]);
});

test("ctrl-c ends it, and -c then prints the number of each call", async () => {
  const io = new FakeIo();
  const log = logged(io, {
    [PID]: [row(1), row(2, "fs.read", { outcome: "ENOENT", ms: 3 }), row(3, "shell.exec", { ms: 1500 })],
  });
  const running = runs(io, "strace", "-c", PID);
  await log.waits(PID);
  io.interrupt("INT");
  expect(await running).toBe(130);
  expect(io.stdout.lines).toEqual([
    "CALL        CALLS  ERRORS    TIME  EACH",
    "shell.exec      1       -  1.50 s  1.50 s",
    "fs.read         2       1  4.3 ms  2.1 ms",
  ]);
});

test("-f follows children, and marks each line with its process", async () => {
  const io = new FakeIo();
  const child = "task:def456";
  io.fakeSys.answer("proc.list", () => ({ processes: [{ pid: PID, parentPid: null }], next: null }));
  const log = logged(io, { [PID]: [row(1, "proc.spawn")], [child]: [row(1, "fs.list")] });
  const running = runs(io, "strace", "-f", PID);
  await log.waits(PID);
  io.fakeSys.emit({ name: "process.spawn", pid: child, uid: 1000, parent: PID, at: 0, label: null });
  await log.waits(child);
  io.interrupt("INT");
  expect(await running).toBe(130);
  expect(io.stdout.lines.map((line) => line.split("(")[0])).toEqual([
    `[${PID}] 1970-01-01T00:00:01.000Z proc.spawn`,
    `[${child}] 1970-01-01T00:00:01.000Z fs.list`,
  ]);
});

test("a model call shows the model, the request size and the answer size", () => {
  const asked = row(1, "llm.chat", { args: '{"model":"fable-5","in":41203,"cached":39555,"out":812}', ms: 3410 });
  expect(traceCells(asked)).toMatchObject({ argument: "fable-5  41,203 in  96% cached  812 out", took: "3.41 s" });
  expect(traceCells(row(1, "llm.chat", { args: '{"model":"offline"}' })).argument).toBe("offline");
  expect(isChosen("llm.chat", callChoice(["llm"]))).toBe(true);
});

test("-e selects calls and whole families, and refuses unknown ones", async () => {
  const chosen = (text: string) =>
    ["fs.read", "fs.readable", "shell.exec"].filter((call) => isChosen(call, callChoice([text])));
  expect(chosen("trace=fs")).toEqual(["fs.read", "fs.readable"]);
  expect(chosen("fs.read,shell")).toEqual(["fs.read", "shell.exec"]);
  expect(chosen("trace=!fs")).toEqual(["shell.exec"]);
  expect(chosen("all")).toHaveLength(3);
  const io = new FakeIo();
  expect(await runs(io, "strace", "--once", "-e", "trace=fs.raed", PID)).toBe(2);
  expect(io.stderr.text).toContain("no such syscall: fs.raed");
});

test("without a process the usage says so, and a script gets a warning about the endless output", async () => {
  const io = new FakeIo();
  expect(await runs(io, "strace")).toBe(2);
  const script = Object.assign(new FakeIo(), { isScript: true as const });
  expect(await runs(script, "strace", PID)).toBe(2);
  expect(script.stderr.text).toContain(`gsv strace --once ${PID}`);
});

test("columns fit every width, and hidden characters of an argument are visible", () => {
  const hostile = {
    ...row(1, "shell.exec", { args: JSON.stringify({ command: "echo 中文\u001b[2J\nrm -rf ~" }) }),
    pid: PID,
  };
  for (let columns = 40; columns <= 140; columns++)
    for (const several of [false, true]) {
      const { head, line } = traceLayout(columns, { several });
      for (const text of [head, line(hostile)]) {
        expect(Bun.stringWidth(text)).toBeLessThanOrEqual(Math.max(columns, several ? 50 : 40));
        expect(text).not.toMatch(/[\x00-\x1f]/);
      }
    }
  const argument = (args: string) => traceCells(row(1, "x", { args })).argument;
  expect(argument('{"command":"a\\nb","target":"host","timeoutMs":null}')).toBe("a⏎b  target=host");
  expect(argument('{"path":"cut off')).toBe('{"path":"cut off');
  expect([0.04, 12.4, 1234, 61_000].map(tookText)).toEqual(["0.0 ms", "12 ms", "1.23 s", "1:01 m"]);
  expect(summed([])).toEqual([]);
});
