// How commands of the host end: normally, by a signal, by a timeout, with their supervisor. None of their processes is left, whichever was
// killed. In the host's sandbox a command is behind processes that no signal for it may reach.

import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { realClock } from "../../src/lib/clock.ts";
import { parentOf } from "../../src/targets/pids.ts";
import { gone, HostBench, printed, told, WAYS } from "../support/host.ts";
import { startedWith } from "../support/sandbox.ts";

const bench = new HostBench();
afterEach(() => bench.clear());
afterAll(() => bench.dispose());

describe.each(WAYS)("$name", ({ sandbox }) => {
  beforeEach(() => {
    bench.sandbox = sandbox;
  });

  test.each([
    ["false", 1],
    ["exit 255", 255],
    ["no-such-program", 127],
    ["/etc/passwd", 126],
    ["kill -TERM $$", 143],
    ["kill -INT $$", 130],
    ["kill -KILL $$", 137],
    ["kill -SEGV $$", 139],
  ])("%s ends as it does in bash", async (script, exit) => {
    expect((await bench.run(script)).exit).toBe(exit);
  });

  test("a timeout ends it with 124, and everything it started", async () => {
    const mark = bench.marked();
    const command = bench.start(`sleep ${mark} & sleep ${mark}`, { timeoutMs: 200 });
    await command.ended;
    const { exit, stderr } = told(command);
    expect({ exit, stderr }).toEqual({ exit: 124, stderr: "gsv: ended: longer than 0.2 s\n" });
    await gone(mark);
  });

  test("a stop ends it with everything it started, also programs that ignore TERM", async () => {
    const mark = bench.marked();
    const command = bench.start(`(trap '' TERM HUP; echo ready; sleep ${mark}) & wait; echo never`);
    await printed(command, "ready");
    bench.host.stop(command);
    await command.ended;
    expect(told(command)).toMatchObject({ exit: 143, stdout: "ready\n" });
    await gone(mark);
  });

  test("a TERM gives it time to finish", async () => {
    const command = bench.start(
      "(trap 'sleep 0.1; echo saved; exit' TERM; echo ready; while :; do sleep 0.02; done) & wait",
    );
    await printed(command, "ready");
    bench.host.stop(command);
    await command.ended;
    expect(told(command)).toMatchObject({ exit: 143, stdout: "ready\nsaved\n" });
  });

  test("its background processes end with it", async () => {
    const mark = bench.marked();
    expect((await bench.run(`sleep ${mark} & true`)).exit).toBe(0);
    await gone(mark);
  });

  test("signals reach all of its processes", async () => {
    const command = bench.start("trap 'echo got it; exit 9' USR1; echo ready; while :; do sleep 0.05; done");
    await printed(command, "ready");
    expect(bench.host.signal(command, "INT")).toBe(true);
    await command.ended;
    expect(command.exit).toBe(130);
    expect(bench.host.signal(command, "INT")).toBe(false);
  });

  test("a stop right after its start ends it, too", async () => {
    for (let round = 0; round < 5; round++) {
      const mark = bench.marked();
      const command = bench.start(`sleep ${mark}`);
      await realClock.sleep(round * 3);
      bench.host.stop(command);
      await command.ended;
      expect(command.exit).toBeOneOf([143, 137]);
      await gone(mark);
    }
  });

  test("a later kernel can stop a command of an earlier one", async () => {
    const mark = bench.marked();
    const before = bench.start(`trap 'echo saved; exit 7' TERM; echo ready; sleep ${mark} & wait`);
    await printed(before, "ready");
    bench.next();
    const after = bench.host.get(1000, before.meta.id)!;
    expect(bench.host.stop(after)).toBe(true);
    await after.ended;
    expect(told(after)).toMatchObject({ exit: 7, stdout: "ready\nsaved\n" });
    await gone(mark);
  });

  test("kill -9 of its supervisor ends all of it", async () => {
    // The leader, and in a sandbox the processes between it and the command.
    for (const depth of sandbox === null ? [0] : [0, 1, 2]) {
      const mark = bench.marked();
      const command = bench.start(`(trap '' HUP TERM; sleep ${mark}) & echo ready; wait`);
      await printed(command, "ready");
      process.kill(standing(mark)[depth] ?? 0, "SIGKILL");
      await command.ended;
      expect(command.exit).toBe(137);
      await gone(mark);
    }
  });
});

/** The supervisors of a command, the outermost first. */
function standing(mark: string): number[] {
  const over = startedWith(mark);
  return over.sort((a, b) => depthOf(a, over) - depthOf(b, over));
}

function depthOf(pid: number, among: readonly number[]): number {
  const parent = parentOf(pid);
  return parent !== null && among.includes(parent) ? 1 + depthOf(parent, among) : 0;
}
