// The tree of mounts: which mount serves a path, where links lead, and that no path leads out.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Namespace } from "../../fs/namespace.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { bob, root, sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { seeded } from "../support/random.ts";
import { codeOf } from "../support/refusal.ts";
import { samples } from "../support/soak.ts";

const put = (files: Namespace, path: string, text: string, caller: Caller = root) =>
  files.write(caller, path, new TextEncoder().encode(text), { at: "start" });
const get = async (files: Namespace, path: string, caller: Caller = root) =>
  new TextDecoder().decode((await files.read(caller, path, { bytesMax: 1 << 20 })).bytes);
const names = async (files: Namespace, path: string, caller: Caller = root) =>
  (await files.list(caller, path)).map((entry) => entry.name);

function tree(): Namespace {
  return new Namespace([
    { at: "/", fs: memoryMount() },
    { at: "/tmp", fs: memoryMount() },
    { at: "/deep/er/mount", fs: memoryMount() },
    { at: "/tmp/inner", fs: memoryMount() },
  ]);
}

test("missing directories of a write are created one by one, without walking the path again for each", async () => {
  const fs = memoryMount();
  let asked = 0;
  const counted: typeof fs = Object.create(fs, {
    stat: {
      value: (...call: Parameters<typeof fs.stat>) => {
        asked++;
        return fs.stat(...call);
      },
    },
  });
  const files = new Namespace([{ at: "/", fs: counted }]);
  const path = `/${"a/".repeat(300)}f`;
  const { missing } = await files.destination(root, path);
  for (const directory of missing) await files.mkdirAt(root, directory);
  await put(files, path, "deep");
  expect([missing.length, asked < 4 * missing.length]).toEqual([300, true]);
  await files.mkdirAt(root, "/a");
  expect(await codeOf(files.mkdirAt(root, path))).toBe("EEXIST");
});

describe("mounts", () => {
  test("the longest mount point that matches by whole names serves the path", async () => {
    const files = tree();
    await put(files, "/tmp/inner/a", "inner");
    await put(files, "/tmpest", "root");
    await put(files, "/tmp/a", "tmp");
    expect(await get(files, "/tmp/inner/a")).toBe("inner");
    expect(await names(files, "/tmp")).toEqual(["a", "inner"]);
    expect(await names(files, "/")).toEqual(["deep", "tmp", "tmpest"]);
  });

  test("mount points are listed and can be walked even without a mount above them", async () => {
    const files = tree();
    expect(await names(files, "/deep")).toEqual(["er"]);
    expect(await names(files, "/deep/er", sam)).toEqual(["mount"]);
    expect((await files.stat(sam, "/deep/er")).kind).toBe("directory");
    await put(files, "/deep/er/mount/x", "x", sam);
    expect(await codeOf(put(files, "/deep/er/x", "x", sam))).toBe("ENOENT");
  });

  test("a mount point and its parents can neither be removed nor renamed", async () => {
    const files = tree();
    for (const path of ["/", "/tmp", "/tmp/inner", "/deep", "/deep/er/mount"]) {
      expect(await codeOf(files.remove(root, path, { recursive: true }))).toBe("EBUSY");
      expect(await codeOf(files.rename(root, path, "/elsewhere"))).toBe("EBUSY");
    }
  });

  test("renaming across mounts is EXDEV, and errors contain the whole path", async () => {
    const files = tree();
    await put(files, "/tmp/a", "x");
    expect(await codeOf(files.rename(root, "/tmp/a", "/a"))).toBe("EXDEV");
    await expect(files.read(root, "/tmp/none", { bytesMax: 1 })).rejects.toThrow(
      "/tmp/none: no such file or directory",
    );
    await expect(files.mkdir(root, "/tmp/inner/a/b", { parents: false })).rejects.toThrow("/tmp/inner/a");
  });

  test("links lead across mounts, and .. behind a link is the parent of its target", async () => {
    const files = tree();
    await files.mkdir(root, "/tmp/d/e", { parents: true });
    await put(files, "/tmp/d/up", "up");
    await put(files, "/up", "wrong");
    await files.link(root, "/l", "tmp/d/e");
    expect(await get(files, "/l/../up")).toBe("up");
    await files.link(root, "/tmp/back", "../../../up");
    expect(await get(files, "/tmp/back")).toBe("wrong");
    expect(await files.resolve(root, "/l/new")).toBe("/tmp/d/e/new");
    await put(files, "/l/new", "n");
    expect(await names(files, "/tmp/d/e")).toEqual(["new"]);
  });

  test("a path that ends in .. is the directory above, with that directory's mode", async () => {
    const files = tree();
    await files.mkdir(root, "/tmp/open/shut", { parents: true });
    await files.setattr(root, "/tmp/open/shut", { mode: 0o711 });
    expect((await files.stat(sam, "/tmp/open/shut/..")).mode).toBe(0o777);
    expect(await codeOf(files.list(sam, "/tmp/open/shut/.."))).toBe("done");
  });

  test("sixteen links in a row resolve, the seventeenth and a circle are ELOOP", async () => {
    const files = tree();
    await put(files, "/l0", "end");
    for (let n = 1; n <= 17; n++) await files.link(root, `/l${n}`, `l${n - 1}`);
    expect(await get(files, "/l16")).toBe("end");
    expect(await codeOf(files.stat(root, "/l17"))).toBe("ELOOP");
    await files.link(root, "/c1", "c2");
    await files.link(root, "/c2", "/c1/x");
    expect(await codeOf(files.read(root, "/c1", { bytesMax: 1 }))).toBe("ELOOP");
  });

  test("writing through a dangling link creates the file it points to", async () => {
    const files = tree();
    await files.link(root, "/l", "/tmp/new");
    await put(files, "/l", "made");
    expect(await get(files, "/tmp/new")).toBe("made");
  });

  test("every directory on a path needs the search bit, also behind links and before ..", async () => {
    const files = tree();
    await files.mkdir(sam, "/s/in", { parents: true });
    await put(files, "/s/in/f", "x", sam);
    await files.link(root, "/l", "/s/in");
    await files.setattr(sam, "/s", { mode: 0o700 });
    for (const path of ["/s/in/f", "/l/f", "/s/in/../../tmp", "/s/..", "/s/none"]) {
      expect(await codeOf(files.stat(bob, path))).toBe("EACCES");
    }
    await files.setattr(sam, "/s", { mode: 0o711 });
    expect(await codeOf(files.stat(bob, "/s/in/f"))).toBe("done");
    expect(await codeOf(files.list(bob, "/s"))).toBe("EACCES");
  });

  test("missing parents are created one by one, also through links and ..", async () => {
    const files = tree();
    await files.link(root, "/l", "/tmp");
    await files.mkdir(sam, "/l/a/../b/c//d/", { parents: true });
    expect(await names(files, "/tmp")).toEqual(["a", "b", "inner"]);
    expect(await names(files, "/tmp/b/c")).toEqual(["d"]);
  });

  test("names and paths that are too long, relative or contain a NUL are refused", async () => {
    const files = tree();
    expect(await codeOf(files.stat(root, `/${"n".repeat(256)}`))).toBe("ENAMETOOLONG");
    expect(await codeOf(files.stat(root, "/a".repeat(2100)))).toBe("ENAMETOOLONG");
    expect(await codeOf(files.stat(root, "/a\0b"))).toBe("EINVAL");
    expect(await codeOf(files.stat(root, "relative"))).toBe("EINVAL");
    expect(await codeOf(files.link(root, "/l", "x".repeat(5000)))).toBe("ENAMETOOLONG");
  });
});

describe("no path leads out", () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "gsv-twin-"));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  // The same tree on the host and in the namespace; the host's own answer is the model. The directory above the root must stay
  // hidden. The host does see it, so paths that climb that far only have to stay inside.
  test("random paths resolve as on the host, and none reaches above the root", async () => {
    const files = new Namespace([
      { at: "/", fs: memoryMount() },
      { at: "/m", fs: memoryMount() },
    ]);
    const twin = join(home, "root");
    await mkdir(twin);
    await writeFile(join(home, "secret"), "secret");
    for (const directory of ["a", "a/b", "m", "m/é"]) {
      await mkdir(join(twin, directory));
      await files.mkdir(root, `/${directory}`, { parents: true });
    }
    for (const file of ["f", "a/f", "a/b/F", "m/é/f", "m/e\u0301"]) {
      await writeFile(join(twin, file), `content of ${file}`);
      await put(files, `/${file}`, `content of ${file}`);
    }
    const links = {
      up: "..",
      l: "a/b",
      "a/l": "../m",
      "m/l": "../a/b/F",
      loop: "loop",
      "a/none": "x/y",
      "a/b/out": "../../../secret",
    };
    for (const [path, target] of Object.entries(links)) {
      await symlink(target, join(twin, path));
      await files.link(root, `/${path}`, target);
    }
    const random = seeded(Date.now() % 1_000_000);
    const words = [
      "a",
      "b",
      "f",
      "F",
      "m",
      "é",
      "e\u0301",
      "l",
      "up",
      "loop",
      "none",
      "out",
      "..",
      "..",
      ".",
      "",
      "secret",
      "x",
    ];
    let inside = 0;
    for (let n = 0; n < samples(1500, 20_000); n++) {
      const path = `/${Array.from({ length: 1 + random.int(7) }, () => random.pick(words)).join("/")}`;
      const ours = await get(files, path).catch((error: { code: string }) => error.code);
      const theirs = await readFile(twin + path, "utf8").catch((error: { code: string }) => error.code);
      const about = `seed ${random.seed}, path ${path}`;
      expect(ours, about).not.toBe("secret");
      if (climbs(path)) continue;
      inside++;
      expect(ours, about).toBe(theirs === "secret" ? "ENOENT" : theirs);
    }
    expect(inside).toBeGreaterThan(300);
  });

  /** Whether a path passes above the root on the host: the host resolves it, gsv stops at the root. */
  function climbs(path: string): boolean {
    let depth = 0;
    for (const name of path.split("/")) {
      if (name === "" || name === ".") continue;
      if (name === "up" || name === "out") return true;
      depth += name === ".." ? -1 : 1;
      if (name === "l") depth -= 2;
      if (depth < 0) return true;
    }
    return false;
  }
});
