// A suspended kernel still holds the home, and no one takes it over: reads work, writes say what to type.

import { expect, test } from "bun:test";
import { withHome } from "../support/home.ts";

const READ_MS_MAX = 2000;

test.concurrent("a suspended kernel is shown as running, and stop says how to resume it", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["send", "hello"])).status).toBe(0);
    const pid = home.holder ?? 0;
    process.kill(pid, "SIGSTOP");
    const [status, stop] = await Promise.all([home.gsv(["kernel", "status", "--json"]), home.gsv(["kernel", "stop"])]);
    expect(JSON.parse(status.stdout)).toMatchObject({ running: true, pid });
    expect([stop.status, stop.stdout]).toEqual([75, ""]);
    expect(stop.stderr).toContain(`kill -CONT ${pid}`);
    process.kill(pid, "SIGCONT");
    expect((await home.gsv(["kernel", "stop"])).stdout).toBe(`kernel ${pid} stopped\n`);
  });
}, 30_000);

test.concurrent("while the kernel is suspended reads are answered within 2 s and writes exit 75 naming the pid and kill -CONT; then all works", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["chat", "hello"])).status).toBe(0);
    const pid = home.holder ?? 0;
    process.kill(pid, "SIGSTOP");
    const startedAt = performance.now();
    const timed = (args: string[]) => home.gsv(args).then((ran) => ({ ...ran, ms: performance.now() - startedAt }));
    const [ps, history, send] = await Promise.all([
      timed(["ps", "--json"]),
      timed(["proc", "history"]),
      timed(["send", "are you there?"]),
    ]);
    expect([ps.status, ps.stdout.includes("init:1000"), ps.ms < READ_MS_MAX]).toEqual([0, true, true]);
    expect([history.status, history.stdout.includes("hello"), history.ms < READ_MS_MAX]).toEqual([0, true, true]);
    expect([send.status, send.stdout]).toEqual([75, ""]);
    expect(send.stderr).toContain(`pid ${pid}`);
    expect(send.stderr).toContain(`kill -CONT ${pid}`);
    process.kill(pid, "SIGCONT");
    expect((await home.gsv(["chat", "and now?"])).status).toBe(0);
    expect(home.holder).toBe(pid);
    expect((await home.gsv(["proc", "history"])).stdout).not.toContain("are you there?");
  });
}, 30_000);
