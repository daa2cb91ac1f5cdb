// GSV_KERNEL=in-process: one invocation is its own kernel, does its work, leaves nothing running, and leaves the queue to the next.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { KernelStatus, Spawned } from "../../src/syscalls/services.ts";
import { withHome } from "../support/home.ts";
import { HomeBook } from "../support/sound.ts";

const ALONE = { GSV_KERNEL: "in-process" };

test.concurrent("with GSV_KERNEL=in-process a chat is answered, and no kernel, socket or lock is left behind", async () => {
  await withHome(async (home) => {
    const ran = await home.gsv(["chat", "How do I stop a process?"], { env: ALONE });
    expect([ran.status, ran.stdout.includes("gsv proc stop")]).toEqual([0, true]);
    expect(ran.stderr).toStartWith(`gsv: created a home at ${home.directory}`);
    expect([existsSync(home.paths.socket), home.holder, home.processes]).toEqual([false, null, []]);
    const again = await home.gsv(["proc", "reset"], { env: ALONE });
    expect([again.status, again.stdout.includes("/var/sessions/sam/init:1000/")]).toEqual([0, true]);
    expect(new HomeBook(home).faults).toEqual([]);
  });
}, 30_000);

test.concurrent("the next kernel does the work that an invocation left in the queue", async () => {
  await withHome(async (home) => {
    const script = await home.file("script", [{ text: "done later", repeat: 10 }]);
    const env = { ...ALONE, GSV_MODEL: `script:${script}` };
    const { pid } = JSON.parse((await home.gsv(["spawn", "--json"], { env })).stdout) as Spawned;
    expect((await home.gsv(["kill", "-STOP", pid], { env })).status).toBe(0);
    for (const message of ["one", "two"])
      expect((await home.gsv(["send", "--pid", pid, message], { env })).status).toBe(0);
    expect((await home.gsv(["kill", "-CONT", pid], { env })).status).toBe(0);
    expect((await home.gsv(["wait", pid])).status).toBe(0);
    expect((await home.gsv(["proc", "history", "--pid", pid])).stdout).toContain("done later");
    await home.stop();
    const book = new HomeBook(home);
    expect(book.faults).toEqual([]);
    const said = book.records(pid).filter((record) => record.role === "user");
    expect(said.map((record) => record.content)).toEqual(["one", "two"]);
  });
}, 30_000);

test.concurrent("an in-process invocation finds the lock taken and connects to the kernel that holds it", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["send", "hello"])).status).toBe(0);
    const holder = home.holder;
    const ran = await home.gsv(["kernel", "status", "--json"], { env: ALONE });
    const status = JSON.parse(ran.stdout) as KernelStatus;
    expect([status.pid, status.generation]).toEqual([holder, 1]);
    expect((await home.gsv(["chat", "help"], { env: ALONE })).status).toBe(0);
    expect(home.holder).toBe(holder);
  });
}, 30_000);
