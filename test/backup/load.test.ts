// A backup of a working home, restored into an empty one: every message acknowledged before the start of the backup is there, the databases
// are whole and agree, and work in progress continues.

import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import type { BackupMade } from "../../src/abi/backup.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Sent, Spawned } from "../../src/syscalls/services.ts";
import { TestHome, until, withHome } from "../support/home.ts";
import { drawn, samples } from "../support/soak.ts";
import { type Acknowledged, HomeBook } from "../support/sound.ts";

const SCRIPT = [
  { calls: [{ name: "Write", args: { path: "~/w-{{last}}", content: "written {{last}}" } }], delayMs: 3 },
  { text: "answer {{n}}", delayMs: 3, repeat: 100_000 },
];

/** People and agents that work until stopped; their acknowledged messages are recorded. */
class Load {
  readonly acknowledged: Acknowledged[] = [];
  rounds = 0;
  private isOver = false;
  private readonly workers: Promise<void>;

  constructor(
    private readonly sys: Sys,
    pids: readonly string[],
  ) {
    this.workers = Promise.all([...pids.map((pid) => this.talk(pid)), this.churn()]).then(() => {});
    // Set by `stop`, and by the end of a test that fails before.
    this.workers.catch(() => {});
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.workers;
  }

  private async talk(pid: string): Promise<void> {
    for (let n = 0; !this.isOver; n++) {
      const text = `${pid.slice(5)}-${n}`;
      const { runId } = await this.sys.call<Sent>("proc.send", { pid, message: text });
      this.acknowledged.push({ pid, runId, text, sender: "person" });
      if (n % 8 === 7) await this.sys.call("proc.wait", { pids: [pid] });
      if (n % 16 === 15) await this.sys.call("proc.reset", { pid });
    }
  }

  /** Processes and files that come and go. */
  private async churn(): Promise<void> {
    for (; !this.isOver; this.rounds++) {
      const { pid } = await this.sys.call<Spawned>("proc.spawn", { prompt: "short" });
      await this.sys.call("fs.write", { path: `~/churn-${this.rounds % 5}`, content: `round ${this.rounds}` });
      await this.sys.call("fs.write", { path: "~/same", content: `round ${this.rounds}` });
      if (this.rounds > 1) await this.sys.call("fs.delete", { path: `~/churn-${(this.rounds + 4) % 5}` });
      await this.sys.call("proc.kill", { pid });
    }
  }
}

async function backedUp(home: TestHome, load: Load, file: string): Promise<readonly Acknowledged[]> {
  const before = [...load.acknowledged];
  const ran = await home.gsv(["backup", file, "--json"]);
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
  expect((JSON.parse(ran.stdout) as BackupMade).faults).toEqual([]);
  return before;
}

/** Restores a backup into a home of its own, lets a kernel finish the work in progress, and checks the files. */
async function faultsOf(file: string, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const home = new TestHome();
  try {
    const ran = await home.gsv(["restore", file]);
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    const processes = await home.ps();
    await home.gsv(["wait", ...processes.map(({ pid }) => pid)]);
    const archives = (await home.gsv(["archive", "list", "--json"])).stdout.split("\n").filter(Boolean);
    for (const archive of archives.slice(0, 3)) {
      const { id } = JSON.parse(archive) as { id: string };
      expect((await home.gsv(["archive", "verify", id])).status).toBe(0);
    }
    expect((await home.ps()).filter(({ state }) => state !== "idle")).toEqual([]);
    await home.stop();
    const book = new HomeBook(home);
    return [...book.faults, ...book.missing(acknowledged)];
  } finally {
    await home.dispose();
  }
}

test("backups of a home under load, plain or compressed, have every message acknowledged before they started", async () => {
  await withHome(async (home) => {
    const sys = home.sys({ model: `script:${await home.file("script", SCRIPT)}` });
    const spawned = await Promise.all(Array.from({ length: 2 }, () => sys.call<Spawned>("proc.spawn", {})));
    const load = new Load(
      sys,
      spawned.map(({ pid }) => pid),
    );
    await until("the load is under way", () => load.acknowledged.length > 20 && load.rounds > 3, 60_000);
    const taken: [string, readonly Acknowledged[]][] = [];
    for (let n = 0; n < samples(1, 15); n++) {
      for (const packing of drawn(1, ["tar", "tar.gz"])) {
        const file = home.beside(`b${n}.${packing}`);
        taken.push([file, await backedUp(home, load, file)]);
      }
    }
    await load.stop();
    for (const [file, before] of taken) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect({ file, faults: await faultsOf(file, before) }).toEqual({ file, faults: [] });
    }
    await sys.call("proc.wait", { pids: spawned.map(({ pid }) => pid) });
    await home.stop();
    const book = new HomeBook(home);
    expect([...book.faults, ...book.missing(load.acknowledged)]).toEqual([]);
  });
}, 120_000);

test("a backup restored into its own home brings back its data, and keeps later data", async () => {
  await withHome(async (home) => {
    const file = home.beside("b.tar");
    await home.gsv(["fs", "write", "~/a.md", "-"], { stdin: "before\n" });
    const waiting = await home.gsv(["spawn", "--label", "kept"]);
    await home.gsv(["kill", "-STOP", waiting.stdout.trim()]);
    await home.gsv(["send", "--pid", waiting.stdout.trim(), "held"]);
    expect((await home.gsv(["backup", file])).status).toBe(0);
    await home.gsv(["fs", "write", "~/a.md", "-"], { stdin: "after\n" });
    await home.gsv(["spawn", "--label", "later"]);

    const held = await home.gsv(["restore", "--force", file]);
    expect([held.status, held.stderr]).toEqual([
      75,
      "gsv: not restored: a kernel is using this home\n  stop it first: gsv kernel stop\n",
    ]);
    await home.gsv(["kernel", "stop"]);
    const refused = await home.gsv(["restore", file]);
    expect([refused.status, refused.stderr.split("\n")[0]]).toEqual([1, `gsv: ${home.directory} is not empty`]);
    const restored = await home.gsv(["restore", "--force", file, "--json"]);
    const { replaced } = JSON.parse(restored.stdout) as { replaced: string };
    expect([restored.status, existsSync(`${replaced}/kernel.db`)]).toEqual([0, true]);

    expect((await home.gsv(["fs", "read", "~/a.md"])).stdout).toBe("before\n");
    const processes = await home.ps();
    expect(processes.map(({ label, state, queued }) => [label, state, queued])).toEqual([
      ["init (sam)", "idle", 0],
      ["kept", "stopped", 1],
    ]);
    await home.gsv(["proc", "resume", waiting.stdout.trim()]);
    expect((await home.gsv(["wait", waiting.stdout.trim()])).status).toBe(0);
    await home.stop();
    expect(new HomeBook(home).faults).toEqual([]);
  });
}, 60_000);
