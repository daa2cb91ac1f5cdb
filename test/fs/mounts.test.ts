// The filesystem contract, over every kind of writable mount.

import { describe, expect, test } from "bun:test";
import { separateStores } from "../../fs/memory.ts";
import { Namespace } from "../../fs/namespace.ts";
import { objectsFs } from "../../fs/objects.ts";
import { childrenOf } from "../../fs/tree.ts";
import type { Caller } from "../../src/abi/identity.ts";
import type { ObjectStore } from "../../src/objects/objects.ts";
import { filesystemContract } from "../contract/filesystem.ts";
import { agent, bob, sam } from "../support/caller.ts";
import { FakeClock } from "../support/clock.ts";
import { memoryObjects } from "../support/memoryfs.ts";
import { newDisk, plain } from "../support/objects.ts";
import { codeOf } from "../support/refusal.ts";

const root = { uid: 0, gid: 0, mode: 0o755 };

filesystemContract("objects on disk", async () => {
  const disk = await newDisk();
  return { fs: objectsFs({ storeOf: () => disk.store, clock: new FakeClock(), root }), dispose: disk.dispose };
});

filesystemContract("objects in memory", async () => {
  const store = memoryObjects(64 * 1024 * 1024);
  return { fs: objectsFs({ storeOf: () => store, clock: new FakeClock(), root }), dispose: async () => undefined };
});

test("a read never pairs the version of one content with the bytes of another", async () => {
  const store = memoryObjects(1 << 20);
  const clock = new FakeClock();
  const plainFs = objectsFs({ storeOf: () => store, clock, root: { ...root, mode: 0o777 } });
  let rewrites = 1;
  const busy: ObjectStore = {
    ...store,
    head: (key) => store.head(key),
    page: (...args) => store.page(...args),
    read: async (key, range) => {
      if (rewrites-- > 0)
        await new Namespace([{ at: "/", fs: plainFs }]).write(sam, "/a", Buffer.from("newer"), { at: "start" });
      return store.read(key, range);
    },
  };
  await new Namespace([{ at: "/", fs: plainFs }]).write(sam, "/a", Buffer.from("old"), { at: "start" });
  const files = new Namespace([{ at: "/", fs: objectsFs({ storeOf: () => busy, clock, root }) }]);
  const { bytes, version, eof } = await files.read(sam, "/a", { bytesMax: 99 });
  expect([Buffer.from(bytes).toString(), version, eof]).toEqual(["newer", (await files.stat(sam, "/a")).version, true]);
});

describe("keys as a tree", () => {
  test("lists a directory in a few calls, each name once, however deep it is", async () => {
    const store = memoryObjects(1 << 24);
    for (const directory of ["a", "b", "c"]) {
      for (let n = 0; n < 1000; n++) await store.put(plain(`top/${directory}/${n}`), new Uint8Array());
    }
    for (const name of ["b-", "b0", "z"]) await store.put(plain(`top/${name}`), new Uint8Array());
    let asked = 0;
    const counting = {
      ...store,
      head: (key: string) => store.head(key),
      page: (...args: Parameters<ObjectStore["page"]>) => {
        asked++;
        return store.page(...args);
      },
    };
    expect((await childrenOf(counting, "/top")).map(({ name }) => name)).toEqual(["a", "b-", "b", "b0", "c", "z"]);
    expect(asked).toBeLessThan(12);
  });

  test("a walk asks for all names along a path at once, and a write for the file and its directory", async () => {
    const store = memoryObjects(1 << 24);
    let asked = 0;
    const counting = new Proxy(store, {
      get(_, name: keyof ObjectStore) {
        asked++;
        return (store[name] as () => unknown).bind(store);
      },
    });
    const files = new Namespace([
      { at: "/", fs: objectsFs({ storeOf: () => counting, clock: new FakeClock(), root: { ...root, mode: 0o777 } }) },
    ]);
    const deep = "/a/b/c/d/e/f/g/h";
    await files.mkdir(sam, deep, { parents: true });
    asked = 0;
    await files.stat(sam, deep);
    expect(asked).toBeLessThan(4);
    asked = 0;
    await files.write(sam, `${deep}/new`, Buffer.from("x"), { at: "start" });
    expect(asked).toBeLessThan(8);
  });

  test("starts a page at its prefix even if the cursor is before it", async () => {
    const store = memoryObjects(1 << 20);
    for (const key of ["a/1", "a/2", "b/1", "b/2", "c"]) await store.put(plain(key), new Uint8Array());
    expect((await store.page("b/", "a/1", 9)).map(({ key }) => key)).toEqual(["b/1", "b/2"]);
    expect((await store.page("b/", "b/1", 9)).map(({ key }) => key)).toEqual(["b/2"]);
    expect(await store.page("b/", "c", 9)).toEqual([]);
  });
});

describe("/tmp", () => {
  const mib = 1024 * 1024;
  function tmp(bytesMax: number): Namespace {
    const storeOf = separateStores((caller: Caller) => caller.ownerUid, bytesMax);
    return new Namespace([
      { at: "/", fs: objectsFs({ storeOf, clock: new FakeClock(), root: { ...root, mode: 0o1777 } }) },
    ]);
  }
  const write = (files: Namespace, caller: Caller, path: string, size: number) =>
    files.write(caller, path, new Uint8Array(size).fill(97), { at: "start", mode: 0o666 });

  test("is shared by a human and their agent, and hidden from others", async () => {
    const files = tmp(mib);
    await write(files, sam, "/a", 3);
    expect((await files.list(agent, "/")).map((entry) => entry.name)).toEqual(["a"]);
    expect(await files.list(bob, "/")).toEqual([]);
  });

  test("refuses too much with ENOSPC and no change; removing files frees space", async () => {
    const files = tmp(mib);
    await write(files, sam, "/a", mib / 2);
    expect(await codeOf(write(files, sam, "/b", mib / 2))).toBe("ENOSPC");
    expect(await codeOf(write(files, sam, "/a", mib))).toBe("ENOSPC");
    expect((await files.stat(sam, "/a")).size).toBe(mib / 2);
    await write(files, sam, "/a", mib / 2 + 100);
    await files.remove(sam, "/a", { recursive: false });
    expect(await codeOf(write(files, sam, "/b", mib / 2))).toBe("done");
    expect(await codeOf(write(files, bob, "/his", mib / 2))).toBe("done");
  });

  test("also limits empty files", async () => {
    const files = tmp(64 * 1024);
    let made = 0;
    while (made < 1000 && (await codeOf(write(files, sam, `/${made}`, 0))) === "done") made++;
    expect(made).toBe(128);
  });
});
