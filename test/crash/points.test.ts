// A conversation that gets TERM, an abort, a suspend or a closed pipe, at each of twenty points of its life: its output is
// whole, its accepted message is not lost, the run continues or ends as it should, and no process is left.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { ChatEvent } from "../../commands/events.ts";
import { shapeFrom } from "../../src/abi/shape.ts";
import type { HistoryPage, WaitResult } from "../../src/syscalls/services.ts";
import { isAlive, type TestHome, until, withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";
import { seeded } from "../support/random.ts";
import { oneIn, SEED, samples } from "../support/soak.ts";

/** Lines that a conversation of eight tools prints: before the first, after each, and all. */
const POINTS = 20;
const SCRIPT = [
  { delayMs: 5, calls: [{ name: "Write", args: { path: "~/w{{n}}", content: "x" } }], repeat: 8 },
  { delayMs: 5, text: "the end" },
];

interface Left {
  readonly exit: number | string;
  readonly events: readonly ChatEvent[];
  readonly stderr: string;
}

type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;

/** Talks until so many lines were printed, then applies an event. */
async function talk(home: TestHome, model: string, point: number, act: (child: Child) => unknown): Promise<Left> {
  const child = Bun.spawn([...gsvCommand(), "chat", "--new", "--json", `message ${point}`], {
    env: { ...home.env, GSV_MODEL: model },
    ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
  let text = "";
  let acted = point === 0;
  if (acted) await act(child);
  if (acted && act === leaves) await child.stdout.cancel();
  for await (const bytes of acted && act === leaves ? [] : child.stdout) {
    text += Buffer.from(bytes).toString();
    if (acted || text.split("\n").length <= point) continue;
    acted = true;
    await act(child);
    if (act === leaves) break;
  }
  const [stderr, exit] = await Promise.all([child.stderr.text(), child.exited]);
  const lines = text.split("\n").slice(0, act === leaves ? point : -1);
  return { exit: child.signalCode ?? exit, events: lines.map((line) => JSON.parse(line)), stderr };
}

/** The reader leaves: cancelling the read closes its end of the pipe. */
function leaves(): void {}

async function aside(child: Child): Promise<void> {
  const state = () => (isAlive(child.pid) ? /\) (\w)/.exec(readFileSync(`/proc/${child.pid}/stat`, "utf8"))?.[1] : "X");
  child.kill("SIGTSTP");
  // In a process group without a terminal the system drops it.
  child.kill("SIGSTOP");
  await until("it stands still", () => state() === "T" || state() === "X");
  child.kill("SIGCONT");
}

const SIGNALS: {
  readonly [name: string]: {
    readonly act: (child: Child) => unknown;
    /** Its exit status, unless it had already ended. */
    readonly exit: number;
    readonly status: string;
    readonly run: readonly WaitResult["status"][];
  };
} = {
  INT: { act: (child) => child.kill("SIGINT"), exit: 130, status: "aborted", run: ["aborted", "ok"] },
  TERM: { act: (child) => child.kill("SIGTERM"), exit: 143, status: "detached", run: ["ok"] },
  HUP: { act: (child) => child.kill("SIGHUP"), exit: 129, status: "detached", run: ["ok"] },
  PIPE: { act: leaves, exit: 141, status: "", run: ["ok"] },
  TSTP: { act: aside, exit: 0, status: "ok", run: ["ok"] },
};

const hasProc = process.platform === "linux";

for (const [name, { act, exit, status, run }] of oneIn(2, Object.entries(SIGNALS)))
  test.concurrent.skipIf(!hasProc)(
    `${name} at any point loses nothing and leaves no process behind`,
    async () => {
      const { int } = seeded(SEED);
      const count = samples(1, POINTS);
      // Spread over the whole life, and each at another point every time.
      const points = Array.from({ length: count }, (_, at) => Math.floor((at * POINTS) / count) + int(POINTS / count));
      await withHome(async (home) => {
        const model = `script:${await home.file("script", SCRIPT)}`;
        const published = shapeFrom(JSON.parse((await home.gsv(["schema", "events"])).stdout));
        await home.gsv(["ps"]);
        for (const point of points) {
          const at = `seed ${SEED}, ${name} after ${point} lines`;
          const left = await talk(home, model, point, act);
          const { events } = left;
          expect([at, ...events.flatMap(published)]).toEqual([at]);
          const end = events.at(-1);
          const done = end?.type === "result" ? end : null;
          // Before it listens to signals it ends as any program does; and it may have ended before.
          if (events.length === 0 && name !== "TSTP")
            expect([at, [`SIG${name}`, exit]]).toEqual([at, expect.arrayContaining([left.exit])]);
          else if (done?.status === "ok") expect([at, left.exit]).toEqual([at, 0]);
          else if (act === leaves) expect([exit, 0], at).toContain(left.exit as number);
          else expect([at, left.exit, done?.status, done?.exit]).toEqual([at, exit, status, exit]);
          expect([at, left.stderr]).toEqual([at, ""]);
          await isKept(home, at, events, run);
        }
        const { holder } = home;
        await until(`seed ${SEED}: nobody is left but the kernel`, () => home.processes.every((pid) => pid === holder));
      });
    },
    120_000,
  );

/** An accepted message is in the history, and its run ends as it should. */
async function isKept(
  home: TestHome,
  at: string,
  events: readonly ChatEvent[],
  ends: readonly string[],
): Promise<void> {
  const init = events.find(({ run }) => run !== null);
  if (init === undefined) return;
  const sys = home.sys();
  const { pid, run } = init;
  const { results } = await sys.call<{ results: [WaitResult] }>("proc.wait", { pids: [pid], run });
  expect(ends, at).toContain(results[0].status);
  const { messages } = await sys.call<HistoryPage>("proc.history", { pid, limit: 100 });
  expect([at, messages.filter(({ role }) => role === "user").length]).toEqual([at, 1]);
  if (results[0].status === "ok") expect([at, results[0].text]).toEqual([at, "the end"]);
}
