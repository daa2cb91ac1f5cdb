// Checks while a kernel works, and after it was killed in the middle: nothing in transition is reported as broken, and a check
// blocks no one.

import { expect, test } from "bun:test";
import { closeSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Spawned, WaitResult } from "../../src/syscalls/services.ts";
import { until, withHome } from "../support/home.ts";
import { samples } from "../support/soak.ts";

/** Checkpoints the file, leaves a little in its log and dies with both open, as a kernel would. */
const LEAVE_A_LOG = `
  const db = new (require("bun:sqlite").Database)(process.argv[1]);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.run("INSERT INTO syscall_log (at, call, args, outcome, ms) VALUES (1, 'fs.read', '{}', 'ok', 1)");
  process.kill(process.pid, "SIGKILL");
`;

test.concurrent("while processes run, write files and are reset and killed, doctor and fsck find no problem", async () => {
  await withHome(async (home) => {
    const script = await home.file("script", [
      { delayMs: 5, calls: [{ name: "Write", args: { path: "~/w{{n}}", content: "x" } }], repeat: 400 },
      { text: "done", repeat: 1000 },
    ]);
    const sys = home.sys({ model: `script:${script}` });
    const pids: string[] = [];
    for (let n = 0; n < 3; n++) pids.push((await sys.call<Spawned>("proc.spawn", { prompt: "go on" })).pid);
    let looks = 0;
    let busy = true;
    const churn = (async () => {
      while (busy) {
        const { pid } = await sys.call<Spawned>("proc.spawn", { prompt: "go on" });
        await sys.call("proc.reset", { pid });
        await sys.call("proc.kill", { pid });
      }
    })();
    try {
      for (; looks < samples(3, 12); looks++) {
        const found = await home.gsv(looks % 2 === 0 ? ["doctor", "--fix", "--json"] : ["fsck", "--json"]);
        expect(found.stdout.split("\n").filter((line) => line.includes('"problem"'))).toEqual([]);
      }
    } finally {
      busy = false;
      await churn;
    }
    await home.stop();
    expect((await home.gsv(["fsck"])).stdout).not.toContain("problem ");
  });
}, 60_000);

test.concurrent("after kill -9 in the middle of runs they are shown as interrupted, and a next kernel leaves nothing to report", async () => {
  await withHome(async (home) => {
    const script = await home.file("script", [{ delayMs: 60_000, text: "too late" }]);
    const sys = home.sys({ model: `script:${script}` });
    const { pid } = await sys.call<Spawned>("proc.spawn", { prompt: "go on" });
    await until("it runs", async () => (await home.ps()).some((info) => info.pid === pid && info.state === "running"));
    await home.kill();
    const found = await home.gsv(["doctor"]);
    expect([found.status, found.stdout]).toEqual([0, expect.stringMatching(/notice +unfinished +\d process/)]);
    expect((await home.gsv(["fsck", "--repair"])).status).toBe(0);
    await home.file("script", [{ text: "in time", repeat: 10 }]);
    const { results } = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [pid] });
    expect(results[0]?.text).toBe("in time");
    expect((await home.gsv(["kernel", "stop"])).status).toBe(0);
    expect((await home.gsv(["doctor"])).stdout).not.toContain("notice   unfinished");
  });
}, 30_000);

test.concurrent("checking a database that is damaged after kill -9 leaves its log next to it for the quarantine", async () => {
  await withHome(async (home) => {
    const script = await home.file("script", [{ delayMs: 60_000, text: "too late" }]);
    const sys = home.sys({ model: `script:${script}` });
    const { pid } = await sys.call<Spawned>("proc.spawn", { prompt: "go on" });
    await home.kill();
    const path = join(home.paths.procDir, `${pid}.db`);
    await Bun.spawn([process.execPath, "-e", LEAVE_A_LOG, path], { env: {} }).exited;
    const size = statSync(path).size;
    const file = openSync(path, "r+");
    const rubbish = new Uint8Array(4096).fill(0xa5);
    for (let at = 4096; at < size; at += 4096) writeSync(file, rubbish, 0, rubbish.length, at);
    closeSync(file);
    const wal = statSync(`${path}-wal`).size;
    expect((await home.gsv(["doctor"])).stdout).toContain(`${pid}.db: `);
    expect((await home.gsv(["fsck"])).stdout).toContain(`${pid}.db: `);
    expect([wal > 0, statSync(path).size, statSync(`${path}-wal`).size]).toEqual([true, size, wal]);
    expect(readdirSync(home.paths.quarantineDir)).toEqual([]);
  });
}, 30_000);

test.concurrent("a home with a path too long for a socket is checked at the actual place of its socket", async () => {
  await withHome(
    async (home) => {
      expect((await home.gsv(["send", "hello"])).status).toBe(0);
      const found = await home.gsv(["doctor", "socket", "lock"]);
      expect([found.status, found.stdout]).toEqual([0, expect.stringContaining("too long for a socket")]);
      expect(found.stdout).toContain("is running and answers");
      const places = JSON.parse((await home.gsv(["paths", "--json"])).stdout) as { socket: string };
      expect(places.socket).toBe(home.socketPath);
    },
    { at: `${"deep/".repeat(30)}home` },
  );
}, 30_000);
