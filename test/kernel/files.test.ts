// The file tools as people and models call them: paths, whole results, and errors that say what to do.

import { beforeEach, describe, expect, test } from "bun:test";
import type { FileSystem, ReadOptions, ResolvedPath } from "../../fs/filesystem.ts";
import { Namespace } from "../../fs/namespace.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { filesService } from "../../src/kernel/files/files.ts";
import type { CallContext } from "../../src/syscalls/define.ts";
import type { Files } from "../../src/syscalls/fs/files-service.ts";
import { agent, bob, root, sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";

let namespace: Namespace;
let files: Files;
const never = new AbortController().signal;
const as = (caller: Caller): CallContext => ({ caller, requestId: "r", signal: never });
const homes = new Map([sam, bob, agent].map(({ username }) => [username, `/home/${username}`]));

beforeEach(async () => {
  namespace = new Namespace([{ at: "/", fs: memoryMount(0o755) }]);
  for (const { uid, username } of [sam, bob, agent]) {
    await namespace.mkdir(root, `/home/${username}`, { parents: true });
    await namespace.setattr(root, `/home/${username}`, { uid, gid: uid, mode: 0o2770 });
  }
  const owners = new Map([sam, bob].map(({ uid, home }) => [uid, home]));
  files = filesService({
    namespace,
    homeOf: async (caller, username) => (username === null ? owners.get(caller.ownerUid) : homes.get(username)) ?? null,
  });
});

async function fault(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SysError)) return `no SysError: ${error}`;
  return [`${error.code}: ${error.message}`, ...error.hints].join(" | ");
}

async function content(path: string, caller: Caller = sam): Promise<string> {
  const view = await files.read(caller, { path });
  return view.kind === "file" ? view.content : "a directory";
}

describe("paths", () => {
  test("are relative to the caller's directory, absolute, or start at a home; ~ is the home of the owner", async () => {
    await files.write(as(agent), { path: "notes.md", content: "by the agent" });
    for (const path of [
      "~/notes.md",
      "/home/sam/notes.md",
      "notes.md",
      "./x/../notes.md",
      "~sam/notes.md",
      "../sam//notes.md",
    ]) {
      if (path.includes("x/")) await namespace.mkdir(sam, "/home/sam/x", { parents: true });
      expect(await content(path)).toBe("by the agent");
      expect(await content(path, agent)).toBe("by the agent");
    }
    await files.write(as(agent), { path: "~echo/own", content: "mine" });
    expect(await content("/home/echo/own")).toBe("mine");
    expect(await fault(files.read(sam, { path: "~nobody/x" }))).toBe("ENOENT: no such account: nobody (~nobody/x)");
  });

  test("are returned resolved, after links and ..", async () => {
    await namespace.mkdir(sam, "/home/sam/d/e", { parents: true });
    await namespace.link(sam, "/home/sam/l", "d/e");
    expect(await files.write(as(sam), { path: "~/l/../f", content: "x" })).toEqual({ path: "/home/sam/d/f", size: 1 });
    expect((await files.read(sam, { path: "l/../f" })).path).toBe("/home/sam/d/f");
  });
});

describe("read", () => {
  test("shows a file with line numbers, size and version, and a directory with its entries", async () => {
    await files.write(as(sam), { path: "a.txt", content: "é\nb\n" });
    await files.write(as(sam), { path: "d/x", content: "" });
    expect(await files.read(sam, { path: "a.txt" })).toEqual({
      kind: "file",
      path: "/home/sam/a.txt",
      content: "é\nb",
      firstLine: 1,
      lines: 2,
      size: 5,
      version: expect.stringMatching(/^[0-9a-f]{16}$/),
      truncated: false,
    });
    expect(await files.read(sam, { path: "~" })).toEqual({
      kind: "directory",
      path: "/home/sam",
      directories: ["d"],
      files: ["a.txt"],
    });
  });

  test("reports a missing or private path in one line with what to do", async () => {
    expect(await fault(files.read(sam, { path: "d/none" }))).toBe(
      "ENOENT: cannot read /home/sam/d: no such file or directory | read /home/sam to see what is there",
    );
    expect(await fault(files.read(bob, { path: "/home/sam/none" }))).toBe(
      "EACCES: cannot read /home/sam: permission denied",
    );
  });
});

describe("write", () => {
  test("creates missing directories owned like their parent, and keeps the mode and owner of an existing file", async () => {
    await files.write(as(agent), { path: "/home/sam/new/deep/f", content: "1" });
    expect(await namespace.stat(sam, "/home/sam/new/deep")).toMatchObject({
      uid: agent.uid,
      gid: sam.gid,
      mode: 0o2770,
    });
    await namespace.setattr(agent, "/home/sam/new/deep/f", { mode: 0o620 });
    expect(await fault(files.read(sam, { path: "new/deep/f" }))).toContain("EACCES");
    await files.write(as(sam), { path: "new/deep/f", content: "2" });
    expect(await namespace.stat(sam, "/home/sam/new/deep/f")).toMatchObject({ uid: agent.uid, mode: 0o620, size: 1 });
  });

  test("leaves nothing behind where the caller lacks permission, not even a directory", async () => {
    expect(await fault(files.write(as(bob), { path: "/home/sam/x/y", content: "x" }))).toContain(
      "EACCES: cannot write",
    );
    expect(await fault(files.write(as(sam), { path: "/etc/x/y", content: "x" }))).toContain("EACCES: cannot write");
    expect(await fault(namespace.stat(root, "/etc"))).toContain("ENOENT");
    expect(await fault(files.write(as(sam), { path: "~", content: "x" }))).toBe(
      "EISDIR: cannot write /home/sam: is a directory | name a file inside it",
    );
  });

  const LONG = "n".repeat(256);
  test.each([
    ["a file name that is too long", `new/deep/${LONG}`, "ENAMETOOLONG"],
    ["a directory name that is too long", `new/${LONG}/f`, "ENAMETOOLONG"],
    ["a path that leads out to where the caller may not write", "new/../../bob/f", "EACCES"],
    ["a name that gsv keeps for itself", "new/deep/.dir", "EPERM"],
    ["a directory of that name", "new/.dir/f", "EPERM"],
    ["a path that asks for a directory", "new/deep/", "EISDIR"],
  ])("%s is refused with nothing left behind", async (_, path, code) => {
    await namespace.setattr(root, "/home/bob", { mode: 0o755 });
    expect(await fault(files.write(as(sam), { path, content: "x" }))).toStartWith(code);
    expect(await namespace.list(sam, "/home/sam")).toEqual([]);
    expect(await namespace.list(sam, "/home/bob")).toEqual([]);
  });

  test("keeps a new directory that is already in use when the write fails", async () => {
    const failing = filesService({
      namespace: new Proxy(namespace, {
        get: (real, name) => {
          if (name !== "write") return Reflect.get(real, name).bind?.(real) ?? Reflect.get(real, name);
          return async () => {
            await real.write(sam, "/home/sam/new/other", Buffer.from("x"), { at: "start" });
            throw new SysError("ENOSPC", "the disk is full");
          };
        },
      }),
      homeOf: async () => "/home/sam",
    });
    expect(await fault(failing.write(as(sam), { path: "new/deep/f", content: "x" }))).toStartWith("ENOSPC");
    expect((await namespace.list(sam, "/home/sam/new")).map(({ name }) => name)).toEqual(["other"]);
  });
});

describe("edit", () => {
  test("changes only the text it names, and keeps a byte order mark and CRLF", async () => {
    await files.write(as(sam), { path: "f", content: "\ufeffone\r\ntwo\r\n" });
    const result = await files.edit(as(sam), { path: "f", oldString: "two", newString: "2", replaceAll: false });
    expect(result).toEqual({ path: "/home/sam/f", replacements: 1, line: 2 });
    const { bytes } = await namespace.read(sam, "/home/sam/f", { bytesMax: 99 });
    expect(Buffer.from(bytes).toString("latin1")).toBe("\u00ef\u00bb\u00bfone\r\n2\r\n");
  });

  test("keeps all edits that are made at the same time", async () => {
    const marks = ["a", "b", "c"];
    await files.write(as(sam), { path: "f", content: marks.map((mark) => `<${mark}>\n`).join("") });
    const edits = marks.map((mark) => ({ path: "f", oldString: `<${mark}>`, newString: mark, replaceAll: false }));
    await Promise.all(edits.map((each) => files.edit(as(sam), each)));
    expect(await content("f")).toBe("a\nb\nc");
  });

  test("gives up with an error on a file that keeps changing or is too large", async () => {
    const disk = memoryMount(0o777);
    let reads = 0;
    const restless: FileSystem = Object.assign(Object.create(disk), {
      read: async (caller: Caller, path: ResolvedPath, range: ReadOptions) => {
        const piece = await disk.read(caller, path, { ...range, bytesMax: 2 });
        return { ...piece, version: String(reads++) };
      },
    });
    const endless: FileSystem = Object.assign(Object.create(disk), {
      read: async () => ({ bytes: new Uint8Array(LIMITS.fileBytesMax / 4), eof: false, version: "1" }),
    });
    namespace = new Namespace([
      { at: "/", fs: restless },
      { at: "/big", fs: endless },
    ]);
    const edit = (path: string) =>
      filesService({ namespace, homeOf: async () => null }).edit(as(sam), {
        path,
        oldString: "a",
        newString: "b",
        replaceAll: false,
      });
    await namespace.write(sam, "/log", Buffer.from("some text"), { at: "start" });
    expect(await fault(edit("/log"))).toStartWith("ECONFLICT: cannot edit /log");
    expect(await fault(edit("/big/log"))).toStartWith("EFBIG: cannot edit /big/log");
  });

  test("changes nothing and gives the reason when a file is not text, is missing, or has no match", async () => {
    const edit = (path: string) =>
      fault(files.edit(as(sam), { path, oldString: "x", newString: "y", replaceAll: false }));
    await namespace.write(sam, "/home/sam/data.png", new Uint8Array([0, 120, 255]), { at: "start" });
    await namespace.write(sam, "/home/sam/latin", new Uint8Array([120, 0xe9]), { at: "start" });
    expect(await edit("data.png")).toContain("/home/sam/data.png is not text: image/png, 3 bytes");
    expect(await edit("latin")).toContain("is not text");
    expect(await edit("none")).toContain("ENOENT: cannot edit /home/sam/none");
    expect(await edit("~")).toContain("EISDIR: cannot edit /home/sam");
    await files.write(as(sam), { path: "f", content: "abc" });
    expect(await edit("f")).toContain("cannot edit /home/sam/f: the old text was not found");
  });
});

describe("delete and search", () => {
  test("delete removes a file or an empty directory, and names the obstacle otherwise", async () => {
    await files.write(as(sam), { path: "d/f", content: "x" });
    expect(await fault(files.remove(as(sam), { path: "d" }))).toBe(
      "ENOTEMPTY: cannot delete /home/sam/d: directory not empty | delete what is in it first",
    );
    expect(await files.remove(as(sam), { path: "d/f" })).toEqual({ path: "/home/sam/d/f" });
    await files.remove(as(sam), { path: "d" });
    expect(await fault(files.remove(as(sam), { path: "/" }))).toContain("EBUSY: cannot delete /");
  });

  test("search covers the current directory when no path is given", async () => {
    await files.write(as(sam), { path: "d/f.md", content: "a deadline\n" });
    await files.write(as(bob), { path: "~/g.md", content: "a deadline\n" });
    const found = await files.search(sam, { query: "deadline" }, never);
    expect(found).toEqual({
      matches: [{ path: "/home/sam/d/f.md", line: 1, content: "a deadline" }],
      count: 1,
      truncated: false,
    });
    expect((await files.search(sam, { query: "deadline", path: "/home" }, never)).count).toBe(1);
    expect((await files.search(sam, { query: "deadline", path: "d", include: "*.txt" }, never)).count).toBe(0);
  });
});
