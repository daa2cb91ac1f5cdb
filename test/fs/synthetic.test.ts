import { describe, expect, test } from "bun:test";
import { type Row, syntheticFs } from "../../fs/generated/synthetic.ts";
import { Namespace } from "../../fs/namespace.ts";
import { SysError } from "../../src/abi/errno.ts";
import { bob, root, sam } from "../support/caller.ts";
import { FakeClock } from "../support/clock.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { codeOf } from "../support/refusal.ts";

function tree(clock = new FakeClock()) {
  let made = 0;
  let pulled = 0;
  const items = ["one", "two"];
  const rows: readonly Row[] = [
    { path: "/counter", text: async () => `${++made}`.repeat(10) },
    { path: "/who", text: async (caller) => caller.username },
    { path: "/self", link: async () => "items/one" },
    { path: "/items/*", list: async () => items, has: async (_c, _b, name) => items.includes(name) },
    { path: "/items/*/name", text: async (_caller, [name]) => `${name}\n` },
    { path: "/items/special", text: async () => "a file of its own" },
    {
      path: "/endless",
      text: async () =>
        (async function* () {
          for (;;) yield String(pulled++ % 10).repeat(1000);
        })(),
    },
  ];
  const files = new Namespace([
    { at: "/", fs: memoryMount() },
    { at: "/s", fs: syntheticFs(rows, clock) },
  ]);
  const read = async (path: string, options = { offset: 0, bytesMax: 1 << 20 }, caller = sam) => {
    const { bytes, eof } = await files.read(caller, path, options);
    return { text: new TextDecoder().decode(bytes), eof };
  };
  return { files, read, clock, items, pulled: () => pulled };
}

describe("a generated tree", () => {
  test("has its rows, the names of its lists and its fixed entries", async () => {
    const { files } = tree();
    expect((await files.list(sam, "/s")).map((entry) => entry.name)).toEqual([
      "counter",
      "endless",
      "items",
      "self",
      "who",
    ]);
    expect((await files.list(sam, "/s/items")).map(({ name, stat }) => [name, stat.kind])).toEqual([
      ["one", "directory"],
      ["special", "file"],
      ["two", "directory"],
    ]);
    expect((await files.list(sam, "/s/items/two")).map((entry) => entry.name)).toEqual(["name"]);
  });

  test("has no name that is not on a list, nor anything below it", async () => {
    const { files, read } = tree();
    expect((await read("/s/items/two/name")).text).toBe("two\n");
    expect((await read("/s/self/name")).text).toBe("one\n");
    for (const path of [
      "/s/items/three",
      "/s/items/three/name",
      "/s/items/two/none",
      "/s/none",
      "/s/items/special/name",
    ]) {
      expect(await codeOf(files.read(sam, path, { bytesMax: 1 }))).toMatch(/ENOENT|ENOTDIR/);
    }
  });

  test("is generated again when read from the start; further reads use the same text until a second after the last use", async () => {
    const { read, clock } = tree();
    const first = await read("/s/counter", { offset: 0, bytesMax: 4 });
    await clock.advance(900);
    const second = await read("/s/counter", { offset: 4, bytesMax: 3 });
    await clock.advance(900);
    const third = await read("/s/counter", { offset: 7, bytesMax: 99 });
    expect([first.text + second.text + third.text, third.eof]).toEqual(["1".repeat(10), true]);
    expect((await read("/s/counter")).text).toBe("2".repeat(10));
    expect((await read("/s/counter", { offset: 0, bytesMax: 4 })).text).toBe("3333");
    await clock.advance(1001);
    expect((await read("/s/counter", { offset: 4, bytesMax: 4 })).text).toBe("4444");
  });

  test("never shows one caller the text generated for another", async () => {
    const { read } = tree();
    expect((await read("/s/who", { offset: 0, bytesMax: 1 }, sam)).text).toBe("s");
    expect((await read("/s/who", { offset: 1, bytesMax: 9 }, bob)).text).toBe("ob");
    expect((await read("/s/who", { offset: 1, bytesMax: 9 }, sam)).text).toBe("am");
  });

  test("generates a long file only as far as it is read, and ends an endless one in EFBIG", async () => {
    const { files, read, pulled } = tree();
    await read("/s/endless", { offset: 0, bytesMax: 5000 });
    expect(pulled()).toBeLessThan(8);
    expect(await codeOf(files.read(sam, "/s/endless", { offset: 100 * 1024 * 1024, bytesMax: 1 }))).toBe("EFBIG");
  });

  test("cannot be changed by anyone", async () => {
    const { files } = tree();
    const bytes = new Uint8Array(1);
    expect(await codeOf(files.write(root, "/s/who", bytes, { at: "start" }))).toBe("EPERM");
    expect(await codeOf(files.write(root, "/s/new", bytes, { at: "end" }))).toBe("EPERM");
    expect(await codeOf(files.remove(root, "/s/who", { recursive: true }))).toBe("EPERM");
    expect(await codeOf(files.mkdir(root, "/s/d", { parents: true }))).toBe("EPERM");
    expect(await codeOf(files.rename(root, "/s/who", "/s/whom"))).toBe("EPERM");
    expect(await codeOf(files.link(root, "/s/l", "who"))).toBe("EPERM");
    expect(await codeOf(files.setattr(root, "/s/who", { mode: 0o777 }))).toBe("EPERM");
  });

  test("reports an error of the generator unchanged", async () => {
    const failing: Row = { path: "/x", text: () => Promise.reject(new SysError("EPERM", "no")) };
    const files = new Namespace([{ at: "/", fs: syntheticFs([failing], new FakeClock()) }]);
    await expect(files.read(sam, "/x", { bytesMax: 1 })).rejects.toThrow("no");
  });
});
