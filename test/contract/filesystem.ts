// The contract of every writable mount, tested through a Namespace as all callers use it.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { FileSystem } from "../../fs/filesystem.ts";
import { Namespace } from "../../fs/namespace.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { agent, bob, root, sam } from "../support/caller.ts";
import { codeOf } from "../support/refusal.ts";

export interface MountUnderTest {
  readonly fs: FileSystem;
  readonly dispose: () => Promise<void>;
}

export function filesystemContract(name: string, make: () => Promise<MountUnderTest>): void {
  let mount: MountUnderTest;
  let files: Namespace;

  const put = (caller: Caller, path: string, text: string, options = {}) =>
    files.write(caller, path, new TextEncoder().encode(text), { at: "start", ...options });
  const get = async (caller: Caller, path: string) =>
    new TextDecoder().decode((await files.read(caller, path, { bytesMax: 1 << 20 })).bytes);
  const names = async (path: string, caller = root) => (await files.list(caller, path)).map((entry) => entry.name);

  beforeEach(async () => {
    mount = await make();
    files = new Namespace([{ at: "/", fs: mount.fs }]);
    await files.mkdir(root, "/home", { parents: false, mode: 0o755 });
    for (const { home, uid } of [sam, bob]) {
      await files.mkdir(root, home, { parents: false });
      await files.setattr(root, home, { uid, gid: uid, mode: 0o2770 });
    }
  });
  afterEach(() => mount.dispose());

  describe(`${name}: content`, () => {
    test("a write reads back, whole, in ranges and with a version that changes with the content", async () => {
      const first = await put(sam, "/home/sam/a", "0123456789");
      expect(await get(sam, "/home/sam/a")).toBe("0123456789");
      const range = await files.read(sam, "/home/sam/a", { offset: 4, bytesMax: 3 });
      expect([new TextDecoder().decode(range.bytes), range.eof, range.version]).toEqual(["456", false, first.version]);
      expect((await files.read(sam, "/home/sam/a", { offset: 8, bytesMax: 3 })).eof).toBe(true);
      expect((await files.read(sam, "/home/sam/a", { offset: 80, bytesMax: 3 })).bytes.byteLength).toBe(0);
      expect((await put(sam, "/home/sam/a", "else")).version).not.toBe(first.version);
    });

    test("concurrent appends keep every piece, and the mode and owner of the file", async () => {
      await put(sam, "/home/sam/log", "", { mode: 0o640 });
      expect(await codeOf(put(agent, "/home/sam/log", "x", { at: "end" }))).toBe("EACCES");
      await files.setattr(sam, "/home/sam/log", { mode: 0o660 });
      const lines = Array.from({ length: 20 }, (_, n) => `line ${n}\n`);
      await Promise.all(lines.map((line) => put(agent, "/home/sam/log", line, { at: "end" })));
      expect((await get(sam, "/home/sam/log")).split("\n").sort()).toEqual([...lines.map((l) => l.trim()), ""].sort());
      expect(await files.stat(sam, "/home/sam/log")).toMatchObject({ uid: sam.uid, mode: 0o660 });
    });

    test("an exclusive write refuses an existing file, a versioned write a changed one", async () => {
      const { version } = await put(sam, "/home/sam/a", "one", { exclusive: true });
      expect(await codeOf(put(sam, "/home/sam/a", "two", { exclusive: true }))).toBe("EEXIST");
      await put(sam, "/home/sam/a", "two", { ifVersion: version });
      expect(await codeOf(put(sam, "/home/sam/a", "three", { ifVersion: version }))).toBe("ECONFLICT");
      expect(await codeOf(put(sam, "/home/sam/none", "x", { ifVersion: version }))).toBe("ECONFLICT");
      expect(await get(sam, "/home/sam/a")).toBe("two");
    });

    test("of two writers for the same version exactly one wins", async () => {
      const { version } = await put(sam, "/home/sam/a", "start");
      const codes = await Promise.all(
        ["one", "two"].map((t) => codeOf(put(sam, "/home/sam/a", t, { ifVersion: version }))),
      );
      expect(codes.sort()).toEqual(["ECONFLICT", "done"]);
    });

    test("a file grows to the limit and not beyond, and a refused append leaves it unchanged", async () => {
      await put(root, "/big", "x".repeat(10));
      const rest = new Uint8Array(LIMITS.fileBytesMax - 9);
      expect(await codeOf(files.write(root, "/big", rest, { at: "end" }))).toBe("EFBIG");
      expect(await get(root, "/big")).toBe("x".repeat(10));
    });
  });

  describe(`${name}: the tree`, () => {
    test("a listing has each name of a directory once, sorted, with its stat, however deep the tree is", async () => {
      await files.mkdir(sam, "/home/sam/many/deep", { parents: true });
      for (let n = 0; n < 30; n++) await put(sam, `/home/sam/many/deep/${n}`, "x");
      for (const file of ["a", "z", "many!", "many0", "é", "many.txt"]) await put(sam, `/home/sam/${file}`, "x");
      expect(await names("/home/sam")).toEqual(["a", "many", "many!", "many.txt", "many0", "z", "é"].sort());
      const entries = await files.list(sam, "/home/sam");
      expect(entries.find((entry) => entry.name === "many")?.stat.kind).toBe("directory");
      expect(await names("/home/sam/many")).toEqual(["deep"]);
    });

    test("an empty directory exists until it is removed; a full one is removed only recursively", async () => {
      await files.mkdir(sam, "/home/sam/d/e", { parents: true });
      expect(await names("/home/sam/d/e")).toEqual([]);
      expect(await codeOf(files.mkdir(sam, "/home/sam/d", { parents: false }))).toBe("EEXIST");
      expect(await codeOf(files.mkdir(sam, "/home/sam/d", { parents: true }))).toBe("done");
      expect(await codeOf(files.mkdir(sam, "/home/sam/x/y", { parents: false }))).toBe("ENOENT");
      expect(await codeOf(files.remove(sam, "/home/sam/d", { recursive: false }))).toBe("ENOTEMPTY");
      await put(sam, "/home/sam/d/e/f", "x");
      await files.remove(sam, "/home/sam/d", { recursive: true });
      expect(await names("/home/sam")).toEqual([]);
      expect(await codeOf(files.remove(sam, "/home/sam/d", { recursive: true }))).toBe("ENOENT");
    });

    test("a file is not a directory and a directory not a file", async () => {
      await put(sam, "/home/sam/f", "x");
      expect(await codeOf(put(sam, "/home/sam", "x"))).toBe("EISDIR");
      expect(await codeOf(files.read(sam, "/home/sam", { bytesMax: 1 }))).toBe("EISDIR");
      expect(await codeOf(files.list(sam, "/home/sam/f"))).toBe("ENOTDIR");
      expect(await codeOf(put(sam, "/home/sam/f/g", "x"))).toBe("ENOTDIR");
      expect(await codeOf(files.mkdir(sam, "/home/sam/f/g", { parents: true }))).toBe("ENOTDIR");
      expect(await codeOf(files.stat(sam, "/home/sam/f/"))).toBe("ENOTDIR");
      expect(await codeOf(put(sam, "/home/sam/.dir", "x"))).toBe("EPERM");
    });

    test("renaming replaces a file and an empty directory and nothing else", async () => {
      await put(sam, "/home/sam/a", "a");
      await put(sam, "/home/sam/b", "b");
      await files.mkdir(sam, "/home/sam/d/sub", { parents: true });
      await put(sam, "/home/sam/d/sub/f", "f");
      await files.mkdir(sam, "/home/sam/empty", { parents: false });
      await files.rename(sam, "/home/sam/a", "/home/sam/b");
      expect(await get(sam, "/home/sam/b")).toBe("a");
      expect(await codeOf(files.rename(sam, "/home/sam/b", "/home/sam/d"))).toBe("EISDIR");
      expect(await codeOf(files.rename(sam, "/home/sam/d", "/home/sam/b"))).toBe("ENOTDIR");
      expect(await codeOf(files.rename(sam, "/home/sam/empty", "/home/sam/d"))).toBe("ENOTEMPTY");
      expect(await codeOf(files.rename(sam, "/home/sam/d", "/home/sam/d/sub/x"))).toBe("EINVAL");
      expect(await codeOf(files.rename(sam, "/home/sam/none", "/home/sam/x"))).toBe("ENOENT");
      await files.rename(sam, "/home/sam/d", "/home/sam/empty");
      expect(await get(sam, "/home/sam/empty/sub/f")).toBe("f");
      expect(await names("/home/sam")).toEqual(["b", "empty"]);
    });
  });

  describe(`${name}: permissions`, () => {
    test("another account can neither read, list, write, remove nor search a private directory", async () => {
      await put(sam, "/home/sam/a", "secret", { mode: 0o666 });
      expect(await codeOf(files.read(bob, "/home/sam/a", { bytesMax: 9 }))).toBe("EACCES");
      expect(await codeOf(files.stat(bob, "/home/sam/a"))).toBe("EACCES");
      expect(await codeOf(files.stat(bob, "/home/sam/none"))).toBe("EACCES");
      expect(await codeOf(files.list(bob, "/home/sam"))).toBe("EACCES");
      expect(await codeOf(put(bob, "/home/sam/b", "x"))).toBe("EACCES");
      expect(await codeOf(files.remove(bob, "/home/sam/a", { recursive: true }))).toBe("EACCES");
      expect(await codeOf(files.remove(bob, "/home/sam", { recursive: true }))).toBe("EACCES");
      expect(await codeOf(files.rename(bob, "/home/sam/a", "/home/bob/a"))).toBe("EACCES");
      expect(await get(root, "/home/sam/a")).toBe("secret");
    });

    test("a human and their agent edit each other's files in a home, and new files belong to its group", async () => {
      await put(agent, "/home/sam/by-agent", "x");
      await files.mkdir(agent, "/home/sam/dir/sub", { parents: true });
      expect(await files.stat(sam, "/home/sam/by-agent")).toMatchObject({ uid: agent.uid, gid: sam.gid, mode: 0o660 });
      expect(await files.stat(sam, "/home/sam/dir/sub")).toMatchObject({ gid: sam.gid, mode: 0o2770 });
      await put(sam, "/home/sam/by-agent", "y");
      await put(sam, "/home/sam/dir/sub/f", "y");
      await files.remove(agent, "/home/sam/dir", { recursive: true });
      expect((await files.stat(sam, "/home/sam/by-agent")).uid).toBe(agent.uid);
    });

    test("the owner's digits apply to the owner even if the group's allow more", async () => {
      await put(sam, "/home/sam/odd", "x");
      await files.setattr(sam, "/home/sam/odd", { mode: 0o077 });
      expect(await codeOf(files.read(sam, "/home/sam/odd", { bytesMax: 1 }))).toBe("EACCES");
      expect(await codeOf(files.read(agent, "/home/sam/odd", { bytesMax: 1 }))).toBe("done");
      expect(await codeOf(files.read(root, "/home/sam/odd", { bytesMax: 1 }))).toBe("done");
    });

    test("in a sticky directory only the owner of a file removes it", async () => {
      await files.mkdir(root, "/shared", { parents: false, mode: 0o1777 });
      await put(sam, "/shared/mine", "x", { mode: 0o666 });
      expect(await codeOf(files.remove(bob, "/shared/mine", { recursive: false }))).toBe("EPERM");
      expect(await codeOf(files.rename(bob, "/shared/mine", "/shared/his"))).toBe("EPERM");
      await put(bob, "/shared/his", "y");
      expect(await codeOf(files.rename(bob, "/shared/his", "/shared/mine"))).toBe("EPERM");
      expect(await codeOf(files.remove(sam, "/shared/mine", { recursive: false }))).toBe("done");
    });

    test("a recursive removal that is forbidden anywhere removes nothing", async () => {
      await files.mkdir(sam, "/home/sam/d/locked", { parents: true });
      await put(sam, "/home/sam/d/a", "x");
      await put(sam, "/home/sam/d/locked/b", "x");
      await files.setattr(sam, "/home/sam/d/locked", { mode: 0o500 });
      expect(await codeOf(files.remove(sam, "/home/sam/d", { recursive: true }))).toBe("EACCES");
      expect(await names("/home/sam/d")).toEqual(["a", "locked"]);
    });

    test("only the owner changes a mode, only root changes the owner, and a mode is four octal digits", async () => {
      await put(sam, "/home/sam/a", "x");
      expect(await codeOf(files.setattr(agent, "/home/sam/a", { mode: 0o777 }))).toBe("EPERM");
      expect(await codeOf(files.setattr(sam, "/home/sam/a", { uid: bob.uid }))).toBe("EPERM");
      expect(await codeOf(files.setattr(sam, "/home/sam/a", { gid: bob.gid }))).toBe("EPERM");
      expect(await codeOf(files.setattr(sam, "/home/sam/a", { gid: 100 }))).toBe("done");
      for (const mode of [-1, 0o10000, 1.5, Number.NaN]) {
        expect(await codeOf(files.setattr(sam, "/home/sam/a", { mode }))).toBe("EINVAL");
      }
      await files.setattr(root, "/home/sam/a", { uid: bob.uid, mtimeMs: 5 });
      expect(await files.stat(root, "/home/sam/a")).toMatchObject({ uid: bob.uid, gid: 100, mtimeMs: 5 });
    });

    test("a umask clears bits of a new file; without one, the new file inherits from its directory", async () => {
      const careful = { ...sam, umask: 0o077 };
      await put(careful, "/home/sam/mine", "x");
      await files.mkdir(careful, "/home/sam/private", { parents: false });
      expect((await files.stat(sam, "/home/sam/mine")).mode).toBe(0o600);
      expect((await files.stat(sam, "/home/sam/private")).mode).toBe(0o2700);
      await put(sam, "/home/sam/shared", "x");
      expect((await files.stat(sam, "/home/sam/shared")).mode).toBe(0o660);
    });

    test("a setuid or setgid program is not changed while it keeps those bits", async () => {
      const modeOf = async (path: string) => (await files.stat(root, path)).mode.toString(8);
      await put(sam, "/home/sam/tool", "x");
      await files.setattr(sam, "/home/sam/tool", { mode: 0o6775 });
      await put(agent, "/home/sam/tool", "y", { at: "end" });
      expect(await modeOf("/home/sam/tool")).toBe("775");
      await files.setattr(sam, "/home/sam/tool", { mode: 0o6775 });
      await files.setattr(root, "/home/sam/tool", { uid: bob.uid, gid: bob.gid });
      expect(await modeOf("/home/sam/tool")).toBe("775");
      await files.setattr(root, "/home/sam/tool", { uid: sam.uid, gid: bob.gid });
      await files.setattr(sam, "/home/sam/tool", { mode: 0o2755 });
      expect(await modeOf("/home/sam/tool")).toBe("755");
    });
  });

  describe(`${name}: links`, () => {
    test("a link reads, writes and lists as its target, and is removed as itself", async () => {
      await files.mkdir(sam, "/home/sam/d", { parents: false });
      await files.link(sam, "/home/sam/l", "d/../d/f");
      await put(sam, "/home/sam/l", "through");
      expect(await get(sam, "/home/sam/d/f")).toBe("through");
      expect((await files.lstat(sam, "/home/sam/l")).kind).toBe("symlink");
      expect(await codeOf(put(sam, "/home/sam/l", "x", { exclusive: true }))).toBe("EEXIST");
      await files.remove(sam, "/home/sam/l", { recursive: true });
      expect(await get(sam, "/home/sam/d/f")).toBe("through");
      await files.link(sam, "/home/sam/away", "/home/bob");
      expect(await codeOf(files.list(sam, "/home/sam/away"))).toBe("EACCES");
    });
  });
}
