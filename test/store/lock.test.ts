import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acquireLock, type Lock } from "../../src/store/lock.ts";

let directory = "";
let file = "";
const held: Lock[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gsv-lock-"));
  file = join(directory, "kernel.lock");
});

afterEach(() => {
  for (const lock of held.splice(0)) lock.release();
  rmSync(directory, { recursive: true, force: true });
});

function take(): Lock | null {
  const lock = acquireLock(file);
  if (lock !== null) held.push(lock);
  return lock;
}

/** Another process that takes the lock, reports whether it got it and holds it until it is killed. */
async function rival() {
  const module = JSON.stringify(join(import.meta.dir, "../../src/store/lock.ts"));
  const script = `const { acquireLock } = await import(${module});
    const lock = acquireLock(${JSON.stringify(file)});
    console.log(lock === null ? "refused" : "holds");
    setInterval(() => {}, 1000);
    globalThis.kept = lock;`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    stdout: "pipe",
    stderr: "inherit",
    env: { HOME: directory },
  });
  const { value } = await child.stdout.getReader().read();
  return {
    got: Buffer.from(value ?? [])
      .toString()
      .trim(),
    async end() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

test("the lock has one holder in this process, and the next after its release", () => {
  const first = take();
  expect(first).not.toBeNull();
  expect(take()).toBeNull();
  expect(take()).toBeNull();
  first?.release();
  first?.release();
  expect(take()).not.toBeNull();
});

test("a second process is refused, however often this one tried, until this one releases the lock", async () => {
  const lock = take();
  for (let asked = 0; asked < 5; asked++) {
    lock?.stillOurs();
    take();
  }
  const during = await rival();
  await during.end();
  lock?.release();
  const after = await rival();
  await after.end();
  expect([during.got, after.got]).toEqual(["refused", "holds"]);
});

test("kill -9 of the holder frees the lock at once", async () => {
  const holder = await rival();
  expect(holder.got).toBe("holds");
  expect(take()).toBeNull();
  await holder.end();
  expect(take()).not.toBeNull();
});

test("the holder notices that the file was removed, replaced, moved or released", () => {
  const lock = take();
  expect(lock?.stillOurs()).toBe(true);
  renameSync(file, `${file}.away`);
  expect(lock?.stillOurs()).toBe(false);
  writeFileSync(file, "");
  expect(lock?.stillOurs()).toBe(false);
  renameSync(`${file}.away`, file);
  expect(lock?.stillOurs()).toBe(true);
  rmSync(file);
  expect(lock?.stillOurs()).toBe(false);
  const next = take();
  expect([lock?.stillOurs(), next?.stillOurs()]).toEqual([false, true]);
  next?.release();
  expect(next?.stillOurs()).toBe(false);
});

test("only its owner can read the file, whatever the umask", () => {
  const before = process.umask(0);
  try {
    take();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  } finally {
    process.umask(before);
  }
});

test("a file that cannot be a lock is an error with its name", () => {
  mkdirSync(file);
  expect(() => take()).toThrow(`cannot lock ${file}`);
  rmSync(file, { recursive: true });
  writeFileSync(file, "this is no database, but it is long enough to look at ".repeat(40));
  expect(() => take()).toThrow(`cannot lock ${file}`);
});

test("a pipe in place of the lock is refused without waiting for a writer", async () => {
  Bun.spawnSync(["mkfifo", file]);
  // In a program of its own: a wait for a pipe in this one could not be ended.
  const module = JSON.stringify(join(import.meta.dir, "../../src/store/lock.ts"));
  const look = `console.log((await import(${module})).lockFault(process.argv[1]))`;
  const child = Bun.spawnSync([process.execPath, "-e", look, file], { timeout: 5000 });
  expect(child.stdout.toString()).toBe("not a regular file\n");
});
