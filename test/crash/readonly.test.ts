// A home without write access, by its mount or by its mode: reads work, writes report it at once.

import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Ran, type TestHome, withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";

const isRoot = process.getuid?.() === 0;
// Modes do not stop root; a mount does.
const READ_ONLY = [
  "unshare",
  "-m",
  "sh",
  "-c",
  'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" "$0" && exec "$@"',
];
const canTry = !isRoot || Bun.spawnSync([...READ_ONLY, "/tmp", "true"], { stderr: "ignore" }).success;

async function readOnly(home: TestHome, ...args: string[]): Promise<Ran> {
  const child = Bun.spawn([...(isRoot ? [...READ_ONLY, home.directory] : []), ...gsvCommand(), ...args], {
    env: { HOME: home.beside("."), USER: "sam", PATH: process.env.PATH ?? "", GSV_HOME: home.directory },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { status, stdout, stderr };
}

function setModes(home: TestHome, mode: number): void {
  if (isRoot) return;
  const { home: top, runDir, logDir, procDir, objectsDir } = home.paths;
  for (const directory of [top, runDir, logDir, procDir, objectsDir]) chmodSync(directory, mode);
}

test.skipIf(!canTry)(
  "on a read-only home reads work, and writes exit 78 with one line and a hint",
  async () => {
    await withHome(async (home) => {
      expect((await home.gsv(["chat", "hello"])).status).toBe(0);
      expect((await home.gsv(["fs", "write", "~/note", "a note"])).status).toBe(0);
      await home.stop();
      setModes(home, 0o500);
      try {
        for (const [args, shown] of [
          [["ps"], "init:1000"],
          [["proc", "history"], "hello"],
          [["fs", "read", "~/note"], "a note"],
          [["kernel", "status"], "not running"],
          [["config", "list", "ai.model"], "ai.model"],
        ] as const) {
          const ran = await readOnly(home, ...args);
          expect([args, ran.status, ran.stderr]).toEqual([args, 0, ""]);
          expect(ran.stdout).toContain(shown);
        }
        for (const args of [
          ["send", "x"],
          ["fs", "write", "~/y", "z"],
          ["chat", "x"],
          ["config", "set", "ai.maxTokens", "9"],
        ]) {
          const ran = await readOnly(home, ...args);
          expect([args, ran.status, ran.stdout]).toEqual([args, 78, ""]);
          expect(ran.stderr).toMatch(/^gsv: cannot write to .*\n {2}commands that only read still work; .*\n$/);
        }
        for (const args of [["doctor"], ["fsck"], ["fsck", "--repair"]]) {
          const ran = await readOnly(home, ...args);
          const why = isRoot ? "is on a read-only file system" : "mode 500";
          if (isRoot || args[0] === "doctor") expect([args, ran.status]).toEqual([args, 1]);
          if (isRoot || args[0] === "doctor") expect(ran.stdout).toMatch(new RegExp(`^problem {2}home .*${why}`, "m"));
        }
      } finally {
        setModes(home, 0o700);
      }
      expect((await home.gsv(["send", "again"])).status).toBe(0);
    });
  },
  30_000,
);

test.skipIf(!canTry)(
  "a killed kernel's write-ahead log is not ignored: it is unreadable, and the error says so",
  async () => {
    await withHome(async (home) => {
      expect((await home.gsv(["send", "hello"])).status).toBe(0);
      await home.kill();
      expect(existsSync(`${home.paths.kernelDb}-wal`)).toBe(true);
      // Without the index of the log, as after a reboot.
      for (const name of readdirSync(home.directory).filter((each) => each.endsWith("-shm")))
        await Bun.file(join(home.directory, name)).delete();
      copyFileSync(`${home.paths.kernelDb}-wal`, home.beside("wal"));
      setModes(home, 0o500);
      const ran = await readOnly(home, "ps").finally(() => setModes(home, 0o700));
      expect([ran.status, ran.stderr]).toEqual([
        78,
        expect.stringContaining("it has unmerged changes and its directory is read-only"),
      ]);
      expect((await home.gsv(["ps"])).status).toBe(0);
    });
  },
  30_000,
);
