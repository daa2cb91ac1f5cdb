// The contract of every driver of objects, whatever stores its bytes: tested on disk and on a real S3 server. The extras of a mount
// (append, exclusive, conditional writes, permissions) are the filesystem contract, which runs over the same drivers.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { StoredItem } from "../../src/objects/objects.ts";
import { BAD_KEYS, type DiskHome, plain, RECEIPT } from "../support/objects.ts";
import { codeOf, rejection } from "../support/refusal.ts";
import { samples } from "../support/soak.ts";

const text = (content: string) => new TextEncoder().encode(content);
const sha256 = (content: string) => new Bun.CryptoHasher("sha256").update(content).digest("hex");
const all = { offset: 0, bytesMax: 1 << 20 };
const MIB = 1024 * 1024;

export function objectsContract(name: string, make: () => Promise<DiskHome>): void {
  let under: DiskHome;
  beforeEach(async () => {
    under = await make();
  });
  afterEach(() => under.dispose());

  async function content(key: string): Promise<string> {
    return new TextDecoder().decode(await under.store.read(key, all));
  }

  async function item(): Promise<StoredItem[]> {
    const found: StoredItem[] = [];
    for await (const each of under.store.bytes.list()) found.push(each);
    return found;
  }

  /** Stored files that belong to no object. */
  async function strays(): Promise<string[]> {
    const found: string[] = [];
    for (const each of await item()) {
      const { key, sha256: sum } = each;
      const isKnown =
        (key !== undefined && (await under.rows.get(key)) !== null) || (sum && (await under.rows.holds(sum)));
      if (each.kind === "temporary" || !isKnown) found.push(each.name);
    }
    return found;
  }

  describe(`${name}: objects`, () => {
    test("an object reads back with its hash and all its metadata", async () => {
      const said = { uid: 7, gid: 8, mode: 0o640, type: "image/png", mtimeMs: 12345, dirmarker: false, symlink: null };
      const meta = await under.store.put({ key: "home/sam/a.png", ...said }, text("hello"));
      expect(meta).toEqual({ key: "home/sam/a.png", ...said, size: 5, sha256: sha256("hello") });
      expect(await under.store.head("home/sam/a.png")).toEqual(meta);
      expect(await content("home/sam/a.png")).toBe("hello");
      const marker = await under.store.put({ ...plain("home/.dir"), dirmarker: true, mode: 0o755 }, new Uint8Array());
      expect(await under.store.head("home/.dir")).toEqual(marker);
      expect([marker.dirmarker, marker.size, await content("home/.dir")]).toEqual([true, 0, ""]);
      const link = await under.store.put({ ...plain("home/l"), symlink: "sam/a.png" }, text("sam/a.png"));
      expect((await under.store.head("home/l"))?.symlink).toBe("sam/a.png");
      expect(await under.store.bytes.sha256(link)).toBe(link.sha256);
      expect(await under.rows.intents()).toEqual([]);
      expect(await strays()).toEqual([]);
    });

    test("objects without content are stored together, and a name that is taken is refused", async () => {
      const keys = ["etc/.dir", "home/.dir", "home/sam/.dir"];
      const markers = keys.map((key) => ({ ...plain(key, 0o755), dirmarker: true }));
      await under.store.putEmpty(markers);
      const empty = { size: 0, sha256: sha256("") };
      for (const marker of markers) expect(await under.store.head(marker.key)).toEqual({ ...marker, ...empty });
      await under.store.put(plain("file"), text("kept"));
      expect(await codeOf(under.store.putEmpty([plain("file/a"), plain("home")]))).toBe("ENOTDIR");
      expect(await codeOf(under.store.putEmpty([plain("home")]))).toBe("EISDIR");
      expect((await under.store.page("", null, 9)).map(({ key }) => key)).toEqual([...keys, "file"].sort());
      expect([await under.rows.intents(), await strays()]).toEqual([[], []]);
    });

    test("a stream is stored piece by piece, and a range of it can be read", async () => {
      async function* pieces() {
        for (let n = 0; n < 1000; n++) yield text(String(n).padStart(4, "0"));
      }
      expect((await under.store.put(plain("big"), pieces())).size).toBe(4000);
      const range = await under.store.read("big", { offset: 4 * 500, bytesMax: 8 });
      expect(new TextDecoder().decode(range)).toBe("05000501");
      expect((await under.store.read("big", { offset: 9999, bytesMax: 8 })).byteLength).toBe(0);
    });

    test("the first objects of a new directory may be written concurrently", async () => {
      const keys = Array.from({ length: 8 }, (_, n) => `home/sam/${n}`);
      await Promise.all(keys.map((key) => under.store.put(plain(key), text(key))));
      expect(await Promise.all(keys.map(content))).toEqual(keys);
    });

    test("a broken stream leaves the old content and no temporary file", async () => {
      await under.store.put(plain("a"), text("old"));
      async function* broken() {
        yield text("new");
        throw new Error("cut");
      }
      await expect(under.store.put(plain("a"), broken())).rejects.toThrow("cut");
      expect(await content("a")).toBe("old");
      expect(await strays()).toEqual([]);
    });

    test("a key that is not a valid file path is refused, and nothing is stored or read", async () => {
      for (const [what, key] of BAD_KEYS) {
        const codes = [await codeOf(under.store.put(plain(key), text("x"))), await codeOf(under.store.read(key, all))];
        expect({ what, codes }).toEqual({
          what,
          codes: codes.map(() => expect.stringMatching(/^(?:EINVAL|ENAMETOOLONG)$/)),
        });
      }
      expect(await item()).toEqual([]);
    });

    test("a name of exactly 255 bytes, spaces, emoji and names of built-in properties are plain keys", async () => {
      for (const key of ["n".repeat(255), "a b/ c", "😀/é", "__proto__/constructor", "-rf", "a\nb"]) {
        await under.store.put(plain(key), text(key));
        expect(await content(key)).toBe(key);
      }
    });

    test("a key is never both a file and a directory", async () => {
      await under.store.put(plain("a/b"), text("x"));
      expect(await codeOf(under.store.put(plain("a"), text("x")))).toBe("EISDIR");
      expect(await codeOf(under.store.put(plain("a/b/c"), text("x")))).toBe("ENOTDIR");
      await under.store.remove("a/b");
      await under.store.put(plain("a"), text("now a file"));
      expect(await content("a")).toBe("now a file");
    });

    test("pages list the keys of a prefix in order and continue after a key, whatever the keys next to them", async () => {
      for (const key of ["a/1", "a/2", "a/3", "a!", "a0", "b"]) await under.store.put(plain(key), text(key));
      const keys = async (after: string | null, limit: number) =>
        (await under.store.page("a/", after, limit)).map(({ key }) => key);
      expect(await keys(null, 2)).toEqual(["a/1", "a/2"]);
      expect(await keys("a/2", 9)).toEqual(["a/3"]);
      expect(await keys("a/3", 9)).toEqual([]);
    });

    test("renaming moves a file over another, and a whole directory at once", async () => {
      await under.store.put(plain("x"), text("from"));
      await under.store.put(plain("y"), text("to"));
      await under.store.rename("x", "y");
      expect(await content("y")).toBe("from");
      expect(await under.store.head("x")).toBeNull();
      for (const key of ["d/.dir", "d/é/😀", "d/z", "d0", "d-"]) await under.store.put(plain(key), text(key));
      await under.store.rename("d", "e/f");
      expect(await content("e/f/é/😀")).toBe("d/é/😀");
      expect(await content("d0")).toBe("d0");
      expect((await under.store.page("e/f/", null, 9)).length).toBe(3);
      await under.store.put(plain("😀😀/a"), text("smile"));
      await under.store.rename("😀😀", "g");
      expect(await content("g/a")).toBe("smile");
      expect(await codeOf(under.store.rename("e", "e/f/g"))).toBe("EINVAL");
      expect(await codeOf(under.store.rename("nothing", "z"))).toBe("ENOENT");
      expect(await codeOf(under.store.rename("e", "y"))).toBe("ENOTDIR");
    });

    test("changing metadata never changes size and hash", async () => {
      const meta = await under.store.put(plain("a"), text("abc"));
      await under.store.setMeta({ ...meta, mode: 0o600, uid: 7, size: 99, sha256: "wrong" });
      expect(await under.store.head("a")).toEqual({ ...meta, mode: 0o600, uid: 7 });
    });

    test("readers see one whole content while a key is rewritten again and again", async () => {
      const fill = (n: number) => text(String(n % 10).repeat(50_000));
      await under.store.put(plain("a"), fill(0));
      let done = false;
      const writer = (async () => {
        for (let n = 1; n < samples(10, 30); n++) await under.store.put(plain("a"), fill(n));
        done = true;
      })();
      while (!done) {
        const seen = await content("a");
        expect(seen).toBe((seen[0] ?? "?").repeat(50_000));
      }
      await writer;
    });

    test("a full disk is ENOSPC and changes nothing", async () => {
      await under.store.put(plain("a"), text("old"));
      async function* full() {
        yield new Uint8Array(2 * MIB);
        throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      }
      expect(await codeOf(under.store.put(plain("a"), full()))).toBe("ENOSPC");
      expect(await content("a")).toBe("old");
      expect([await under.rows.intents(), await strays()]).toEqual([[], []]);
    });

    test("a file of many MiB is written and read in pieces", async () => {
      // More than one part of a multipart upload.
      const [count, piece] = [8, new Uint8Array(MIB).fill(7)];
      const hash = new Bun.CryptoHasher("sha256");
      async function* pieces() {
        for (let n = 0; n < count; n++) {
          // The same buffer again and again, as a reader of files reuses it.
          piece[0] = n;
          hash.update(piece);
          yield piece;
        }
      }
      const meta = await under.store.put(plain("large"), pieces());
      expect([meta.size, meta.sha256]).toEqual([count * MIB, hash.digest("hex")]);
      expect(await under.store.bytes.sha256(meta)).toBe(meta.sha256);
      const middle = await under.store.read("large", { offset: 5 * MIB, bytesMax: MIB });
      expect([middle.byteLength, middle[0]]).toEqual([MIB, 5]);
      expect(await strays()).toEqual([]);
    });

    test("two objects of the same content are independent", async () => {
      await Promise.all([under.store.put(plain("a"), text("same")), under.store.put(plain("b"), text("same"))]);
      await Promise.all([under.store.remove("a"), under.store.put(plain("c"), text("same"))]);
      expect([await content("b"), await content("c")]).toEqual(["same", "same"]);
      await under.store.put(plain("b"), text("else"));
      expect([await content("b"), await content("c")]).toEqual(["else", "same"]);
      expect(await strays()).toEqual([]);
    });

    test("replacing, renaming over and removing leave nothing of the old object", async () => {
      await under.store.put(plain("a"), text("one"));
      await under.store.put(plain("a"), text("two"));
      await under.store.put(plain("d/b"), text("three"));
      await under.store.rename("a", "d/b");
      expect(await strays()).toEqual([]);
      await under.store.remove("d/b");
      expect(await item()).toEqual([]);
      expect(await codeOf(under.store.remove("d/b"))).toBe("ENOENT");
      expect(await codeOf(under.store.read("d/b", all))).toBe("ENOENT");
    });

    test("a change and its receipt take effect together", async () => {
      const answered = () => under.requests.answered(RECEIPT.uid, RECEIPT.requestId, RECEIPT.bodyHash);
      await under.store.put(plain("a/b"), text("x"));
      expect(await codeOf(under.store.put(plain("a"), text("x"), RECEIPT))).toBe("EISDIR");
      expect(await answered()).toBeNull();
      expect(await codeOf(under.store.rename("none", "z", RECEIPT))).toBe("ENOENT");
      expect(await answered()).toBeNull();
      await under.store.remove("a/b", RECEIPT);
      expect(await answered()).toEqual({ answer: RECEIPT.answer, sameBody: true });
      await under.store.put(plain("c"), text("x"));
      const other = { ...RECEIPT, requestId: "another" };
      await under.store.rename("c", "d", other);
      expect(await under.requests.answered(other.uid, other.requestId, other.bodyHash)).not.toBeNull();
    });

    /** The last transaction of a change fails so many times. */
    function failing(times: number): { times: number } {
      const left = { times };
      const { fulfil } = under.rows;
      (under.rows as { fulfil: typeof fulfil }).fulfil = async (intent, outcome) => {
        if (left.times-- > 0) throw new SysError("ENOSPC", "not saved: the disk is full");
        await fulfil(intent, outcome);
      };
      return left;
    }

    test("a change with a failed last transaction is settled by the next change, and its caller got an unknown outcome", async () => {
      const left = failing(99);
      const half = await rejection(under.store.put(plain("a"), text("first")));
      expect([half.code, half.message]).toEqual([
        "EIO",
        "the change was made but is not recorded yet: the disk is full",
      ]);
      expect(await under.rows.intents()).toHaveLength(1);
      left.times = 0;
      await under.store.put(plain("b"), text("second"));
      expect(await under.rows.intents()).toEqual([]);
      expect([await content("a"), (await under.store.head("a"))?.size]).toEqual(["first", 5]);
      expect(await strays()).toEqual([]);
    });

    test("a change with a last transaction that fails once succeeds and is reported so", async () => {
      failing(1);
      await under.store.put(plain("a"), text("first"));
      expect([await content("a"), await under.rows.intents()]).toEqual(["first", []]);
    });

    test("cleaning removes unknown files when they are old enough, and known ones never", async () => {
      const mine = await under.store.put(plain("mine"), text("mine"));
      const stray = { ...plain("d/stray"), size: 5, sha256: sha256("stray") };
      await under.store.bytes.adopt(
        stray,
        (async function* () {
          yield text("stray");
        })(),
      );
      const found = await item();
      const future = Date.now() + 60_000;
      for (const each of found) expect(await under.store.discard(each, Date.now() - 3_600_000)).toBe(false);
      const gone: string[] = [];
      for (const each of found) if (await under.store.discard(each, future)) gone.push(each.key ?? each.sha256 ?? "");
      expect(gone.every((each) => each === "d/stray" || each === stray.sha256)).toBe(true);
      expect(gone.length).toBe(found.length / 2);
      expect(await under.store.bytes.sha256(stray)).toBeNull();
      expect([await under.store.bytes.sha256(mine), await strays()]).toEqual([mine.sha256, []]);
    });
  });
}
