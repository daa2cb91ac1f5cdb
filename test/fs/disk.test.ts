// A directory of the host as a mount, on a real disk: shows its content and nothing else.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskFs } from "../../fs/disk/disk.ts";
import type { FileSystem, ResolvedPath } from "../../fs/filesystem.ts";
import { Namespace } from "../../fs/namespace.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { agent, bob, root, sam } from "../support/caller.ts";
import { FakeClock } from "../support/clock.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { seeded } from "../support/random.ts";
import { codeOf } from "../support/refusal.ts";
import { samples } from "../support/soak.ts";

const onLinux = process.platform === "linux";

let host: string;
let shared: string;
let files: Namespace;
const clock = new FakeClock();

function disk(directory: string, home = "gsv-home"): FileSystem {
  const owner = async () => ({ uid: sam.uid, gid: sam.gid });
  return diskFs({ directory, owner, hidden: [join(host, home)], clock, random: seeded(1).bytes });
}

function mounted(directory: string, home?: string): Namespace {
  return new Namespace([
    { at: "/", fs: memoryMount() },
    { at: "/mnt/host", fs: disk(directory, home) },
  ]);
}

const put = (path: string, text: string, options = {}, caller: Caller = sam) =>
  files.write(caller, `/mnt/host${path}`, Buffer.from(text), { at: "start", ...options });
const get = async (path: string, caller: Caller = sam, tree = files) =>
  Buffer.from((await tree.read(caller, path, { bytesMax: 1 << 20 })).bytes).toString();
const names = async (path: string, tree = files) => (await tree.list(sam, path)).map(({ name }) => name);

beforeEach(() => {
  if (!onLinux) return;
  host = fs.mkdtempSync(join(tmpdir(), "gsv-disk-"));
  shared = join(host, "shared");
  fs.mkdirSync(join(host, "gsv-home", "run"), { recursive: true });
  fs.writeFileSync(join(host, "gsv-home", "kernel.db"), "the kernel's own");
  fs.mkdirSync(join(host, "outside"));
  fs.writeFileSync(join(host, "outside", "secret"), "secret");
  fs.mkdirSync(join(shared, "d"), { recursive: true, mode: 0o755 });
  fs.writeFileSync(join(shared, "f"), "hello", { mode: 0o640 });
  files = mounted(shared);
});
afterEach(() => {
  if (onLinux) fs.rmSync(host, { recursive: true, force: true });
});

describe.if(onLinux)("a directory of the host", () => {
  test("can be read, written, listed and changed in place", async () => {
    await put("/d/new", "one");
    await put("/d/new", " two", { at: "end" });
    expect(fs.readFileSync(join(shared, "d/new"), "utf8")).toBe("one two");
    await files.mkdir(sam, "/mnt/host/d/deep/er", { parents: true });
    await files.rename(sam, "/mnt/host/d/new", "/mnt/host/d/deep/er/moved");
    await files.setattr(sam, "/mnt/host/d/deep/er/moved", { mode: 0o4700 });
    expect(fs.statSync(join(shared, "d/deep/er/moved")).mode & 0o7777).toBe(0o700);
    expect(await get("/mnt/host/d/deep/er/moved")).toBe("one two");
    await files.remove(sam, "/mnt/host/d/deep", { recursive: true });
    expect(await names("/mnt/host/d")).toEqual([]);
    expect(fs.readdirSync(join(shared, "d"))).toEqual([]);
    expect(await names("/mnt/host")).toEqual(["d", "f"]);
  });

  test("refuses an exclusive write over a file, and a versioned write after any change", async () => {
    expect(await codeOf(put("/f", "x", { exclusive: true }))).toBe("EEXIST");
    const { version } = await files.stat(sam, "/mnt/host/f");
    fs.writeFileSync(join(shared, "f"), "by an editor");
    expect(await codeOf(put("/f", "x", { ifVersion: version }))).toBe("ECONFLICT");
    const now = await put("/f", "ours", { ifVersion: (await files.stat(sam, "/mnt/host/f")).version });
    expect(now.version).toBe((await files.stat(sam, "/mnt/host/f")).version);
    expect(fs.readdirSync(shared).sort()).toEqual(["d", "f"]);
    fs.chmodSync(join(shared, "f"), 0o646);
    await put("/f", "again");
    expect(fs.statSync(join(shared, "f")).mode & 0o777).toBe(0o646);
  });

  test("belongs to one owner and group: no other account gets in, and modes are those of the host", async () => {
    expect(await files.stat(sam, "/mnt/host/f")).toMatchObject({ uid: sam.uid, gid: sam.gid, mode: 0o640, size: 5 });
    expect(await get("/mnt/host/f", agent)).toBe("hello");
    expect(await codeOf(put("/f", "x", {}, agent))).toBe("EACCES");
    expect(await codeOf(files.list(bob, "/mnt/host"))).toBe("EACCES");
    expect(await codeOf(files.stat(bob, "/mnt/host/f"))).toBe("EACCES");
    expect(await codeOf(put("/x", "x", {}, bob))).toBe("EACCES");
    expect(await codeOf(files.setattr(root, "/mnt/host/f", { uid: bob.uid }))).toBe("EPERM");
  });

  test("cannot be removed itself and takes no hard links, and special files are only listed", async () => {
    expect(await codeOf(files.remove(sam, "/mnt/host", { recursive: true }))).toBe("EBUSY");
    const pipe = Bun.spawnSync(["mkfifo", join(shared, "pipe")], { env: { PATH: process.env.PATH ?? "" } });
    expect(pipe.exitCode).toBe(0);
    expect((await files.stat(sam, "/mnt/host/pipe")).mode).toBe(0);
    expect(await codeOf(get("/mnt/host/pipe", root))).toBe("EACCES");
    await expect(get("/mnt/host/pipe", root)).rejects.toThrow("/mnt/host/pipe: not a regular file");
    expect(await codeOf(put("/pipe", "x", {}, root))).toBe("EACCES");
  });
});

describe.if(onLinux)("a mount shows the directory at its path", () => {
  const heldNow = () =>
    fs.readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(host);
      } catch {
        return false;
      }
    });

  test("shows a replacement directory at once and does not follow a link in its place", async () => {
    expect(await get("/mnt/host/f")).toBe("hello");
    fs.renameSync(shared, `${shared}-before`);
    expect(await codeOf(get("/mnt/host/f"))).toBe("ENOENT");
    fs.mkdirSync(shared);
    fs.writeFileSync(join(shared, "f"), "another");
    expect(await get("/mnt/host/f")).toBe("another");
    fs.renameSync(shared, `${shared}-later`);
    fs.symlinkSync(join(host, "outside"), shared);
    expect(await codeOf(get("/mnt/host/secret"))).toBe("ENOTDIR");
    expect(await codeOf(files.list(sam, "/mnt/host"))).toBe("ENOTDIR");
  });

  test("releases the directory after a second without use", async () => {
    expect(await get("/mnt/host/f")).toBe("hello");
    await clock.advance(1000);
    expect(heldNow()).toEqual([]);
    expect(await get("/mnt/host/f")).toBe("hello");
  });
});

describe.if(onLinux)("a deep path", () => {
  test("is walked once, not again for each of its names", async () => {
    const names = Array.from({ length: 40 }, (_, at) => `d${at}`);
    const deep = join("/", ...names);
    fs.mkdirSync(join(shared, deep), { recursive: true });
    fs.writeFileSync(join(shared, deep, "f"), "deep");
    fs.symlinkSync(join(shared, deep), join(shared, "link"));
    const mount = disk(shared);
    const looked: string[] = [];
    const stat = mount.stat.bind(mount);
    mount.stat = (caller, path) => {
      looked.push(path);
      return stat(caller, path);
    };
    const tree = new Namespace([
      { at: "/", fs: memoryMount() },
      { at: "/mnt/host", fs: mount },
    ]);
    expect(await get(`/mnt/host${deep}/f`, sam, tree)).toBe("deep");
    expect(looked).toEqual([]);
    expect(await get(`/mnt/host/d0/../link/../d39/./f`, sam, tree)).toBe("deep");
    expect(looked.length).toBeLessThan(12);
    for (const [path, code] of [
      [`${deep}/f/g/h`, "ENOTDIR"],
      [`${deep}/none/h`, "ENOENT"],
    ] as const)
      expect(await codeOf(get(`/mnt/host${path}`, sam, tree))).toBe(code);
  });

  test("on it stays as hidden as everywhere else", async () => {
    const whole = mounted(host);
    expect(await codeOf(get("/mnt/host/gsv-home/run/x", root, whole))).toBe("ENOENT");
    expect(await codeOf(whole.list(root, "/mnt/host/gsv-home/run"))).toBe("ENOENT");
  });
});

describe.if(onLinux)("a host mount", () => {
  test("never shows gsv's home: not by name, link, hard link, or as a parent directory", async () => {
    const all = mounted(host);
    expect(await names("/mnt/host", all)).toEqual(["outside", "shared"]);
    fs.symlinkSync("gsv-home", join(host, "alias"));
    fs.linkSync(join(host, "gsv-home/kernel.db"), join(host, "outside/other-name"));
    for (const path of ["gsv-home", "gsv-home/kernel.db", "alias/kernel.db", "outside/other-name"]) {
      const at = `/mnt/host/${path}`;
      expect([path, await codeOf(all.read(root, at, { bytesMax: 9 }))]).toEqual([path, "ENOENT"]);
      const written = await codeOf(all.write(root, at, new Uint8Array(1), { at: "end" }));
      expect([path, written === "done"]).toEqual([path, false]);
    }
    expect(fs.readFileSync(join(host, "gsv-home/kernel.db"), "utf8")).toBe("the kernel's own");
    expect(await codeOf(all.rename(root, "/mnt/host/gsv-home", "/mnt/host/moved"))).toBe("ENOENT");
    expect(await codeOf(mounted(join(host, "gsv-home")).list(root, "/mnt/host"))).toBe("ENOENT");
    fs.mkdirSync(join(host, "above"));
    fs.renameSync(join(host, "gsv-home"), join(host, "above/home"));
    const above = mounted(host, "above/home");
    expect(await codeOf(above.remove(root, "/mnt/host/above", { recursive: true }))).toBe("EBUSY");
    expect(await codeOf(above.rename(root, "/mnt/host/above", "/mnt/host/elsewhere"))).toBe("EBUSY");
    expect(fs.existsSync(join(host, "above/home/kernel.db"))).toBe(true);
  });

  test("resolves random paths as the host does while they stay inside, and otherwise not at all", async () => {
    for (const [path, target] of Object.entries({ l: "d", up: "..", "d/out": "../../outside", "d/back": "../f" }))
      fs.symlinkSync(target, join(shared, path));
    const random = seeded(Date.now() % 1_000_000);
    const words = ["d", "f", "l", "up", "out", "back", "secret", "outside", "..", "..", ".", "", "x"];
    let within = 0;
    for (let n = 0; n < samples(1000, 20_000); n++) {
      const path = Array.from({ length: 1 + random.int(5) }, () => random.pick(words)).join("/");
      const about = `seed ${random.seed}, path ${path}`;
      const ours = await get(`/mnt/host/${path}`).catch((error: { code: string }) => error.code);
      expect(ours, about).not.toBe("secret");
      const real = realOf(`${shared}/${path}`);
      if (real === null || !`${real}/`.startsWith(`${shared}/`) || climbs(path)) continue;
      within++;
      const theirs = fs.statSync(real).isDirectory() ? "EISDIR" : fs.readFileSync(real, "utf8");
      expect(ours, about).toBe(theirs);
    }
    expect(within).toBeGreaterThan(20);
  });

  test("never follows a directory out that is constantly swapped for a link", async () => {
    const swapping = `
      const fs = require("node:fs");
      const [dir, aside, out] = process.argv.slice(1);
      process.stdout.write("ready");
      const stay = () => { for (let looks = Math.random() * 400; looks > 0; looks--) fs.existsSync(out); };
      for (;;) {
        try { fs.renameSync(dir, aside); fs.symlinkSync(out, dir); stay(); fs.unlinkSync(dir); fs.renameSync(aside, dir); } catch {}
        stay();
      }`;
    const dir = join(shared, "d");
    fs.writeFileSync(join(dir, "secret"), "inside");
    const child = Bun.spawn([process.execPath, "-e", swapping, dir, join(shared, "aside"), join(host, "outside")], {
      stdout: "pipe",
      env: {},
    });
    try {
      await child.stdout.getReader().read();
      const seen = new Set<string>();
      const swapped = disk(shared);
      const deadline = performance.now() + 4000;
      const late = () => performance.now() > deadline;
      for (let n = 0; n < samples(250, 10_000) || (!seen.has("inside") && !late()); n++) {
        seen.add(await get("/mnt/host/d/secret").catch(({ code }: { code: string }) => code));
        // As if the swap came after the end of the walk.
        const unwalked = await swapped.read(sam, "/d/secret" as ResolvedPath, { bytesMax: 99 }).catch(() => null);
        if (unwalked !== null) seen.add(Buffer.from(unwalked.bytes).toString());
        await swapped.write(sam, "/d/new" as ResolvedPath, new Uint8Array(1), { at: "start" }).catch(() => {});
        await put(`/d/new${n % 7}`, "x").catch(() => {});
        await files.remove(sam, `/mnt/host/d/new${(n + 3) % 7}`, { recursive: false }).catch(() => {});
        await files.list(sam, "/mnt/host/d").then(
          (entries) => expect(entries.map(({ name }) => name)).not.toContain("marker"),
          () => {},
        );
      }
      expect(seen.has("secret")).toBe(false);
      expect(seen.has("inside")).toBe(true);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
    expect(fs.readdirSync(join(host, "outside"))).toEqual(["secret"]);
    expect(fs.readFileSync(join(host, "outside/secret"), "utf8")).toBe("secret");
  });
});

function realOf(path: string): string | null {
  try {
    return fs.realpathSync.native(path);
  } catch {
    return null;
  }
}

/** Whether a path may leave the mounted directory on its way: gsv then resolves it to another place. */
function climbs(path: string): boolean {
  let depth = 0;
  for (const name of path.split("/")) {
    if (["up", "out"].includes(name)) return true;
    if (name === "..") depth--;
    else if (name !== "" && name !== ".") depth++;
    if (depth < 0) return true;
  }
  return false;
}
