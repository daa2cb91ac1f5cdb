// Stored bytes of a home, on disk and in a bucket: status, verification, garbage collection, and a move between the two in a running
// kernel, through kill -9.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Sys } from "../../src/abi/sys.ts";
import type { Closed } from "../../src/syscalls/services.ts";
import type { Collection, StorageStatus, VerifiedPage } from "../../src/syscalls/system/storage.ts";
import { TestKernel } from "../support/kernel.ts";
import { bucketAt, type S3Server, startS3 } from "../support/s3.ts";
import { migrate, useBucket } from "../support/s3-home.ts";
import { type } from "../support/shell.ts";
import { readTree } from "../tidy/tree.ts";

const HOUR_MS = 3_600_000;
const CHILD = join(import.meta.dir, "migrate-child.ts");

let server: S3Server;
beforeAll(async () => {
  server = await startS3();
});
afterAll(() => server.stop());

const root = (home: TestKernel) => home.person(0);
const gc = (home: TestKernel, args: object = {}) => root(home).call<Collection>("storage.gc", args);

async function write(home: TestKernel, files: { readonly [path: string]: string }): Promise<void> {
  for (const [path, content] of Object.entries(files)) await home.sys.call("fs.write", { path, content });
}

async function read(home: TestKernel, path: string): Promise<string> {
  return (await home.sys.call<{ content: string }>("fs.read", { path })).content;
}

async function faults(sys: Sys): Promise<string[]> {
  return (await sys.call<VerifiedPage>("storage.verify", {})).faults.map(({ path, fault }) => `${fault} ${path}`);
}

async function namesIn(prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of bucketAt(server.endpoint, { prefix }).list("")) names.push(name);
  return names;
}

/** Sets the file's time back to that long before the kernel's now. */
function aged(home: TestKernel, path: string, ms: number): void {
  const seconds = (home.clock.now() - ms) / 1000;
  utimesSync(path, seconds, seconds);
}

test("status counts your own bytes by kind, and everything for root", async () => {
  await using home = await TestKernel.boot();
  await write(home, { "~/a": "12345", "~/b/c": "67" });
  await home.say("hello");
  await home.sys.call("proc.reset", {});
  const mine = await home.sys.call<StorageStatus>("storage.status", {});
  expect([mine.driver, mine.place]).toEqual(["disk", home.paths.objectsDir]);
  expect(mine.families.find(({ family }) => family === "archives")?.objects).toBe(1);
  expect(mine.bytes).toBe(mine.families.reduce((sum, { bytes }) => sum + bytes, 0));
  const { uid } = await root(home).call<{ uid: number }>("account.create", { username: "bob" });
  await home.person(uid).call("fs.write", { path: "/home/bob/a", content: "of bob" });
  const all = await root(home).call<StorageStatus>("storage.status", {});
  expect([all.objects, all.bytes]).toEqual([mine.objects + 1, mine.bytes + 6]);
  const shown = await type(home, "storage", "status");
  expect(shown.stdout).toMatch(/^driver {4}disk\nplace {5}\//);
  expect(shown.stdout).toContain("archives");
});

test("verify finds one changed byte and one lost file, exits 1, and does not mention other accounts' files", async () => {
  await using home = await TestKernel.boot();
  await write(home, { "~/kept": "fine", "~/bent": "straight", "~/lost": "here" });
  expect(await type(home, "storage", "verify")).toMatchObject({ status: 0, stdout: "" });
  const directory = join(home.paths.objectsDir, "home/sam");
  writeFileSync(join(directory, "bent"), "straighT");
  rmSync(join(directory, "lost"));
  const { status, stdout, stderr } = await type(home, "storage", "verify");
  expect(status).toBe(1);
  expect(stdout.match(/^\S+ {2}\S+/gm)).toEqual(["damaged  /home/sam/bent", "missing  /home/sam/lost"]);
  expect(stderr).toContain("2 damaged");
  const lines = (await type(home, "storage", "verify", "--json")).stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { path: "/home/sam/bent", fault: "damaged" },
    { path: "/home/sam/lost", fault: "missing" },
  ]);
  const { uid } = await root(home).call<{ uid: number }>("account.create", { username: "bob" });
  expect(await faults(home.person(uid))).toEqual([]);
  expect(await faults(root(home))).toHaveLength(2);
});

test("gc lists and then deletes unreferenced bytes older than an hour, and leaves everything else", async () => {
  await using home = await TestKernel.boot();
  await write(home, { "~/kept": "fine", "~/lost": "here" });
  const { objectsDir } = home.paths;
  const strays = ["home/sam/stray", "nobody/deep/stray", ".tmp/half"];
  for (const stray of [...strays, "home/sam/young"]) {
    mkdirSync(dirname(join(objectsDir, stray)), { recursive: true });
    writeFileSync(join(objectsDir, stray), "stray");
    aged(home, join(objectsDir, stray), stray.endsWith("young") ? HOUR_MS - 60_000 : HOUR_MS + 60_000);
  }
  const pid = await home.task();
  await home.sys.call("proc.media.put", { pid, data: "aGk=" });
  rmSync(join(objectsDir, "home/sam/lost"));
  expect(await gc(home)).toMatchObject({ count: 3 });
  for (const stray of strays) writeFileSync(join(objectsDir, mkdirFor(objectsDir, stray)), "stray");
  for (const stray of strays) aged(home, join(objectsDir, stray), 3 * HOUR_MS);
  await home.clock.advance(HOUR_MS + 60_000);
  aged(home, join(objectsDir, "home/sam/young"), HOUR_MS - 60_000);
  // Leaves the process as a kernel that died half-way through a kill.
  await home.stores.kernel.processes.remove(pid, { uid: 1000, requestId: "x", answer: {}, now: home.clock.now() });
  const would = await gc(home, { dryRun: true });
  expect(would.collected.map(({ what, name }) => `${what}: ${name.replace(/[0-9a-f-]{36}/, "ID")}`).sort()).toEqual([
    "bytes of no file: home/sam/stray",
    "bytes of no file: nobody/deep/stray",
    "file without bytes: /home/sam/lost",
    "half-written: .tmp/half",
    `media of a process that is gone: /var/media/1000/${pid}/ID.txt`,
  ]);
  for (const stray of strays) expect(existsSync(join(objectsDir, stray))).toBe(true);
  expect((await gc(home)).count).toBe(would.count);
  for (const stray of strays) expect(existsSync(join(objectsDir, stray))).toBe(false);
  expect(existsSync(join(objectsDir, "home/sam/young"))).toBe(true);
  expect(await read(home, "~/kept")).toBe("fine");
  expect(await home.refusal("fs.read", { path: "~/lost" })).toMatchObject({ code: "ENOENT" });
  expect(await gc(home)).toMatchObject({ count: 0, collected: [] });
});

function mkdirFor(directory: string, name: string): string {
  mkdirSync(dirname(join(directory, name)), { recursive: true });
  return name;
}

test("all bytes move into a bucket and back in a running kernel, each one checked, and the next kernel finds them", async () => {
  await using home = await TestKernel.boot();
  await write(home, { "~/a": "first", "~/d/ä 😀": "second" });
  await home.say("hello");
  const { archiveId } = await home.sys.call<Closed>("proc.reset", {});
  const prefix = await useBucket(home, server);
  const moved = await migrate(home, "s3");
  // The archive has a second name, for its session; the bytes move once.
  expect(moved).toMatchObject({ driver: "s3", from: home.paths.objectsDir, found: 1 });
  expect(await home.sys.call<StorageStatus>("storage.status", {})).toMatchObject({ driver: "s3", place: moved.to });
  const archived = () => home.sys.call("archive.verify", { id: archiveId });
  expect(await archived()).toMatchObject({ ok: true });
  await write(home, { "~/a": "changed in the bucket" });
  await home.restart();
  expect([await read(home, "~/a"), await read(home, "~/d/ä 😀")]).toEqual(["changed in the bucket", "second"]);
  await home.say("again");
  const later = await home.sys.call<Closed>("proc.reset", {});
  expect(await home.sys.call("archive.verify", { id: later.archiveId })).toMatchObject({ ok: true });
  expect(await faults(root(home))).toEqual([]);
  // The source still has the moved bytes.
  expect(readFileSync(join(home.paths.objectsDir, "home/sam/a"), "utf8")).toBe("first");
  home.clock.setWall(Date.now() + 2 * HOUR_MS);
  expect((await gc(home)).count).toBe(0);
  expect((await gc(home, { left: true })).count).toBe(moved.objects);
  expect(readdirSync(home.paths.objectsDir).filter((name) => name !== ".tmp")).toEqual([]);
  expect(await read(home, "~/a")).toBe("changed in the bucket");

  expect(await migrate(home, "disk")).toMatchObject({ driver: "disk", to: home.paths.objectsDir });
  expect(await read(home, "~/a")).toBe("changed in the bucket");
  expect(await archived()).toMatchObject({ ok: true });
  expect(await faults(root(home))).toEqual([]);
  await home.clock.advance(HOUR_MS);
  await gc(home, { left: true });
  expect(await namesIn(prefix)).toEqual(["home.json"]);
});

test("a file written during a move is there afterwards", async () => {
  const FILES = 8;
  await using home = await TestKernel.boot();
  await write(home, Object.fromEntries(Array.from({ length: FILES }, (_, n) => [`~/f${n}`, `old ${n}`])));
  await useBucket(home, server);
  let isOver = false;
  const moving = migrate(home, "s3").finally(() => {
    isOver = true;
  });
  let n = 0;
  while (!isOver) {
    await write(home, { [`~/f${n % FILES}`]: `new ${n}` });
    n++;
  }
  await moving;
  expect(n).toBeGreaterThan(3);
  for (let file = 0; file < Math.min(FILES, n); file++)
    expect(await read(home, `~/f${file}`)).toBe(`new ${file + FILES * Math.floor((n - 1 - file) / FILES)}`);
  expect(await faults(root(home))).toEqual([]);
});

test("files deleted or renamed before or during the move back do not block it", async () => {
  await using home = await TestKernel.boot();
  const names = Array.from({ length: 20 }, (_, n) => `~/f${n}`);
  await write(home, Object.fromEntries(["~/before", ...names].map((path) => [path, `old ${path}`])));
  await useBucket(home, server);
  await migrate(home, "s3");
  await home.sys.call("fs.delete", { path: "~/before" });
  let isOver = false;
  const moving = migrate(home, "disk").finally(() => {
    isOver = true;
  });
  for (let n = 0; n < 20 && !isOver; n++) {
    if (n % 2 === 0) await home.sys.call("fs.delete", { path: `~/f${n}` });
    else await home.sys.call("fs.rename", { from: `~/f${n}`, to: `~/g${n}` });
  }
  await moving;
  await write(home, Object.fromEntries(["~/before", ...names].map((path) => [path, `new ${path}`])));
  for (const path of ["~/before", ...names]) expect(await read(home, path)).toBe(`new ${path}`);
  expect(await faults(root(home))).toEqual([]);
});

test("damaged bytes are not moved, and the driver is not switched", async () => {
  await using home = await TestKernel.boot();
  await write(home, { "~/bent": "straight" });
  await useBucket(home, server);
  writeFileSync(join(home.paths.objectsDir, "home/sam/bent"), "straighT");
  expect(await home.refusal("storage.migrate", { to: "s3" }, root(home))).toMatchObject({
    code: "EIO",
    message: expect.stringContaining("/home/sam/bent"),
  });
  expect((await home.sys.call<StorageStatus>("storage.status", {})).driver).toBe("disk");
});

test("an unusable bucket is reported before anything moves, and the driver cannot be set by hand", async () => {
  await using home = await TestKernel.boot();
  expect(await home.refusal("storage.migrate", { to: "s3" }, root(home))).toMatchObject({ code: "ECONFIG" });
  const set = { key: "storage.driver", value: "s3", system: true };
  expect((await home.refusal("config.set", set, root(home))).hints.join()).toContain("gsv storage migrate");
  await useBucket(home, server);
  await root(home).call("config.set", { key: "storage.s3.accessKeyId", value: "somebody-else", system: true });
  const refused = await home.refusal("storage.migrate", { to: "s3" }, root(home));
  expect(refused).toMatchObject({ code: "EAUTH" });
  expect(refused.message + refused.hints.join()).not.toContain("somebody-else");
});

test("a bucket prefix of another home is refused", async () => {
  await using one = await TestKernel.boot();
  await using other = await TestKernel.boot();
  const prefix = await useBucket(one, server);
  await useBucket(other, server);
  await root(other).call("config.set", { key: "storage.s3.prefix", value: prefix, system: true });
  await migrate(one, "s3");
  expect(await other.refusal("storage.migrate", { to: "s3" }, root(other))).toMatchObject({ code: "EEXIST" });
  expect((await other.sys.call<StorageStatus>("storage.status", {})).driver).toBe("disk");
  await migrate(one, "disk");
  await migrate(one, "s3");
});

test("a killed move continues where it stopped, and until its end the source keeps all bytes", async () => {
  await using home = await TestKernel.boot();
  const files = Array.from({ length: 24 }, (_, n) => `home/sam/many/${n}`);
  for (const key of files) {
    const meta = { key, uid: 1000, gid: 1000, mode: 0o644, type: "text/plain", mtimeMs: 1, dirmarker: false };
    await home.stores.objects.put({ ...meta, symlink: null }, Buffer.from(`content of ${key}`));
  }
  await useBucket(home, server);
  await home.kernel.drain(0);
  await home.kernel.leave();
  const argv = [process.execPath, CHILD, home.directory, "26"];
  const child = Bun.spawn(argv, { env: {}, stdout: "ignore", stderr: "inherit" });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  await home.start();
  expect(await home.sys.call<StorageStatus>("storage.status", {})).toMatchObject({ driver: "disk" });
  expect(await faults(root(home))).toEqual([]);
  const { found, objects } = await migrate(home, "s3");
  expect(found).toBeGreaterThanOrEqual(10);
  expect(found).toBeLessThan(objects);
  for (const key of files) expect(await read(home, `/${key}`)).toBe(`content of ${key}`);
  expect(await faults(root(home))).toEqual([]);
}, 30_000);

test("a home with its bytes on disk loads no S3 code", () => {
  const tree = readTree(["src", "fs"]);
  const loaded = new Set<string>();
  const waiting = [
    "src/boot/boot.ts",
    "src/client/host.ts",
    "src/client/read.ts",
    "src/client/read-files.ts",
    "src/machine/backups.ts",
  ];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (loaded.has(path)) continue;
    loaded.add(path);
    for (const { target, own, kind } of tree.get(path)?.imports ?? [])
      if (own && kind === "static") waiting.push(target);
  }
  expect(loaded).toContain("src/objects/disk.ts");
  expect([...loaded].filter((path) => /s3|bucket|objects\/spool/.test(path))).toEqual([]);
});
