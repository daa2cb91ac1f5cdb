// What the disk driver promises: bytes and rows agree, readers see whole objects, nothing outside its directory is ever touched.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SysError } from "../../src/abi/errno.ts";
import { diskObjects } from "../../src/objects/disk.ts";
import type { ObjectRows } from "../../src/objects/objects.ts";
import { rejection } from "../contract/sys.ts";
import { FakeClock } from "../support/clock.ts";
import { type DiskHome, newDisk, plain } from "../support/objects.ts";
import { seeded } from "../support/random.ts";

let disk: DiskHome;
beforeEach(async () => {
  disk = await newDisk();
});
afterEach(() => disk.dispose());

const text = (content: string) => new TextEncoder().encode(content);
const all = { offset: 0, bytesMax: 1 << 20 };

async function content(key: string): Promise<string> {
  return new TextDecoder().decode(await disk.store.read(key, all));
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof SysError ? error.code : `no SysError: ${error}`;
}

describe("disk objects", () => {
  test("what is stored lies under its own key on the host, private, and reads back with its hash", async () => {
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

  test("the first objects of a new directory may come all at once", async () => {
    const keys = Array.from({ length: 8 }, (_, n) => `home/sam/${n}`);
    await Promise.all(keys.map((key) => disk.store.put(plain(key), text(key))));
    expect(await Promise.all(keys.map(content))).toEqual(keys);
  });

  test("a stream is stored piece by piece, and a range of it can be read", async () => {
    async function* pieces() {
      for (let n = 0; n < 1000; n++) yield text(String(n).padStart(4, "0"));
    }
    expect((await disk.store.put(plain("big"), pieces())).size).toBe(4000);
    const range = await disk.store.read("big", { offset: 4 * 500, bytesMax: 8 });
    expect(new TextDecoder().decode(range)).toBe("05000501");
    expect((await disk.store.read("big", { offset: 9999, bytesMax: 8 })).byteLength).toBe(0);
  });

  test("a stream that breaks leaves the old content and no temporary", async () => {
    await disk.store.put(plain("a"), text("old"));
    async function* broken() {
      yield text("new");
      throw new Error("cut");
    }
    await expect(disk.store.put(plain("a"), broken())).rejects.toThrow("cut");
    expect(await content("a")).toBe("old");
    expect(await readdir(join(disk.directory, ".tmp"))).toEqual([]);
  });

  test("a full disk is ENOSPC and changes nothing", async () => {
    await disk.store.put(plain("a"), text("old"));
    async function* full() {
      yield text("new");
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    }
    expect(await codeOf(disk.store.put(plain("a"), full()))).toBe("ENOSPC");
    expect(await content("a")).toBe("old");
    expect(await disk.rows.intents()).toEqual([]);
  });

  test.each([
    ["the empty one", ""],
    ["with a leading slash", "/a"],
    ["with a trailing slash", "a/"],
    ["with a doubled slash", "a//b"],
    ["that is a dot", "."],
    ["that is two dots", ".."],
    ["with two dots inside", "a/../b"],
    ["with a dot inside", "a/./b"],
    ["that climbs", "../escape"],
    ["among the temporaries", ".tmp/x"],
    ["among the temporaries on a host that folds case", ".TMP/x"],
    ["of the temporaries", ".tmp"],
    ["with a NUL", "a\0b"],
    ["with half a surrogate pair", "bad\ud800"],
    ["with a name of 256 letters", `a/${"n".repeat(256)}`],
    ["with a name of 256 bytes", "é".repeat(128)],
    ["of more than 4096 bytes", `${"d/".repeat(2048)}x`],
  ])("a key %s is refused", async (_what, key) => {
    expect(["EINVAL", "ENAMETOOLONG"]).toContain(await codeOf(disk.store.put(plain(key), text("x"))));
    expect(["EINVAL", "ENAMETOOLONG"]).toContain(await codeOf(disk.store.read(key, all)));
  });

  test("a name of exactly 255 bytes, spaces, emoji and names of built-in properties are plain keys", async () => {
    for (const key of ["n".repeat(255), "a b/ c", "😀/é", "__proto__/constructor", "-rf", "a\nb"]) {
      await disk.store.put(plain(key), text(key));
      expect(await content(key)).toBe(key);
    }
  });

  test("a key is never both a file and a directory", async () => {
    await disk.store.put(plain("a/b"), text("x"));
    expect(await codeOf(disk.store.put(plain("a"), text("x")))).toBe("EISDIR");
    expect(await codeOf(disk.store.put(plain("a/b/c"), text("x")))).toBe("ENOTDIR");
    await disk.store.remove("a/b");
    await disk.store.put(plain("a"), text("now a file"));
    expect(await content("a")).toBe("now a file");
  });

  test("pages hold the keys of a prefix in order and go on after a key, whatever stands beside them", async () => {
    for (const key of ["a/1", "a/2", "a/3", "a!", "a0", "b"]) await disk.store.put(plain(key), text(key));
    const keys = async (after: string | null, limit: number) =>
      (await disk.store.page("a/", after, limit)).map(({ key }) => key);
    expect(await keys(null, 2)).toEqual(["a/1", "a/2"]);
    expect(await keys("a/2", 9)).toEqual(["a/3"]);
    expect(await keys("a/3", 9)).toEqual([]);
  });

  test("renaming moves a file over another, and a whole directory at once", async () => {
    await disk.store.put(plain("x"), text("from"));
    await disk.store.put(plain("y"), text("to"));
    await disk.store.rename("x", "y");
    expect(await content("y")).toBe("from");
    expect(await disk.store.head("x")).toBeNull();
    for (const key of ["d/.dir", "d/é/😀", "d/z", "d0", "d-"]) await disk.store.put(plain(key), text(key));
    await disk.store.rename("d", "e/f");
    expect(await content("e/f/é/😀")).toBe("d/é/😀");
    expect(await content("d0")).toBe("d0");
    expect((await disk.store.page("e/f/", null, 9)).length).toBe(3);
    await disk.store.put(plain("😀😀/a"), text("smile"));
    await disk.store.rename("😀😀", "g");
    expect(await content("g/a")).toBe("smile");
    expect(await codeOf(disk.store.rename("e", "e/f/g"))).toBe("EINVAL");
    expect(await codeOf(disk.store.rename("nothing", "z"))).toBe("ENOENT");
    expect(await codeOf(disk.store.rename("e", "y"))).toBe("ENOTDIR");
  });

  test("changing metadata never changes what is said of the bytes", async () => {
    const meta = await disk.store.put(plain("a"), text("abc"));
    await disk.store.setMeta({ ...meta, mode: 0o600, uid: 7, size: 99, sha256: "wrong" });
    expect(await disk.store.head("a")).toEqual({ ...meta, mode: 0o600, uid: 7 });
  });

  test("no symlink on the host is followed, neither on the way nor at the end", async () => {
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

  test("bytes on the host that no row knows are not overwritten", async () => {
    await disk.store.put(plain("d/a"), text("x"));
    await writeFile(join(disk.directory, "d/stray"), "someone's");
    expect(await codeOf(disk.store.put(plain("d/stray"), text("x")))).toBe("EEXIST");
    expect(await readFile(join(disk.directory, "d/stray"), "utf8")).toBe("someone's");
  });

  test("bytes that went missing are an error that says so, not an empty file", async () => {
    await disk.store.put(plain("a"), text("x"));
    await rm(join(disk.directory, "a"));
    await expect(disk.store.read("a", all)).rejects.toThrow("the bytes of a are missing");
  });

  test("while one key is rewritten again and again, every reader sees one of the contents whole", async () => {
    const fill = (n: number) => text(String(n % 10).repeat(50_000));
    await disk.store.put(plain("a"), fill(0));
    let done = false;
    const writer = (async () => {
      for (let n = 0; n < 30; n++) await disk.store.put(plain("a"), fill(n));
      done = true;
    })();
    while (!done) {
      const seen = await content("a");
      expect(seen).toBe((seen[0] ?? "?").repeat(50_000));
    }
    await writer;
  });

  test("a read that comes while bytes and row are being changed waits until they agree", async () => {
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

  test("a change whose last transaction fails is settled by the next change, bytes and row agree, and nobody was told that nothing was saved", async () => {
    let failing = true;
    const rows: ObjectRows = {
      ...disk.rows,
      fulfil: async (intent, outcome) => {
        if (failing) throw new SysError("ENOSPC", "not saved: the disk is full");
        await disk.rows.fulfil(intent, outcome);
      },
    };
    const store = diskObjects({ directory: disk.directory, rows, clock: new FakeClock(), random: seeded(1).bytes });
    const half = await rejection(store.put(plain("a"), text("first")));
    expect([half.code, half.message]).toEqual(["EIO", "it was done, but could not be noted yet: the disk is full"]);
    failing = false;
    await store.put(plain("b"), text("second"));
    expect(await disk.rows.intents()).toEqual([]);
    expect(new TextDecoder().decode(await store.read("a", all))).toBe("first");
    expect((await store.head("a"))?.size).toBe(5);
  });

  test("a change whose last transaction fails once is carried out, and said to be", async () => {
    let failures = 1;
    const rows: ObjectRows = {
      ...disk.rows,
      fulfil: async (intent, outcome) => {
        if (failures-- > 0) throw new SysError("ENOSPC", "not saved: the disk is full");
        await disk.rows.fulfil(intent, outcome);
      },
    };
    const store = diskObjects({ directory: disk.directory, rows, clock: new FakeClock(), random: seeded(1).bytes });
    await store.put(plain("a"), text("first"));
    expect([(await store.head("a"))?.size, await disk.rows.intents()]).toEqual([5, []]);
  });

  test("removing the last object of a directory leaves nothing of it on the host", async () => {
    await disk.store.put(plain("a/b/c/d"), text("x"));
    await disk.store.remove("a/b/c/d");
    expect(await readdir(disk.directory)).toEqual([".tmp"]);
  });
});
