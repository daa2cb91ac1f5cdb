// Homes as people make them: deep in the tree, open to others, written by a newer gsv, and left in the middle of something.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import { acquireLock } from "../../src/store/lock.ts";
import type { Spawned, WaitResult } from "../../src/syscalls/services.ts";
import { until, withHome } from "../support/home.ts";
import { samples } from "../support/soak.ts";
import { HomeBook } from "../support/sound.ts";

test.concurrent("a home with content that others may write to is refused with the command that fixes it", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["send", "hello"])).status).toBe(0);
    await home.stop();
    chmodSync(home.directory, 0o777);
    const refused = await home.gsv(["ps"]);
    expect([refused.status, refused.stdout]).toEqual([78, ""]);
    expect(refused.stderr).toContain(`chmod 700 ${home.directory}`);
    chmodSync(home.directory, 0o700);
    expect((await home.gsv(["ps"])).status).toBe(0);
  });
}, 30_000);

test.concurrent("a home of a newer gsv is refused with 78, by reads and by writes, and its database is not touched", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["fs", "write", "~/a", "b"])).status).toBe(0);
    await home.stop();
    const db = new Database(home.paths.kernelDb);
    db.run("PRAGMA user_version = 999");
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    db.close();
    const before = readFileSync(home.paths.kernelDb);
    for (const args of [["ps"], ["send", "hello"], ["chat", "hello"], ["kernel", "start"]]) {
      const ran = await home.gsv(args);
      expect([args, ran.status, ran.stdout]).toEqual([args, 78, ""]);
      expect(ran.stderr).toContain("newer gsv");
    }
    expect(readFileSync(home.paths.kernelDb).equals(before)).toBe(true);
  });
}, 30_000);

test.concurrent("a kernel stopped during a run finishes its turn; ps shows the rest as interrupted and starts the kernel that resumes it", async () => {
  await withHome(async (home) => {
    const script = await home.file("script", [
      { delayMs: 200, calls: [{ name: "Write", args: { path: "~/w{{n}}", content: "x" } }], repeat: 4 },
      { text: "through", repeat: 10 },
    ]);
    const sys = home.sys({ model: `script:${script}` });
    const { pid } = await sys.call<Spawned>("proc.spawn", { prompt: "go" });
    expect((await home.gsv(["kernel", "stop"])).status).toBe(0);
    expect(home.holder).toBe(null);
    const seen = (await home.ps()).find((info: ProcessInfo) => info.pid === pid);
    expect(seen).toMatchObject({ state: "running", interrupted: true });
    await until("the look has started a kernel", () => home.holder !== null);
    const { results } = await home.sys().call<{ results: WaitResult[] }>("proc.wait", { pids: [pid] });
    expect([results[0]?.status, results[0]?.text]).toEqual(["ok", "through"]);
    await home.stop();
    const book = new HomeBook(home);
    expect(book.faults).toEqual([]);
    const results2 = book.records(pid).filter((record) => record.role === "toolResult");
    expect(results2.map((record) => record.outcome)).toEqual(["completed", "completed", "completed", "completed"]);
  });
}, 30_000);

test.concurrent("when kernel stop returns the kernel has left: nothing looks alive, the lock is free and the databases are closed", async () => {
  await withHome(async (home) => {
    for (let round = 0; round < samples(1, 3); round++) {
      expect((await home.gsv(["send", "hello"])).status).toBe(0);
      expect((await home.gsv(["kernel", "stop"])).status).toBe(0);
      const lock = acquireLock(home.paths.lockFile);
      expect([lock === null, home.holder]).toEqual([false, null]);
      expect([home.paths.socket, home.paths.kernelInfo].filter(existsSync)).toEqual([]);
      lock?.release();
      expect(readdirSync(home.paths.procDir)).toEqual(["init:1000.db"]);
    }
    expect((await home.gsv(["kernel", "stop"])).stdout).toBe("no kernel was running\n");
  });
}, 30_000);

test.concurrent("a kernel that is stopped during its start comes up and leaves in order", async () => {
  await withHome(async (home) => {
    const kernel = home.start();
    await until("it makes itself at home", () => existsSync(home.paths.kernelDb));
    kernel.signal("SIGTERM");
    expect(await kernel.ended).toBe(0);
    expect([home.holder, new HomeBook(home).faults]).toEqual([null, []]);
  });
}, 30_000);

test.concurrent("a kernel that is killed during a run shows the same, in text and in JSON", async () => {
  await withHome(async (home) => {
    const script = await home.file("script", [{ delayMs: 60_000, text: "too late" }]);
    const sys = home.sys({ model: `script:${script}` });
    const { pid } = await sys.call<Spawned>("proc.spawn", { prompt: "go" });
    await until("it runs", async () => (await sys.call<ProcessInfo>("proc.get", { pid })).state === "running");
    await home.file("script", [{ text: "in time", repeat: 10 }]);
    await home.kill();
    const text = await home.gsv(["ps"]);
    expect(text.stdout).toMatch(new RegExp(`${pid} +interrupted`));
    expect((await home.gsv(["wait", pid])).status).toBe(0);
    expect((await home.gsv(["proc", "history", "--pid", pid])).stdout).toContain("in time");
  });
}, 30_000);
