// Who runs shell scripts when: runners in turn, a few kept warm, one that dies harming nobody else.

import { expect, test } from "bun:test";
import { GsvShells, type Runner } from "../../src/targets/gsv.ts";
import type { ShellEnd, ShellFiles, ShellJob } from "../../src/targets/shell.ts";
import { FakeClock } from "../support/clock.ts";
import { FakeSys } from "../support/sys.ts";

const JOB: ShellJob = {
  ...{ script: "x", name: "gsv", args: [], cwd: "/", env: {}, stdin: new Uint8Array(), state: null },
  ...{ keepsState: false, outputBytesMax: 1000, wallMs: 1000 },
};

/** A runner that does as it is told by the test. */
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

function pool(clock: FakeClock, onRun: (runner: FakeRunner) => void) {
  const made: FakeRunner[] = [];
  const shells = new GsvShells({
    newRunner: () => {
      const runner = new FakeRunner(onRun);
      made.push(runner);
      return runner;
    },
    clock,
    runningMax: 2,
    warmMax: 1,
    warmMs: 1000,
  });
  return {
    made,
    shells,
    start: () =>
      shells.run(JOB, {
        files: {} as ShellFiles,
        sys: new FakeSys(),
        print: () => {},
        signal: new AbortController().signal,
      }),
  };
}

test("one runner serves scripts in turn, is kept warm for a while, and then goes", async () => {
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
