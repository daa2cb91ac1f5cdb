// Endless devices and files that are too large, in gsv's shell: programs get as much as they use, and a cut is reported.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { devFs } from "../../fs/generated/dev.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { ShellFiles } from "../../src/targets/shell.ts";
import { seeded } from "../support/random.ts";
import { HOME, Scripts } from "../support/scripts.ts";

const scripts = new Scripts();
afterAll(() => scripts.close());

beforeEach(async () => {
  await scripts.reset(["/home", HOME, "/d"], [{ at: "/dev", fs: devFs(seeded(3).bytes, 0) }]);
  const whole = scripts.files;
  // A file of an attached directory may be of any size.
  const read: ShellFiles["read"] = async (path, offset, bytesMax) =>
    path.endsWith("/huge") ? { bytes: new Uint8Array(bytesMax), eof: false } : whole.read(path, offset, bytesMax);
  scripts.files = { ...whole, read };
  for (const name of ["a", "huge", "z"]) await whole.write(`/d/${name}`, Buffer.from(name), "start");
});

async function run(script: string) {
  const { exit, stdout, stderr } = await scripts.run(script, { cwd: "/" });
  return [exit, stdout, stderr];
}

test("a program that reads an endless device to the end fails with its name and the cut", async () => {
  const cut = "/dev/zero: File too large: endless device, cut after 64.0 MiB\n";
  expect(await run("cat /dev/zero | wc -c; echo $PIPESTATUS")).toEqual([
    0,
    `${LIMITS.fileBytesMax}\n1\n`,
    `cat: ${cut}`,
  ]);
  expect(await run("md5sum /dev/zero")).toEqual([1, "", `md5sum: ${cut}`]);
  expect(await run("cp /dev/urandom r; ls /")).toEqual([
    0,
    "d\ndev\nhome\n",
    "cp: cannot copy '/dev/urandom': File too large: endless device\n",
  ]);
  expect(await run("while read -r -d x line; do :; done < /dev/zero")).toEqual([
    0,
    "",
    "bash: /dev/zero: endless device, cut after 64.0 KiB\n",
  ]);
});

test("a program that uses a part of it reads no more", async () => {
  const parts = [
    "head -c 5 /dev/zero | wc -c",
    "dd if=/dev/zero bs=10 count=3 status=none | wc -c",
    "tr -dc a-z < /dev/urandom | head -c 12 | wc -c",
    "od -An -N4 -tu4 /dev/urandom | wc -l",
    "cmp -n 9 /dev/zero /dev/zero && echo same",
    "xxd -p -l 2 /dev/zero",
  ];
  expect(await run(parts.join("\n"))).toEqual([0, "5\n30\n12\n1\nsame\n0000\n", ""]);
});

test("a copy of a tree names the file that is too large and copies the others", async () => {
  const [status, , stderr] = await run("cp -r d e");
  expect([status, stderr]).toEqual([6, "cp: cannot copy 'd': /d/huge: File too large\n"]);
  expect((await scripts.files.list("/e")).map(({ name }) => name)).toEqual(["a", "z"]);
  expect(await run("read x < d/huge; truncate -s 1 d/huge; wc -c d/a < d/huge")).toEqual([
    1,
    "",
    "bash: d/huge: File too large\nbash: d/huge: File too large\n",
  ]);
});

test("every program names the file that is too large once, and does not take it for a missing one", async () => {
  const most = "larger than 64.0 MiB";
  const said = [
    ["sed p d/huge", `sed: can't read d/huge: ${most}`],
    ["cmp d/huge d/a", `cmp: d/huge: ${most}`],
    ["jq . d/huge", "jq: d/huge: File too large"],
    ["split d/huge", "split: d/huge: File too large"],
    ["comm d/huge d/a", "comm: d/huge: File too large"],
    ["gzip -k d/huge", "gzip: d/huge: File too large"],
    ["jq . d/none", "jq: d/none: No such file or directory"],
  ] as const;
  for (const [script, text] of said) expect([script, (await run(script))[2]]).toEqual([script, `${text}\n`]);
});

test("output that is too large for a file is refused with the file's name and the limit", async () => {
  const refused = (name: string) => [6, "", `bash: ${name}: output larger than 1.0 MiB, not written\n`];
  expect(await run("cat /dev/urandom > ~/u; echo never")).toEqual(refused("~/u"));
  expect(await run('{ yes | cat; } >> "$HOME/a b"')).toEqual(refused("$HOME/a b"));
});
