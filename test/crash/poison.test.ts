// A run that kills the kernel each time it resumes: the run is given up, and the kernel stays.

import { expect, test } from "bun:test";
import type { Sent, Spawned, WaitResult } from "../../src/syscalls/services.ts";
import { until, withHome } from "../support/home.ts";
import { HomeBook } from "../support/sound.ts";

const SEAM = "before:process.context"; // the model call starts here

test("a run in which the kernel died three times without progress ends in error, and the next kernel stays up", async () => {
  await withHome(async (home) => {
    const book = home.beside("died");
    home.plan = () => ({ die: { at: [SEAM, SEAM, SEAM], book } });
    const sys = home.sys({ model: `script:${await home.file("script", [{ text: "fine", repeat: 100 }])}` });
    const { pid, runId } = await sys.call<Spawned>("proc.spawn", { prompt: "poison" });
    const poisoned = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [pid], run: runId });
    expect(poisoned.results[0]).toMatchObject({ status: "error", exit: 1, runId });
    expect(poisoned.results[0]?.error).toContain("the kernel crashed 3 times");
    await until("three kernels are dead", () => home.deaths === 3);

    const holder = home.holder;
    const { runId: next } = await sys.call<Sent>("proc.send", { pid, message: "and now?" });
    const healthy = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [pid], run: next });
    expect(healthy.results[0]).toMatchObject({ status: "ok", text: "fine" });
    expect([home.holder, home.deaths]).toEqual([holder, 3]);
    await home.stop();
    const record = new HomeBook(home);
    expect(record.faults).toEqual([]);
    expect(record.records(pid).map((message) => message.role)).toEqual(["user", "user", "assistant"]);
  });
}, 30_000);
