// The whole tree as the kernel mounts it: all generated files pass one contract.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { basename, dirname } from "node:path";
import { fixedMountContract } from "../contract/fixed-mount.ts";
import { agent, bob, root, sam } from "../support/caller.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { type Mounted, mounted } from "../support/mounted.ts";
import { codeOf } from "../support/refusal.ts";

let home: TestKernel;
let tree: Mounted;

beforeAll(async () => {
  home = await TestKernel.boot();
  tree = mounted(home);
  home.model.will(INIT, { calls: [{ name: "Delete", args: { path: "/home/sam/a" } }] });
  await tree.write(sam, "/home/sam/a", "x");
  await home.send("delete it");
  await home.inState(INIT, "waiting_hil");
  const pid = await home.task();
  await home.say("hello", { pid });
  await home.sys.call("proc.kill", { pid });
});
afterAll(() => home[Symbol.asyncDispose]());

for (const mount of [
  { at: "/proc", file: `/${INIT}/status`, caller: sam },
  { at: "/sys", file: "/syscalls/proc.list", caller: sam },
  { at: "/dev", file: "/null", caller: sam },
  { at: "/bin", file: "/ps", caller: sam },
  { at: "/usr/local/bin", caller: sam },
  { at: "/etc/passwd", file: "", caller: sam },
  { at: "/etc/group", file: "", caller: sam },
  { at: "/etc/shadow", file: "", caller: root },
  { at: "/var/log/gsv", file: "/kernel.log", caller: sam },
  { at: "/var/crash", caller: sam },
  { at: "/var/sessions", caller: sam },
  { at: "/var/media", caller: sam },
  { at: "/agents", caller: sam },
  { at: "/var/spool/approvals", caller: sam },
])
  fixedMountContract(mount, () => tree.files);

describe("the tree", () => {
  test("has the directories of a Linux, and lists its mount points", async () => {
    expect(await tree.names(sam, "/")).toEqual([
      "agents",
      "bin",
      "dev",
      "etc",
      "home",
      "mnt",
      "proc",
      "root",
      "sys",
      "tmp",
      "usr",
      "var",
      "workspaces",
    ]);
    expect(await tree.names(sam, "/var")).toEqual(["crash", "log", "media", "sessions", "spool"]);
    expect(await tree.names(sam, "/etc")).toEqual(["cron.d", "group", "passwd", "shadow"]);
  });

  test("shows nothing of the host unless a directory is granted, and then without gsv's home", async () => {
    expect(await codeOf(tree.files.stat(root, "/mnt/host"))).toBe("ENOENT");
    const { directory } = home;
    const { files } = mounted(home, { host: { directory: dirname(directory), hidden: [directory] } });
    const names = (await files.list(sam, "/mnt/host")).map(({ name }) => name);
    expect(names).not.toContain(basename(directory));
    expect(await codeOf(files.list(root, `/mnt/host/${basename(directory)}`))).toBe("ENOENT");
  });

  test("has no link or path to gsv's own files", async () => {
    const { kernelDb, secretsDir } = home.paths;
    for (const real of [kernelDb, secretsDir, "/../../../../proc/self/root/etc/hostname"]) {
      await tree.files.link(sam, "/home/sam/l", real);
      for (const path of ["/home/sam/l", real, `/proc/self/root${real}`, `/proc/self/cwd${real}`])
        expect([path, await codeOf(tree.read(root, path))]).toEqual([path, expect.stringMatching(/^ENOENT|ENOTDIR$/)]);
      await tree.files.remove(sam, "/home/sam/l", { recursive: false });
    }
  });

  test("lets only its owner read an archive, and no one change it", async () => {
    const [{ path }] = (await home.sys.call<{ archives: [{ path: string }] }>("archive.list", {})).archives;
    expect((await tree.files.stat(sam, path)).size).toBeGreaterThan(20);
    expect(await codeOf(tree.files.read(bob, path, { bytesMax: 1 }))).toBe("EACCES");
    expect(await codeOf(tree.files.remove(root, path, { recursive: false }))).toBe("EROFS");
    expect(await codeOf(tree.write(sam, path, "x"))).toBe("EROFS");
  });

  test("shows an approval as a file to those who may decide, and writing the file decides nothing", async () => {
    const [id = ""] = await tree.names(sam, "/var/spool/approvals");
    expect(JSON.parse(await tree.read(sam, `/var/spool/approvals/${id}`))).toMatchObject({ pid: INIT, tool: "Delete" });
    expect(await tree.read(sam, `/proc/${INIT}/approvals`)).toContain(`"id":"${id}"`);
    expect(await tree.names({ ...bob, ownerUid: 2000 }, "/var/spool/approvals")).toEqual([]);
    expect(await codeOf(tree.write(sam, `/var/spool/approvals/${id}`, '{"decision":"approve"}'))).toBe("EROFS");
    expect(await tree.names(sam, "/var/spool/approvals")).toEqual([id]);
  });

  test("shows the log to root and to the owner of the home, not to the agent", async () => {
    expect(await tree.read(sam, "/var/log/gsv/kernel.log")).toBe("one\ntwo\n");
    expect(await tree.read(root, "/var/log/gsv/kernel.log")).toBe("one\ntwo\n");
    for (const other of [agent, bob]) expect(await codeOf(tree.read(other, "/var/log/gsv/kernel.log"))).toBe("EACCES");
  });

  test("continues reading a growing log at the reader's position", async () => {
    let log = "one\n";
    const { files } = mounted(home, { log: async () => log });
    const read = async (offset: number) =>
      Buffer.from((await files.read(sam, "/var/log/gsv/kernel.log", { offset, bytesMax: 99 })).bytes).toString();
    expect(await read(0)).toBe("one\n");
    log += "two\n";
    expect(await read(4)).toBe("two\n");
  });
});

test("no directory in the root has the time of the epoch", async () => {
  const old = (await tree.files.list(sam, "/")).filter(({ stat }) => stat.mtimeMs === 0);
  expect(old.map(({ name }) => name)).toEqual([]);
});

describe("/dev", () => {
  const get = (path: string, offset: number, bytesMax: number) => tree.files.read(sam, path, { offset, bytesMax });

  test("null takes everything and is empty; zero has zeros and a limit", async () => {
    await tree.write(bob, "/dev/null", "gone", { at: "end" });
    expect(await tree.read(sam, "/dev/null")).toBe("");
    expect([...(await get("/dev/zero", 0, 3)).bytes]).toEqual([0, 0, 0]);
    expect((await get("/dev/zero", 0, 1 << 20)).eof).toBe(false);
    expect(await codeOf(get("/dev/zero", 1 << 30, 3))).toBe("EFBIG");
  });

  test("random never repeats, and takes nothing", async () => {
    const once = (await get("/dev/urandom", 0, 16)).bytes;
    expect(Buffer.from(once).equals((await get("/dev/urandom", 0, 16)).bytes)).toBe(false);
    expect(await codeOf(tree.write(sam, "/dev/random", "x"))).toBe("EACCES");
    expect(await codeOf(get("/dev/tty", 0, 1))).toBe("EIO");
  });
});

describe("large content", () => {
  const MIB = 1024 * 1024;
  const write = (path: string, size: number, pieces: () => AsyncIterable<Uint8Array>) =>
    tree.files.write(sam, path, { size, pieces }, { at: "start" });
  async function* never(): AsyncGenerator<Uint8Array> {
    yield await Promise.reject(new Error("it was read"));
  }

  test("is written piece by piece where the mount can do that, and whole elsewhere", async () => {
    for (const path of ["/home/sam/large", "/home/sam/knowledge/large", "/tmp/large"]) {
      await tree.files.mkdir(sam, path.slice(0, path.lastIndexOf("/")), { parents: true });
      await write(path, 4, async function* () {
        yield Buffer.from("ab");
        yield Buffer.from("cd");
      });
      expect([path, await tree.read(sam, path)]).toEqual([path, "abcd"]);
    }
  });

  test("that fails in the middle leaves the old content", async () => {
    await tree.write(sam, "/home/sam/kept", "old");
    const broken = write("/home/sam/kept", 4, async function* () {
      yield Buffer.from("ab");
      throw new Error("the client has gone");
    });
    await expect(broken).rejects.toThrow("gone");
    expect(await tree.read(sam, "/home/sam/kept")).toBe("old");
  });

  test.each([
    ["/home/sam/large", 1024 * MIB + 1, "EFBIG"],
    ["/home/sam/knowledge/large", 64 * MIB + 1, "EFBIG"],
    ["/root/large", 65 * MIB, "EACCES"],
    ["/home/sam", 65 * MIB, "EISDIR"],
    ["/bin/large", 65 * MIB, "EROFS"],
  ])("%s refuses it before it reads anything", async (path, size, code) => {
    expect(await codeOf(write(path, size, never))).toBe(code);
  });
});
