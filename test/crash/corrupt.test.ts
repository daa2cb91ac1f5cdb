// One damaged process database among eight, found by the kernel that starts after kill -9: only that process is affected.

import { expect, test } from "bun:test";
import { closeSync, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Spawned, WaitResult } from "../../src/syscalls/services.ts";
import { withHome } from "../support/home.ts";
import { rejection } from "../support/refusal.ts";

const PAGE_BYTES = 4096;

/** Checkpoints the file, leaves something in its WAL and dies with both open, as a kernel would. */
const LEAVE_A_WAL = `
  const db = new (require("bun:sqlite").Database)(process.argv[1]);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.run("INSERT INTO syscall_log (at, call, args, outcome, ms) VALUES (1, 'fs.read', '{}', 'ok', 1)");
  process.kill(process.pid, "SIGKILL");
`;

async function damage(path: string): Promise<void> {
  await Bun.spawn([process.execPath, "-e", LEAVE_A_WAL, path], { env: {} }).exited;
  const file = openSync(path, "r+");
  const rubbish = new Uint8Array(PAGE_BYTES).fill(0xa5);
  for (let at = PAGE_BYTES; at < statSync(path).size; at += PAGE_BYTES) writeSync(file, rubbish, 0, PAGE_BYTES, at);
  closeSync(file);
}

test.concurrent("a corrupt process database leaves seven of eight at work, moves to quarantine with its WAL, and a reset starts over", async () => {
  await withHome(async (home) => {
    const script = await home.file("script", [{ delayMs: 60_000, text: "too late" }]);
    const sys = home.sys({ model: `script:${script}` });
    const spawned = await Promise.all(
      Array.from({ length: 8 }, () => sys.call<Spawned>("proc.spawn", { prompt: "go on" })),
    );
    const [victim = "", ...others] = spawned.map(({ pid }) => pid);
    await home.kill();
    await home.file("script", [{ text: "here again", repeat: 100 }]);
    await damage(join(home.paths.procDir, `${victim}.db`));

    const { results } = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: others });
    expect(results.map((result) => [result.status, result.text])).toEqual(others.map(() => ["ok", "here again"]));
    const { processes } = await sys.call<{ processes: ProcessInfo[] }>("proc.list", {});
    const broken = processes.filter((info) => info.state === "error");
    expect(broken.map((info) => [info.pid, info.waitsFor?.kind])).toEqual([[victim, "repair"]]);
    const [place = "", ...more] = readdirSync(home.paths.quarantineDir);
    expect([place.startsWith(victim), more]).toEqual([true, []]);
    const kept = readdirSync(join(home.paths.quarantineDir, place)).sort();
    expect(kept).toEqual([`${victim}.db`, `${victim}.db-shm`, `${victim}.db-wal`]);

    const refused = await rejection(sys.call("proc.send", { pid: victim, message: "hello" }));
    expect([refused.code, refused.hints]).toEqual([
      "EIO",
      [
        `its files are in ${join(home.paths.quarantineDir, place)}`,
        `to start over: gsv proc reset --pid ${victim}`,
        "to go back to a backup: gsv restore --force FILE",
      ],
    ]);
    const fork = await rejection(sys.call("proc.fork", { pid: victim }));
    expect([fork.code, fork.message, fork.hints]).toEqual([
      "EIO",
      `${victim} cannot be forked: its database is damaged`,
      refused.hints,
    ]);
    const waited = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [victim] });
    expect(waited.results[0]?.exit).toBe(1);
    const reset = await home.gsv(["proc", "reset", "--pid", victim]);
    const lies = `its damaged database is in ${join(home.paths.quarantineDir, place)}`;
    expect(reset.stdout).toBe(`reset ${victim} (not archived; ${lies})\n`);
    await sys.call("proc.send", { pid: victim, message: "hello" });
    const afresh = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [victim] });
    expect([afresh.results[0]?.status, afresh.results[0]?.text]).toEqual(["ok", "here again"]);
  });
}, 30_000);

test.concurrent("kill says where a damaged history lies, and so does whatever asks for the process later", async () => {
  await withHome(async (home) => {
    const sys = home.sys();
    const { pid } = await sys.call<Spawned>("proc.spawn", { prompt: "what is running" });
    await sys.call("proc.wait", { pids: [pid] });
    // The database is damaged before a kernel looks at it again.
    home.refuseToStart = true;
    await sys.close();
    await home.kill();
    await damage(join(home.paths.procDir, `${pid}.db`));
    const killed = await home.gsv(["kill", pid]);
    const place = join(home.paths.quarantineDir, readdirSync(home.paths.quarantineDir)[0] ?? "");
    expect(killed.stdout).toBe(`killed ${pid} (not archived; its damaged database is in ${place})\n`);
    const gone = await home.gsv(["history", pid]);
    expect(gone.status).toBe(3);
    expect(gone.stderr).toContain(`nothing was archived: its damaged database is in ${place}`);
  });
}, 30_000);

test.concurrent("a process database that is missing is one process in error, and the kernel starts", async () => {
  await withHome(async (home) => {
    const script = await home.file("script", [{ delayMs: 60_000, text: "too late" }]);
    const sys = home.sys({ model: `script:${script}` });
    const { pid } = await sys.call<Spawned>("proc.spawn", { prompt: "go on" });
    await home.kill();
    for (const name of readdirSync(home.paths.procDir)) {
      if (name.startsWith(pid)) await Bun.file(join(home.paths.procDir, name)).delete();
    }
    await sys.call("proc.send", { message: "help" });
    const { processes } = await sys.call<{ processes: ProcessInfo[] }>("proc.list", {});
    expect(processes.find((info) => info.pid === pid)?.state).toBe("error");
  });
}, 30_000);
