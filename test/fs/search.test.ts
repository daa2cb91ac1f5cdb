import { beforeEach, describe, expect, test } from "bun:test";
import type { FileSystem } from "../../fs/filesystem.ts";
import { Namespace } from "../../fs/namespace.ts";
import { searchTree } from "../../fs/read/search.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { bob, root, sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";

let files: Namespace;
beforeEach(() => {
  files = new Namespace([
    { at: "/", fs: memoryMount() },
    { at: "/m", fs: memoryMount() },
  ]);
});

async function put(path: string, content: string | Uint8Array, mode = 0o644, caller: Caller = sam) {
  await files.mkdir(caller, path.slice(0, path.lastIndexOf("/")) || "/", { parents: true });
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  await files.write(caller, path, bytes, { at: "start", mode });
}

const search = (
  query: string,
  options: { root?: string; include?: string; caller?: Caller; signal?: AbortSignal } = {},
) =>
  searchTree({
    namespace: files,
    caller: options.caller ?? sam,
    root: options.root ?? "/",
    query,
    signal: options.signal ?? new AbortController().signal,
    ...(options.include === undefined ? {} : { include: options.include }),
  });
const lines = async (query: string, options = {}) =>
  (await search(query, options)).matches.map(({ path, line, content }) => `${path}:${line}:${content}`);

describe("a search", () => {
  test("returns no NUL, wherever a line of the file has one", async () => {
    await put("/a", `${"hay\n".repeat(5000)}a\u0000needle\n`);
    expect(await lines("needle")).toEqual(["/a:5001:a\ufffdneedle"]);
  });

  test("finds each line with the text, in order of paths, across mounts", async () => {
    await put("/b", "needle\nhay\nneedle needle\r\nNeedle");
    await put("/a/x", "a needle");
    await put("/m/y", "needle in a mount, no newline");
    expect(await lines("needle")).toEqual([
      "/a/x:1:a needle",
      "/b:1:needle",
      "/b:3:needle needle",
      "/m/y:1:needle in a mount, no newline",
    ]);
    expect(await lines("needle", { root: "/b" })).toEqual(["/b:1:needle", "/b:3:needle needle"]);
    expect(await lines("(need|.*")).toEqual([]);
  });

  test("only opens files with a name that matches the glob", async () => {
    for (const path of ["/a.md", "/d/b.md", "/c.txt", "/[x].md"]) await put(path, "needle");
    expect(await lines("needle", { include: "*.md" })).toEqual([
      "/[x].md:1:needle",
      "/a.md:1:needle",
      "/d/b.md:1:needle",
    ]);
    expect(await lines("needle", { include: "{a,c}.*" })).toEqual(["/a.md:1:needle", "/c.txt:1:needle"]);
  });

  test("skips binary files, unreadable files, and links", async () => {
    await put("/binary", new Uint8Array([0, ...new TextEncoder().encode("needle")]));
    await put("/private/f", "needle", 0o600);
    await put("/closed/f", "needle");
    await files.setattr(sam, "/closed", { mode: 0o700 });
    await files.link(sam, "/l", "/open");
    await files.link(sam, "/circle", "/");
    await put("/open", "needle");
    expect(await lines("needle", { caller: bob })).toEqual(["/open:1:needle"]);
    await expect(search("needle", { caller: bob, root: "/closed" })).rejects.toThrow("/closed: permission denied");
    await expect(search("needle", { caller: bob, root: "/private/f" })).rejects.toThrow("permission denied");
    await expect(search("needle", { root: "/none" })).rejects.toThrow("no such file");
  });

  test("finds a text across two pieces of a file or of an endless line, and reports the line once", async () => {
    const before = 256 * 1024 - 3;
    await put("/pieces", `${"x\n".repeat(before / 2)}${"x".repeat(before % 2)}needle\nneedle`);
    const found = await search("needle", { root: "/pieces" });
    expect(found.matches.length).toBe(2);
    for (const at of [256 * 1024 - 3, 512 * 1024 - 2, 768 * 1024 - 5, 700_000]) {
      await put("/long", `${"y".repeat(at)}needle${"y".repeat(600_000)}\nneedle needle`);
      const { matches } = await search("needle", { root: "/long" });
      expect(matches.map(({ line }) => line)).toEqual([1, 2]);
      expect(matches[0]?.content).toContain("needle");
      expect(matches[0]?.content.length).toBeLessThan(310);
    }
    await put("/long", `${"needle".repeat(300_000)}\n`);
    expect((await search("needle", { root: "/long" })).matches.length).toBe(1);
  });

  test("stops at 500 matches and reports whether there were more", async () => {
    await put("/f", "needle\n".repeat(500));
    expect(await search("needle")).toMatchObject({ truncated: false });
    await put("/g", "needle\n");
    const found = await search("needle");
    expect([found.matches.length, found.truncated]).toEqual([500, true]);
  });

  test("has a result that fits one answer, however long the lines and names are", async () => {
    for (let n = 0; n < 40; n++)
      await put(`/${"d".repeat(200)}/${"é".repeat(100)}${n}`, `${"\u0001".repeat(400)}needle\n`.repeat(20));
    const found = await search("needle");
    expect(found.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(found))).toBeLessThan(1024 * 1024);
  });

  test("reads no more files once it is aborted from outside", async () => {
    const fs = memoryMount();
    let read = 0;
    const slow: FileSystem["read"] = (...given) => {
      read++;
      for (const until = performance.now() + 3; performance.now() < until; );
      return fs.read(...given);
    };
    const counted = new Proxy(fs, { get: (target, name) => (name === "read" ? slow : Reflect.get(target, name)) });
    files = new Namespace([{ at: "/", fs: counted }]);
    for (let n = 0; n < 50; n++) await put(`/${n}`, "hay");
    const gone = new AbortController();
    setImmediate(() => gone.abort());
    await expect(search("needle", { signal: gone.signal })).rejects.toMatchObject({ code: "ECANCELED" });
    expect(read).toBeLessThan(10);
  });

  test("ends when it is aborted, and refuses an empty text or one of several lines", async () => {
    await put("/f", "needle", 0o644, root);
    const gone = new AbortController();
    gone.abort();
    await expect(search("needle", { signal: gone.signal })).rejects.toMatchObject({ code: "ECANCELED" });
    await expect(search("a\nb")).rejects.toMatchObject({ code: "EINVAL" });
    await expect(search("")).rejects.toMatchObject({ code: "EINVAL" });
  });
});
