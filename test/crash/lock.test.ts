// A kernel that could not look while its lock file was removed: another one starts, and the first writes nothing more.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SysError } from "../../src/abi/errno.ts";
import { realClock } from "../../src/lib/clock.ts";
import { isStopped } from "../../src/lib/stopped.ts";
import { ConnectionLost, dial } from "../../src/rpc/client.ts";
import type { KernelStatus, Spawned, WaitResult } from "../../src/syscalls/services.ts";
import { VERSION } from "../../src/version.ts";
import { type KernelProcess, type TestHome, until, withHome } from "../support/home.ts";

test.concurrent("a kernel that lost its lock writes 0 rows, even in the middle of a run, and leaves; the new one resumes the run", async () => {
  await withHome(async (home) => {
    // Its run must continue before it looks at the lock again.
    const stale = home.start({ GSV_KERNEL_LOCK_CHECK_MS: "1500" });
    await until("it serves", () => home.holder === stale.pid);
    const script = await home.file("script", [
      { delayMs: 100, calls: [{ name: "Write", args: { path: "~/written", content: "once" } }] },
      { text: "done" },
    ]);
    const { pid } = await home.sys({ model: `script:${script}` }).call<Spawned>("proc.spawn", { prompt: "go" });
    await suspendBetweenWrites(home, stale);
    rmSync(home.paths.lockFile);
    const heir = home.start();
    await until("the heir serves", () => home.holder === heir.pid);
    const sys = home.sys();
    const { results } = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [pid] });
    expect([results[0]?.status, results[0]?.text]).toEqual(["ok", "done"]);
    await until("the heir has nothing left to write", () => !JSON.stringify(everythingIn(home)).includes('"dirty":1'));
    const before = everythingIn(home);
    stale.signal("SIGCONT");
    expect(await stale.ended).toBe(75);
    expect(everythingIn(home)).toEqual(before);
    expect((await sys.call<KernelStatus>("system.status", {})).pid).toBe(heir.pid);
    expect((await home.gsv(["send", "still served"])).status).toBe(0);
    expect(home.holder).toBe(heir.pid);
  });
}, 30_000);

test.concurrent("a kernel that has lost its lock refuses calls as not saved until it leaves, and changes no row", async () => {
  await withHome(async (home) => {
    const stale = home.start({ GSV_KERNEL_LOCK_CHECK_MS: "60000" });
    await until("it serves", () => home.holder === stale.pid);
    const about = { clientId: "late", version: VERSION, cwd: "/", env: {} };
    const link = await dial({ socketPath: home.socketPath, info: about, clock: realClock, helloMs: 5000 });
    await suspendBetweenWrites(home, stale);
    rmSync(home.paths.lockFile);
    // The heir would knock there, and the old kernel leaves when it accepts somebody.
    rmSync(home.socketPath);
    const heir = home.start();
    await until("the heir serves", () => home.holder === heir.pid);
    const before = everythingIn(home);
    stale.signal("SIGCONT");
    const asked: readonly (readonly [string, object])[] = [
      ["proc.spawn", { prompt: "late" }],
      ["proc.send", { message: "late" }],
      ["fs.write", { path: "~/late", content: "late" }],
      ["proc.signal", { pid: "init:1000", signal: "STOP" }],
      ["proc.reset", { pid: "init:1000" }],
    ];
    // It leaves as soon as it has found out: what it has not answered by then, a client asks the heir.
    const refusals = asked.map(async ([name, args]) => {
      const answer = await link.call(name, args, { requestId: name }).catch((error: unknown) => error);
      if (answer instanceof ConnectionLost) return true;
      return answer instanceof SysError && answer.code === "EAGAIN" && answer.message.startsWith("not saved");
    });
    expect(await Promise.all(refusals)).toEqual(asked.map(() => true));
    link.close();
    expect(everythingIn(home)).toEqual(before);
  });
}, 30_000);

test.concurrent("a kernel that finds its lock gone leaves at once", async () => {
  await withHome(async (home) => {
    const stale = home.start({ GSV_KERNEL_LOCK_CHECK_MS: "20" });
    await until("it serves", () => home.holder === stale.pid);
    rmSync(home.paths.lockFile);
    expect(await stale.ended).toBe(75);
    expect((await home.gsv(["ps"])).status).toBe(0);
  });
}, 30_000);

/** A kernel that is suspended in the middle of a write keeps its database locked for everybody. */
async function suspendBetweenWrites(home: TestHome, kernel: KernelProcess): Promise<void> {
  await until("it is suspended and holds no database", async () => {
    kernel.signal("SIGSTOP");
    await until("it is suspended", () => isStopped(kernel.pid) !== false);
    if (databasesIn(home).every(isWritable)) return true;
    kernel.signal("SIGCONT");
    return false;
  });
}

function isWritable(path: string): boolean {
  const db = new Database(path, { readwrite: true });
  try {
    db.run("BEGIN IMMEDIATE");
    db.run("ROLLBACK");
    return true;
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith("SQLITE_BUSY")) return false;
    throw error;
  } finally {
    db.close();
  }
}

function databasesIn(home: TestHome): string[] {
  const { kernelDb, procDir } = home.paths;
  const processes = readdirSync(procDir).filter((name) => name.endsWith(".db"));
  return [kernelDb, ...processes.map((name) => join(procDir, name))];
}

function everythingIn(home: TestHome): object {
  return Object.fromEntries(databasesIn(home).map((path) => [path, rowsOf(path)]));
}

function rowsOf(path: string): object {
  const db = new Database(path, { readonly: true });
  try {
    const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    return Object.fromEntries(tables.map(({ name }) => [name, db.query(`SELECT * FROM ${name}`).all()]));
  } finally {
    db.close();
  }
}
