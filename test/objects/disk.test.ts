// The disk driver: bytes and rows agree, readers get whole objects, nothing outside its directory is ever touched.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { diskObjects } from "../../src/objects/disk.ts";
import type { ObjectRows } from "../../src/objects/objects.ts";
import { objectsContract } from "../contract/objects.ts";
import { FakeClock } from "../support/clock.ts";
import { type DiskHome, newDisk, plain } from "../support/objects.ts";
import { seeded } from "../support/random.ts";
import { codeOf } from "../support/refusal.ts";

let disk: DiskHome;
beforeEach(async () => {
  disk = await newDisk();
});
afterEach(() => disk.dispose());

const text = (content: string) => new TextEncoder().encode(content);
const all = { offset: 0, bytesMax: 1 << 20 };

objectsContract("disk", newDisk);

describe("disk objects", () => {
  test("store an object under its own key on the host, privately, and return it with its hash", async () => {
    const meta = await disk.store.put(plain("home/sam/a.txt"), text("hello"));
    const path = join(disk.directory, "home/sam/a.txt");
    expect(await readFile(path, "utf8")).toBe("hello");
    expect((await lstat(path)).mode & 0o777).toBe(0o600);
    expect((await lstat(join(disk.directory, "home"))).mode & 0o777).toBe(0o700);
    expect(meta.sha256).toBe(new Bun.CryptoHasher("sha256").update("hello").digest("hex"));
    expect(await disk.store.head("home/sam/a.txt")).toEqual(meta);
    expect(await disk.rows.intents()).toEqual([]);
    expect(await readdir(join(disk.directory, ".tmp"))).toEqual([]);
  });

  test("follow no symlink on the host, neither on the way nor at the end", async () => {
    const outside = join(disk.home, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "secret"), "secret");
    await disk.store.put(plain("d/a"), text("mine"));
    await disk.store.put(plain("secret"), text("mine"));
    await rename(join(disk.directory, "d"), join(disk.directory, "d-moved"));
    await symlink(outside, join(disk.directory, "d"));
    await rm(join(disk.directory, "secret"));
    await symlink(join(outside, "secret"), join(disk.directory, "secret"));
    expect(await codeOf(disk.store.put(plain("d/new"), text("x")))).toBe("EIO");
    expect(await codeOf(disk.store.read("d/a", all))).toBe("EIO");
    expect(await codeOf(disk.store.read("secret", all))).toBe("EIO");
    expect(await codeOf(disk.store.put(plain("secret"), text("x")))).toBe("EEXIST");
    expect(await codeOf(disk.store.remove("d/a"))).toBe("EIO");
    expect(await readdir(outside)).toEqual(["secret"]);
    expect(await readFile(join(outside, "secret"), "utf8")).toBe("secret");
  });

  test("do not overwrite bytes on the host that have no row", async () => {
    await disk.store.put(plain("d/a"), text("x"));
    await writeFile(join(disk.directory, "d/stray"), "someone's");
    expect(await codeOf(disk.store.put(plain("d/stray"), text("x")))).toBe("EEXIST");
    expect(await readFile(join(disk.directory, "d/stray"), "utf8")).toBe("someone's");
  });

  test("report missing bytes as an error, not as an empty file", async () => {
    await disk.store.put(plain("a"), text("x"));
    await rm(join(disk.directory, "a"));
    await expect(disk.store.read("a", all)).rejects.toThrow("the content of a is missing");
  });

  test("delay a read during a change until bytes and row agree", async () => {
    await disk.store.put(plain("a"), text("old"));
    const events: string[] = [];
    const reached = Promise.withResolvers<void>();
    const rows: ObjectRows = {
      ...disk.rows,
      fulfil: async (intent, outcome) => {
        reached.resolve();
        await Bun.sleep(20);
        await disk.rows.fulfil(intent, outcome);
        events.push("row");
      },
    };
    const store = diskObjects({ directory: disk.directory, rows, clock: new FakeClock(), random: seeded(2).bytes });
    const written = store.put(plain("a"), text("new"));
    await reached.promise;
    await store.read("a", all);
    events.push("read");
    await written;
    expect(events).toEqual(["row", "read"]);
  });

  test("skip a directory that disappears during a full listing", async () => {
    for (const key of ["d/a", "e/a"]) await disk.store.put(plain(key), text("x"));
    const listed: string[] = [];
    for await (const { name } of disk.store.bytes.list()) {
      listed.push(name);
      await rm(join(disk.directory, name.startsWith("d") ? "e" : "d"), { recursive: true });
    }
    expect(listed).toHaveLength(1);
    // Also between the call that opens it and the one that reads it.
    const next = disk.store.bytes.list()[Symbol.asyncIterator]().next();
    rmSync(disk.directory, { recursive: true });
    await next;
  });

  test("remove the directory on the host with its last object", async () => {
    await disk.store.put(plain("a/b/c/d"), text("x"));
    await disk.store.remove("a/b/c/d");
    expect(await readdir(disk.directory)).toEqual([".tmp"]);
  });
});
