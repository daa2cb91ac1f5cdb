// Copies between gsv and this computer, with real files on both sides: bytes, modes, trees, links, and refusals.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../../src/abi/config/limits.ts";
import { hostSide } from "../../../src/machine/host-files.ts";
import type { FileStat } from "../../../src/syscalls/fs/fs-tree.ts";
import { stdinOf } from "../../support/io.ts";
import { TestKernel } from "../../support/kernel.ts";
import { seeded } from "../../support/random.ts";
import { scratchDirectory } from "../../support/scratch.ts";
import { begin, finish, type Typed } from "../../support/shell.ts";

let home: TestKernel;
let cwd: string;
beforeEach(async () => {
  home = await TestKernel.boot();
  cwd = scratchDirectory("copies");
});
afterEach(async () => {
  await home[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true, force: true });
});

async function gsv(argv: string[], stdin?: string): Promise<Typed> {
  const host = () =>
    hostSide({
      cwd,
      home: home.paths.home,
      drafts: home.paths.runDir,
      clock: home.clock,
      random: seeded(5).bytes,
    });
  const input = stdin === undefined ? stdinOf("none") : stdinOf("pipe", [stdin]);
  return await finish(home, await begin(home, argv, input, { host, env: { HOME: "/home/of-this-machine" } }));
}

async function did(...argv: string[]): Promise<string> {
  const { status, stdout, stderr } = await gsv(argv);
  expect(`${status} ${stderr}`).toBe("0 ");
  return stdout;
}

const at = (name: string) => join(cwd, name);
const stat = (path: string) => home.sys.call<FileStat>("fs.stat", { path, link: true });

describe("a file", () => {
  test("is copied in and out with its bytes and its mode", async () => {
    const bytes = Buffer.from(Array.from({ length: 2000 }, (_, n) => n % 256));
    writeFileSync(at("a.bin"), bytes);
    chmodSync(at("a.bin"), 0o750);
    await did("cp", "host:a.bin", "~/a.bin");
    expect((await stat("~/a.bin")).mode).toBe("0750");
    await did("cp", "~/a.bin", "host:./b.bin");
    expect(readFileSync(at("b.bin")).equals(bytes)).toBe(true);
    expect(statSync(at("b.bin")).mode & 0o7777).toBe(0o750);
    expect(readdirSync(cwd).sort()).toEqual(["a.bin", "b.bin"]);
  });

  test("is copied into a directory under its own name, and several files only into one", async () => {
    writeFileSync(at("a"), "1");
    writeFileSync(at("b"), "2");
    await did("mkdir", "~/d");
    await did("cp", "host:a", "host:b", "~/d");
    expect(await did("ls", "~/d")).toBe("a\nb\n");
    mkdirSync(at("out"));
    await did("cp", "~/d/a", "host:out");
    expect(readFileSync(at("out/a"), "utf8")).toBe("1");
    expect(await gsv(["cp", "host:a", "host:b", "~/none"])).toMatchObject({
      status: 3,
      stderr: "gsv: cp: ~/none: No such file or directory\n",
    });
  });

  test("that exists keeps its mode and gets the content; -n keeps it, -p copies mode and time", async () => {
    writeFileSync(at("a"), "new");
    chmodSync(at("a"), 0o640);
    utimesSync(at("a"), 1000, 1000);
    await did("touch", "~/a");
    await did("chmod", "0600", "~/a");
    await did("cp", "-n", "host:a", "~/a");
    expect(await did("cat", "~/a")).toBe("");
    await did("cp", "host:a", "~/a");
    expect([await did("cat", "~/a"), (await stat("~/a")).mode]).toEqual(["new", "0600"]);
    await did("cp", "-p", "host:a", "~/a");
    expect(await stat("~/a")).toMatchObject({ mode: "0640", mtimeMs: 1_000_000 });
    await did("cp", "-p", "~/a", "host:b");
    expect(statSync(at("b")).mtimeMs).toBe(1_000_000);
  });

  test("is read from stdin and written to stdout", async () => {
    expect(await gsv(["cp", "-", "~/a"], "from a pipe")).toMatchObject({ status: 0, stderr: "" });
    expect(await did("cp", "~/a", "-")).toBe("from a pipe");
    expect(await gsv(["cp", "-", "~"], "x")).toMatchObject({ status: 1 });
    expect(await gsv(["cp", "-", "~/a", "~/b"], "x")).toMatchObject({ status: 2 });
  });

  test("is not copied onto itself, and a directory only with -r and not into itself", async () => {
    await did("mkdir", "-p", "~/d/e");
    await did("touch", "~/a");
    await did("ln", "-s", "a", "~/l");
    expect((await gsv(["cp", "~/a", "~/l"])).stderr).toContain("are the same file");
    expect(await gsv(["cp", "~/d", "~/x"])).toMatchObject({ status: 1, stderr: expect.stringContaining("-r copies") });
    for (const into of ["~/d", "~/d/e", "~/d/e/new"])
      expect((await gsv(["cp", "-r", "~/d", into])).stderr).toMatch(/into itself|same file/);
    expect(await did("find", "~/d")).toBe("~/d\n~/d/e\n");
  });
});

describe("a tree", () => {
  test("is copied in with its modes and links, and out without links", async () => {
    mkdirSync(at("t/sub"), { recursive: true });
    writeFileSync(at("t/sub/a"), "a");
    writeFileSync(at("t/b"), "b");
    chmodSync(at("t/sub"), 0o500);
    symlinkSync("/etc/passwd", at("t/link"));
    await did("cp", "-r", "host:t", "~/t");
    expect((await stat("~/t/link")).target).toBe("/etc/passwd");
    expect((await stat("~/t/sub")).mode).toMatch(/500$/);
    const out = await gsv(["cp", "-r", "~/t", "host:back"]);
    expect(out).toMatchObject({ status: 2, stderr: expect.stringContaining("~/t/link: links are not copied") });
    expect(readFileSync(at("back/sub/a"), "utf8")).toBe("a");
    expect(statSync(at("back/sub")).mode & 0o777).toBe(0o500);
    expect(existsSync(at("back/link"))).toBe(false);
  });

  test("is never written through a link in the target, on either side", async () => {
    mkdirSync(at("outside"));
    mkdirSync(at("dst/t"), { recursive: true });
    symlinkSync(at("outside"), at("dst/t/sub"));
    symlinkSync(at("outside/file"), at("dst/t/a"));
    await did("mkdir", "-p", "~/t/sub", "~/elsewhere", "~/into/t");
    await did("touch", "~/t/sub/x", "~/t/a");
    await did("ln", "-s", "../../elsewhere", "~/into/t/sub");
    const out = await gsv(["cp", "-r", "~/t", "host:dst"]);
    expect(out).toMatchObject({ status: 1, stderr: expect.stringContaining("gsv does not write through links") });
    expect(readdirSync(at("outside"))).toEqual([]);
    expect(lstatSync(at("dst/t/a")).isSymbolicLink()).toBe(true);
    expect((await gsv(["cp", "-r", "~/t", "~/into"])).status).toBe(1);
    expect(await did("ls", "~/elsewhere")).toBe("");
  });
});

describe("refusals on this computer", () => {
  test("gsv's own home, by any name, to read and to write", async () => {
    symlinkSync(home.directory, at("way"));
    await did("touch", "~/a");
    for (const path of [join(home.directory, "kernel.db"), "way/kernel.db", "way"])
      expect(await gsv(["cp", "-r", `host:${path}`, "~/k"])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("cannot copy single files of gsv's home"),
      });
    expect((await gsv(["cp", "~/a", "host:way/kernel.db"])).status).toBe(1);
    expect((await gsv(["cp", "~/a", "host:way/new"])).status).toBe(1);
    expect(existsSync(join(home.directory, "new"))).toBe(false);
  });

  test("a file that exists only on this computer is named with its host: form", async () => {
    writeFileSync(join(cwd, "f.txt"), "mine");
    const { status, stderr } = await gsv(["cp", "f.txt", "~/f.txt"]);
    expect([status, stderr]).toEqual([
      3,
      "gsv: cp: f.txt: No such file or directory\n  for a file on this computer: host:f.txt\n",
    ]);
    expect((await gsv(["cp", "g.txt", "~/f.txt"])).stderr).toBe("gsv: cp: g.txt: No such file or directory\n");
  });

  test("special files, and missing ones", async () => {
    await did("touch", "~/a");
    expect((await gsv(["cp", "~/a", "host:/dev/null"])).status).toBe(2);
    expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
    expect((await gsv(["cp", "host:/dev/zero", "~/z"])).status).toBe(2);
    expect(await gsv(["cp", "host:none", "~/z"])).toMatchObject({
      status: 3,
      stderr: "gsv: cp: host:none: No such file or directory\n",
    });
    expect(await gsv(["cp", "~/a", "host:none/a"])).toMatchObject({ status: 3 });
    // It opens, but cannot be read.
    if (process.platform === "linux")
      expect(await gsv(["cp", "host:/proc/self/mem", "~/z"])).toMatchObject({
        status: 1,
        stderr: "gsv: cp: host:/proc/self/mem: EIO\n",
      });
  });
});

test("a file that is too large, and an endless device, are named and exit with 6, and the rest of a tree is copied", async () => {
  mkdirSync(at("tree"));
  writeFileSync(at("tree/small"), "s");
  writeFileSync(at("tree/huge"), "");
  truncateSync(at("tree/huge"), LIMITS.uploadBytesMax + 1);
  const tooLarge = "too large: files may have up to 1.0 GiB\n";
  const failed = (stderr: string) => ({ status: 6, stdout: "", stderr });
  expect(await gsv(["cp", "host:tree/huge", "~/h"])).toEqual(failed(`gsv: cp: host:tree/huge: ${tooLarge}`));
  expect(await gsv(["cp", "-r", "host:tree", "~/t"])).toEqual(failed(`gsv: cp: host:tree/huge: ${tooLarge}`));
  expect(await did("ls", "~/t")).toBe("small\n");
  const endless = "endless device, cut after 64.0 KiB\n";
  expect(await gsv(["cp", "/dev/zero", "~/z"])).toEqual(failed(`gsv: cp: cannot read /dev/zero: ${endless}`));
  const { status, stderr } = await gsv(["cat", "/dev/urandom"]);
  expect([status, stderr]).toEqual([6, `gsv: cat: cannot read /dev/urandom: ${endless}`]);
});

test("a path that the host shell expanded from ~ gets advice about quoting", async () => {
  const { status, stderr } = await gsv(["cat", "/home/of-this-machine/notes.md"]);
  expect(status).toBe(3);
  expect(stderr).toContain("quote it to mean your home inside gsv");
  expect(stderr).toContain("gsv cat '~/notes.md'");
});

test("ctrl-C during a copy to this computer leaves the old file and no other", async () => {
  writeFileSync(at("out"), "old");
  const data = Buffer.alloc(512 * 1024).toString("base64");
  const upload = "0190a1b2-0000-7000-8000-000000000001";
  for (const offset of [0, 512 * 1024]) await home.sys.call("fs.stage", { upload, offset, data });
  await home.sys.call("fs.put", { path: "~/big", upload });
  const sys = await home.client();
  let press = () => {};
  const call: typeof sys.call = async (name, args: { offset?: number }, options) => {
    if (name === "fs.get" && args.offset !== 0) press();
    return sys.call(name, args, options);
  };
  const host = () => hostSide({ cwd, home: home.paths.home, drafts: cwd, clock: home.clock, random: seeded(7).bytes });
  const typing = await begin(home, ["cp", "~/big", "host:out"], stdinOf("none"), {
    host,
    sys: () => ({ ...sys, call }),
  });
  press = () => typing.interrupt("INT");
  expect((await finish(home, typing)).status).toBe(130);
  expect([readFileSync(at("out"), "utf8"), readdirSync(cwd)]).toEqual(["old", ["out"]]);
});

test("twenty megabytes are copied in and out one piece per call, one at a time", async () => {
  const bytes = Buffer.from(seeded(9).bytes(20 * 1024 * 1024));
  writeFileSync(at("big"), bytes);
  const sys = await home.client();
  let [open, most, biggest] = [0, 0, 0];
  const watched = {
    ...sys,
    async call<Result>(name: string, args: object): Promise<Result> {
      most = Math.max(most, ++open);
      const answer = await sys.call<Result>(name, args).finally(() => open--);
      biggest = Math.max(biggest, JSON.stringify(args).length, JSON.stringify(answer).length);
      return answer;
    },
  };
  const host = () =>
    hostSide({ cwd, home: home.paths.home, drafts: "/nowhere", clock: home.clock, random: seeded(6).bytes });
  for (const argv of [
    ["cp", "host:big", "~/big"],
    ["cp", "~/big", "host:again"],
  ])
    expect(await finish(home, await begin(home, argv, stdinOf("none"), { host, sys: () => watched }))).toMatchObject({
      status: 0,
      stderr: "",
    });
  expect(readFileSync(at("again")).equals(bytes)).toBe(true);
  expect(most).toBe(1);
  expect(biggest).toBeLessThan(1024 * 1024);
});
