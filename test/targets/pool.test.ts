// The pool of script runners: runners in turn, a few kept warm, and a dead one harms no other script.

import { expect, test } from "bun:test";
import type { Runner, ShellEnd, ShellFiles, ShellJob } from "../../src/targets/shell.ts";
import { WorkerPool } from "../../src/targets/worker-pool.ts";
import { FakeClock } from "../support/clock.ts";
import { FakeSys } from "../support/sys.ts";

const JOB: ShellJob = {
  ...{ script: "x", name: "gsv", args: [], cwd: "/", env: {}, stdin: new Uint8Array(), state: null },
  ...{ keepsState: false, outputBytesMax: 1000, wallMs: 1000 },
};

/** A runner under the control of the test. */
class FakeRunner implements Runner {
  ended = 0;
  hear: Parameters<Runner["listen"]>[0] = () => {};
  fault: Parameters<Runner["listen"]>[1] = () => {};
  constructor(private readonly onRun: (runner: FakeRunner) => void) {}
  post(message: { readonly kind: string }): void {
    if (message.kind === "run") this.onRun(this);
  }
  listen(hear: FakeRunner["hear"], fault: FakeRunner["fault"]): void {
    this.hear = hear;
    this.fault = fault;
    hear({ kind: "ready" });
  }
  end(): void {
    this.ended++;
  }
}

const OK: ShellEnd = { exit: 0, state: null, cut: false };

function pool(clock: FakeClock, onRun: (runner: FakeRunner) => void, memory = () => 0, make = () => {}) {
  const made: FakeRunner[] = [];
  const shells = new WorkerPool({
    newRunner: () => {
      make();
      const runner = new FakeRunner(onRun);
      made.push(runner);
      return runner;
    },
    clock,
    runningMax: 3,
    runningMaxEach: 2,
    memory,
    memoryMax: 1,
    warmMax: 1,
    warmMs: 1000,
  });
  return {
    made,
    shells,
    start: (owner = 1000, files: Partial<ShellFiles> = {}) =>
      shells.run(JOB, {
        files: files as ShellFiles,
        owner,
        sys: new FakeSys(),
        print: () => {},
        signal: new AbortController().signal,
      }),
  };
}

test("one runner serves scripts in turn, stays warm for a while, and then exits", async () => {
  const clock = new FakeClock();
  const { made, start } = pool(clock, (runner) => runner.hear({ kind: "end", end: OK }));
  await start();
  await start();
  expect(made).toHaveLength(1);
  await clock.advance(1500);
  expect(made[0]?.ended).toBe(1);
  await start();
  expect(made).toHaveLength(2);
});

test("a runner that dies takes its script with it and no other", async () => {
  const clock = new FakeClock();
  let first = true;
  const { made, start } = pool(clock, (runner) => {
    if (first) runner.fault("gone");
    else runner.hear({ kind: "end", end: OK });
    first = false;
  });
  expect((await start()).exit).toBe(137);
  expect((await start()).exit).toBe(0);
  expect(made).toHaveLength(2);
  expect(made[0]?.ended).toBe(1);
});

test("one account never gets all runners, and a waiting script starts once there is room", async () => {
  const begun: FakeRunner[] = [];
  const { start } = pool(new FakeClock(), (runner) => void begun.push(runner));
  const ends = [start(1000), start(1000), start(1000), start(1001)];
  await Bun.sleep(0);
  // The third of the first account waits, the other account does not.
  expect(begun).toHaveLength(3);
  begun[0]?.hear({ kind: "end", end: OK });
  await ends[0];
  await Bun.sleep(0);
  expect(begun).toHaveLength(4);
  for (const runner of begun.slice(1)) runner.hear({ kind: "end", end: OK });
  expect((await Promise.all(ends)).map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
});

test("other work of the kernel runs between the files that a script asks for at once", async () => {
  const asked = 50;
  let [answered, answeredBefore] = [0, asked];
  const list = async () => {
    const until = performance.now() + 1;
    while (performance.now() < until);
    if (++answered === asked) made[0]?.hear({ kind: "end", end: OK });
    return [];
  };
  const { made, start } = pool(new FakeClock(), (runner) => {
    for (let id = 0; id < asked; id++) runner.hear({ kind: "file", id, verb: "list", args: ["/"] });
    setImmediate(() => {
      answeredBefore = answered;
    });
  });
  await start(1000, { list });
  expect(answered).toBe(asked);
  expect(answeredBefore).toBeLessThan(asked / 2);
});

test("when scripts take too much memory the newest is ended, and the others continue", async () => {
  const clock = new FakeClock();
  const begun: FakeRunner[] = [];
  let bytes = 0;
  const { start } = pool(
    clock,
    (runner) => void begun.push(runner),
    () => bytes,
  );
  const [first, second] = [start(), start()];
  await Bun.sleep(0);
  bytes = 2;
  await clock.advance(250);
  bytes = 0;
  await clock.advance(500);
  expect((await second)?.exit).toBe(137);
  expect(begun[1]?.ended).toBe(1);
  begun[0]?.hear({ kind: "end", end: OK });
  expect((await first)?.exit).toBe(0);
});

test("a script gets an error if no runner starts, and frees its place in the queue", async () => {
  let isFull = true;
  const full = () => {
    if (isFull) throw new Error("no room");
  };
  const { shells, start } = pool(
    new FakeClock(),
    (runner) => runner.hear({ kind: "end", end: OK }),
    () => 0,
    full,
  );
  for (let count = 0; count < 2; count++) await expect(start()).rejects.toThrow("no room");
  expect(shells.isBusy).toBe(false);
  isFull = false;
  expect(await start()).toEqual(OK);
});
