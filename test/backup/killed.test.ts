// Backups and restores that are killed: no half file gets the name, no half home is ever served, and the next one needs no help.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, watch } from "node:fs";
import { join } from "node:path";
import { decideRestore, finishRestore, isRestoreUnfinished } from "../../src/backup/swap.ts";
import { unpack } from "../../src/backup/unpack.ts";
import { type TestHome, withHome } from "../support/home.ts";
import { keepingOf } from "../support/keeping.ts";
import { gsvCommand } from "../support/program.ts";
import { samples } from "../support/soak.ts";
import { HomeBook } from "../support/sound.ts";

/** A restore is cut off before its first rename, and before each one so many further on. */
const MOVES_STEP = samples(5, 1);

/** Runs gsv and kills it at the given moment, or lets it end. */
async function killed(home: TestHome, moment: (kill: () => void) => () => void, ...args: string[]) {
  const env = { HOME: home.beside(""), USER: "sam", PATH: process.env.PATH ?? "", GSV_HOME: home.directory };
  const child = Bun.spawn([...gsvCommand(), ...args], { cwd: "/", env, stdio: ["ignore", "ignore", "ignore"] });
  const forget = moment(() => child.kill("SIGKILL"));
  const status = await child.exited;
  forget();
  return child.signalCode ?? status;
}

const after = (ms: number) => (kill: () => void) => {
  const timer = setTimeout(kill, ms);
  return () => clearTimeout(timer);
};

/** The moment a new entry appears in the directory. */
const whenWritten = (directory: string) => (kill: () => void) => {
  const watcher = watch(directory, kill);
  return () => watcher.close();
};

async function filled(home: TestHome, word: string): Promise<void> {
  const sys = home.sys();
  for (let n = 0; n < 8; n++)
    await sys.call("fs.write", { path: `~/${word}-${n}.md`, content: `${word} ${n}\n`.repeat(2000) });
  for (let n = 0; n < 3; n++) await sys.call("proc.spawn", { label: `${word} ${n}`, prompt: "help" });
  await sys.call("proc.reset", {});
  await sys.close();
  await home.stop();
}

function stagings({ paths }: TestHome): string[] {
  return readdirSync(paths.backupDir).filter((name) => name.startsWith(".staging-"));
}

async function labels(home: TestHome): Promise<string[]> {
  return (await home.ps()).map(({ label }) => label ?? "").sort();
}

test("a backup killed at any time leaves a complete file of that name or none, and the next removes its leftovers", async () => {
  await withHome(async (home) => {
    await filled(home, "word");
    const file = home.beside("b.tar");
    await home.gsv(["backup", home.beside("first.tar")]);
    const started = performance.now();
    expect((await home.gsv(["backup", home.beside("second.tar")])).status).toBe(0);
    const wholeMs = performance.now() - started;
    expect(await killed(home, whenWritten(home.paths.backupDir), "backup", file)).toBe("SIGKILL");
    expect(existsSync(file)).toBe(false);
    const rounds = samples(2, 100);
    for (let n = 0; n < rounds; n++) {
      rmSync(file, { force: true });
      await killed(home, after((wholeMs * (n + 1)) / rounds), "backup", file);
      if (existsSync(file)) await unpacked(home, file);
    }
    expect((await home.gsv(["backup", "--force", file])).status).toBe(0);
    expect([stagings(home), existsSync(`${file}.partial`)]).toEqual([[], false]);
    await unpacked(home, file);
  });
}, 120_000);

/** Throws unless the file is a whole backup. */
async function unpacked(home: TestHome, file: string): Promise<string> {
  const into = home.beside("unpacked");
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into);
  await unpack(file, into);
  return into;
}

test("a restore that is killed at any time leaves the old home or the new, whole", async () => {
  await withHome(async (home) => {
    await filled(home, "old");
    const old = home.beside("old.tar");
    await home.gsv(["backup", old]);
    await home.gsv(["kernel", "stop"]);
    rmSync(home.directory, { recursive: true });
    await filled(home, "new");
    const other = home.beside("new.tar");
    await home.gsv(["backup", other]);
    const worlds = {
      [old]: ["init (sam)", "old 0", "old 1", "old 2"],
      [other]: ["init (sam)", "new 0", "new 1", "new 2"],
    };
    const started = performance.now();
    expect((await home.gsv(["restore", "--force", old])).status).toBe(0);
    const wholeMs = performance.now() - started;
    const seen = new Set<string>();
    let now = old;
    const rounds = samples(2, 100);
    for (let n = 0; n < rounds; n++) {
      const next = now === old ? other : old;
      const end = await killed(home, after((wholeMs * 1.2 * (n + 0.25)) / rounds), "restore", "--force", next);
      await home.gsv(["kernel", "start"]);
      const found = await labels(home);
      const is = [old, other].find((file) => JSON.stringify(worlds[file]) === JSON.stringify(found));
      expect({ n, end, found, is: is !== undefined }).toEqual({ n, end, found, is: true });
      if (end === 0) expect(is).toBe(next);
      now = is ?? now;
      seen.add(`${end} ${is === next}`);
      await home.gsv(["wait", ...(await home.ps()).map(({ pid }) => pid)]);
      await home.gsv(["kernel", "stop"]);
      expect(new HomeBook(home).faults).toEqual([]);
    }
    expect(seen.has("SIGKILL false")).toBe(true);
    expect((await home.gsv(["restore", "--force", old])).status).toBe(0);
    expect(stagings(home)).toEqual([]);
  });
}, 180_000);

test("a restore past its decision is finished by the next kernel, whichever rename was the last", async () => {
  await withHome(async (home) => {
    await filled(home, "old");
    const file = home.beside("old.tar");
    await home.gsv(["backup", file]);
    let reached = 0;
    for (let moves = 0; ; moves += MOVES_STEP) {
      await home.gsv(["spawn", "--label", `since ${moves}`]);
      await home.gsv(["kernel", "stop"]);
      const staging = join(home.paths.backupDir, ".staging-a");
      mkdirSync(staging);
      await unpack(file, staging);
      await decideRestore(home.paths, { from: ".staging-a", aside: `replaced-${moves}` });
      let left = moves;
      const died = await finishRestore(home.paths, (from, to) => {
        if (left-- === 0) throw new Error("dead");
        require("node:fs").renameSync(from, to);
      }).then(
        () => false,
        () => true,
      );
      expect(isRestoreUnfinished(home.paths)).toBe(died);
      // A read alone starts a kernel: until it has finished no client sees a mixture.
      expect(await labels(home)).toEqual(["init (sam)", "old 0", "old 1", "old 2"]);
      expect([isRestoreUnfinished(home.paths), existsSync(staging)]).toEqual([false, false]);
      expect(readdirSync(join(home.paths.backupDir, `replaced-${moves}`)).sort()).toContain("kernel.db");
      await home.stop();
      expect(new HomeBook(home).faults).toEqual([]);
      if (!died) break;
      reached++;
    }
    expect(reached * MOVES_STEP).toBeGreaterThanOrEqual(6);
  });
}, 120_000);

test("of two backups of one home at once one succeeds, the other gets a hint to try again", async () => {
  await withHome(async (home) => {
    await home.gsv(["ps"]);
    const keeping = keepingOf(home.directory);
    const both = await Promise.allSettled(
      ["a.tar", "b.tar"].map((name) => keeping.backup(home.beside(name), { force: false })),
    );
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect((both[1] as PromiseRejectedResult).reason).toMatchObject({ code: "EAGAIN" });
  });
}, 30_000);
