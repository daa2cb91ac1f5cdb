// The programs for files, on a kernel: output, changes and exit statuses.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { flagsOf } from "../../../commands/args.ts";
import type { Io } from "../../../commands/command.ts";
import { cat, chmod, chown, du, grep, ls, mkdir, stat, tail } from "../../../commands/files/shell-programs.ts";
import { FakeOutput, stdinOf } from "../../support/io.ts";
import { TestKernel } from "../../support/kernel.ts";
import { begin, finish, type Typed } from "../../support/shell.ts";

let home: TestKernel;
beforeEach(async () => {
  home = await TestKernel.boot();
});
afterEach(() => home[Symbol.asyncDispose]());

async function gsv(argv: string[], more: Partial<Io> = {}): Promise<Typed> {
  return await finish(home, await begin(home, argv, stdinOf("none"), more));
}

async function says(...argv: string[]): Promise<string> {
  const { status, stdout, stderr } = await gsv(argv);
  expect(`${status} ${stderr}`).toBe("0 ");
  return stdout;
}

/** Output on a terminal. */
async function sees(
  ...argv: string[]
): Promise<{ readonly status: number; readonly text: string; readonly stderr: string }> {
  const stdout = new FakeOutput();
  stdout.isTTY = true;
  const { status, stderr } = await gsv(argv, { stdout });
  return { status, text: stdout.text, stderr };
}

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await home.sys.call("fs.put", { path, data: Buffer.from(content).toString("base64") });
}

describe("cat", () => {
  test("writes every byte to a pipe, and only harmless text to a terminal", async () => {
    const bytes = new Uint8Array([0, 255, 27, 91, 50, 74, 10]);
    await put("~/bin", bytes);
    await put("~/text", "a\u001b[2Jb\r\n\u202ec\n");
    const stdout = new FakeOutput();
    expect((await gsv(["cat", "~/bin", "~/bin"], { stdout })).status).toBe(0);
    expect(new Uint8Array(Buffer.concat(stdout.pieces))).toEqual(new Uint8Array([...bytes, ...bytes]));
    const shown = await sees("cat", "~/text");
    expect(shown.text).toStartWith("ab\n");
    expect(shown.text).not.toMatch(/[\u001b\u202e\r]/);
    const refused = await sees("cat", "~/bin");
    expect([refused.status, refused.text]).toEqual([2, ""]);
    expect(refused.stderr).toContain("gsv cp '~/bin' host:./bin copies it");
  });

  test("continues after an unreadable file, and exits with the first error", async () => {
    await put("~/a", "a");
    await home.person(0).call("fs.put", { path: "/etc/secret", data: "", mode: "0600" });
    const { status, stdout, stderr } = await gsv(["cat", "/etc/secret", "~/a", "~/none"]);
    expect([status, stdout]).toEqual([1, "a"]);
    expect(stderr).toBe("gsv: cat: /etc/secret: Permission denied\ngsv: cat: ~/none: No such file or directory\n");
  });
});

describe("ls", () => {
  test("shows files before directories, links as links with -l alone, hidden names on request", async () => {
    await put("~/b", "12");
    await put("~/.hidden", "");
    await says("mkdir", "~/d");
    await put("~/d/x", "1");
    await says("ln", "-s", "d", "~/l");
    expect(await says("ls")).toBe("b\nd\nl\n");
    expect(await says("ls", "-a")).toBe(".\n..\n.hidden\nb\nd\nl\n");
    expect(await says("ls", "-A")).toBe(".hidden\nb\nd\nl\n");
    expect(await says("ls", "-r")).toBe("l\nd\nb\n");
    expect(await says("ls", "~/d", "~/b", "~/.hidden")).toBe("~/.hidden\n~/b\n\n~/d:\nx\n");
    expect(await says("ls", "~/l")).toBe("x\n");
    expect(await says("ls", "-l", "~/l")).toMatch(/^lrwxrwxrwx .* ~\/l -> d\n$/);
    expect(await says("ls", "-d", "~/d")).toBe("~/d\n");
    expect(await says("ls", "-R")).toBe(".:\nb\nd\nl\n\n./d:\nx\n");
    expect(await says("ls", "-S", "~")).toStartWith("b\n");
    const row = JSON.parse((await says("ls", "--json", "~/d")).trim()) as object;
    expect(row).toMatchObject({ path: "~/d/x", name: "x", kind: "file", size: 1, owner: "sam" });
    expect((await sees("ls")).text).toBe("b  \u001b[34md\u001b[0m  \u001b[36ml\u001b[0m\n");
  });

  test("lists directories with more entries than one answer has", async () => {
    for (let n = 0; n < 25; n++) await put(`/tmp/${n}`, "");
    const sys = await home.client();
    const call: typeof sys.call = (name, args, options) =>
      sys.call(name, name === "fs.list" ? { ...args, limit: 10 } : args, options);
    const { stdout } = await gsv(["ls", "/tmp"], { sys: () => ({ ...sys, call }) });
    expect(stdout.trim().split("\n")).toHaveLength(25);
  });
});

describe("mv", () => {
  test("renames, moves into directories, replaces, and keeps existing files with -n", async () => {
    await put("~/a", "a");
    await put("~/b", "b");
    await says("mkdir", "~/d");
    await says("mv", "-n", "~/a", "~/b");
    expect(await says("cat", "~/b")).toBe("b");
    await says("mv", "~/a", "~/b");
    await says("mv", "~/b", "~/d");
    expect([await says("ls"), await says("cat", "~/d/b")]).toEqual(["d\n", "a"]);
    expect((await gsv(["mv", "~/none", "~/x"])).status).toBe(3);
    expect((await gsv(["mv", "host:a", "~/x"])).status).toBe(2);
  });

  test("copies between mounts, with modes and times, and then removes", async () => {
    await says("mkdir", "-p", "~/d/e");
    await put("~/d/e/a", "a");
    await says("chmod", "0600", "~/d/e/a");
    await says("touch", "-d", "2020-01-01T00:00:00Z", "~/d/e/a");
    await says("ln", "-s", "a", "~/d/e/l");
    await says("mv", "~/d", "/tmp");
    expect(await says("ls", "-l", "/tmp/d/e")).toMatch(
      /^total 8\n-rw------- .* 2020-01-01T00:00:00.000Z a\nl.* l -> a\n$/,
    );
    expect(await says("ls")).toBe("");
  });
});

describe("rm", () => {
  test("removes directories with -r alone, is silent with -f, and asks with -i", async () => {
    await says("mkdir", "-p", "~/d/e");
    await put("~/a", "");
    await put("~/b", "");
    expect((await gsv(["rm", "~/d"])).status).toBe(1);
    expect((await gsv(["rm", "~/none"])).status).toBe(3);
    await says("rm", "-f", "~/none");
    const asked = await gsv(["rm", "-i", "~/a", "~/b"], { stdin: stdinOf("pipe", ["n\ny\n"]) });
    expect(asked.stderr).toBe("remove file ~/a? [y/N] remove file ~/b? [y/N] ");
    await says("rm", "-r", "~/d");
    expect(await says("ls")).toBe("a\n");
    for (const path of ["/", ".", "..", "~/.."]) expect((await gsv(["rm", "-rf", path])).status).toBe(2);
    expect((await gsv(["rm", "-r", "/proc"])).status).toBe(1);
  });
});

describe("find and grep", () => {
  test("find tests names, types, sizes, ages and depths with the usual flags", async () => {
    await says("mkdir", "-p", "~/d/e");
    await put("~/d/a.md", "x".repeat(2000));
    await put("~/d/e/B.MD", "");
    await says("touch", "-d", "2000-01-01", "~/d/a.md");
    expect(await says("find", "~", "-name", "*.md")).toBe("~/d/a.md\n");
    expect(await says("find", "~", "-iname", "*.md", "-empty")).toBe("~/d/e/B.MD\n");
    expect(await says("find", "-type", "d", "-mindepth", "1")).toBe("./d\n./d/e\n");
    expect(await says("find", "~/d", "-maxdepth", "1", "-type", "f")).toBe("~/d/a.md\n");
    expect(await says("find", "~", "-size", "+1k")).toBe("~/d/a.md\n");
    expect(await says("find", "~/d", "-size", "-1")).toBe("~/d\n~/d/e\n~/d/e/B.MD\n");
    expect(await says("find", "~", "-type", "f", "-mtime", "-1")).toBe("~/d/e/B.MD\n");
    expect(await says("find", "~/d", "-newer", "~/d/a.md", "-type=f", "-print0")).toBe("~/d/e/B.MD\0");
    expect((await gsv(["find", "~", "-size", "big"])).status).toBe(2);
    expect((await gsv(["find", "~", "-exec", "rm"])).status).toBe(2);
  });

  test("grep exits 0, 1 or 2, and prints names if there are several files", async () => {
    await put("~/a", "one\ntwo\nthree");
    await put("~/b", "\0two");
    expect(await says("grep", "-n", "t", "~/a")).toBe("2:two\n3:three\n");
    expect(await says("grep", "-r", "two", "~")).toBe("~/a:two\ngrep: ~/b: binary file matches\n");
    expect(await says("grep", "-c", "t", "~/a", "~/b")).toBe("~/a:2\n~/b:1\n");
    expect(await says("grep", "-vl", "none", "~/a")).toBe("~/a\n");
    expect((await gsv(["grep", "none", "~/a"])).status).toBe(1);
    expect(await gsv(["grep", "two", "~/a", "~/none"])).toMatchObject({ status: 2, stdout: "~/a:two\n" });
    expect((await gsv(["grep", "two", "~"])).status).toBe(2);
    const piped = await gsv(["grep", "x"], { stdin: stdinOf("pipe", ["ax\nb"]) });
    expect([piped.status, piped.stdout]).toEqual([0, "ax\n"]);
    expect((await gsv(["grep", "-E", "a(", "~/a"])).stderr.split("\n")).toHaveLength(3);
  });
});

test("chown gives files to your own groups, and to others only as root", async () => {
  await put("~/a", "");
  await says("chown", ":users", "~/a");
  expect(JSON.parse(await says("stat", "--json", "~/a"))).toMatchObject({ owner: "sam", group: "users" });
  expect((await gsv(["chown", "root", "~/a"])).stderr).toBe(
    "gsv: chown: changing ownership of '~/a': Operation not permitted\n",
  );
  expect((await gsv(["chown", "nobody-here", "~/a"])).stderr).toContain("invalid user: ‘nobody-here’");
});

test("the program takes every flag of its help page", async () => {
  await put("~/a", "a\n");
  const refused: string[] = [];
  for (const { spec } of [ls, stat, du, cat, tail, grep, chmod, chown, mkdir]) {
    const words = { grep: ["a"], chmod: ["0644"], chown: [":sam"] }[spec.name] ?? [];
    for (const [flag, { spec: of }] of flagsOf(spec.input)) {
      if (flag === "--follow" || flag === "-f") continue;
      const value = of.kind === "flag" ? [] : ["1"];
      const { stderr } = await gsv([spec.name, flag, ...value, ...words, "~/a"]);
      if (/option/.test(stderr)) refused.push(`${spec.name} ${flag}: ${stderr}`);
    }
  }
  expect(refused).toEqual([]);
});

test("an unlistable directory is reported, and the rest continues", async () => {
  await says("mkdir", "-p", "~/d/open");
  await home.person(0).call("fs.mkdir", { path: "/home/sam/d/closed", mode: "0700" });
  const { status, stdout, stderr } = await gsv(["find", "~/d"]);
  expect([status, stdout]).toEqual([1, "~/d\n~/d/closed\n~/d/open\n"]);
  expect(stderr).toBe("gsv: find: ~/d/closed: Permission denied\n");
});
