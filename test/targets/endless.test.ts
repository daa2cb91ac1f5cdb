// Endless devices and files that are too large, in gsv's shell: programs get as much as they use, and a cut is reported.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { devFs } from "../../fs/generated/dev.ts";
import { Namespace } from "../../fs/namespace.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { shellFiles } from "../../src/kernel/shells/shell-files.ts";
import { realClock } from "../../src/lib/clock.ts";
import { JobRoom, JobTable } from "../../src/targets/jobs.ts";
import type { ShellFiles } from "../../src/targets/shell.ts";
import { WorkerPool } from "../../src/targets/worker-pool.ts";
import { sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { seeded } from "../support/random.ts";
import { lentShellRunner } from "../support/shell-runners.ts";
import { FakeSys } from "../support/sys.ts";

const shells = new WorkerPool({
  ...{ newRunner: lentShellRunner, clock: realClock },
  ...{ runningMax: 2, runningMaxEach: 2, memory: () => 0, memoryMax: 1, warmMax: 2, warmMs: 10_000 },
});
afterAll(() => shells.close());

let files: ShellFiles;

beforeEach(async () => {
  const namespace = new Namespace([
    { at: "/", fs: memoryMount() },
    { at: "/dev", fs: devFs(seeded(3).bytes, 0) },
  ]);
  const whole = shellFiles({ namespace, caller: sam, isGuarded: () => false, approved: true });
  // A file of an attached directory may be of any size.
  const read: ShellFiles["read"] = async (path, offset, bytesMax) =>
    path.endsWith("/huge") ? { bytes: new Uint8Array(bytesMax), eof: false } : whole.read(path, offset, bytesMax);
  files = { ...whole, read };
  await files.mkdir("/d", false);
  for (const name of ["a", "huge", "z"]) await files.write(`/d/${name}`, Buffer.from(name), "start");
});

async function run(script: string) {
  const printed = { stdout: "", stderr: "" };
  const job = { script, name: "gsv", args: [], cwd: "/", env: { HOME: "/", PATH: "/bin" }, stdin: new Uint8Array() };
  const how = { state: null, keepsState: false, outputBytesMax: 1024 * 1024, wallMs: 20_000 };
  const { exit } = await new JobTable(shells, new JobRoom(8, 8), realClock).run(
    { ...job, ...how },
    {
      ...{ owner: 1000, files, sys: new FakeSys(), signal: new AbortController().signal },
      print: (stream, bytes) => {
        printed[stream] += Buffer.from(bytes).toString();
      },
    },
  );
  return [exit, printed.stdout, printed.stderr];
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
    "d\ndev\n",
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
  expect([status, stderr]).toEqual([1, "cp: cannot copy 'd': /d/huge: File too large\n"]);
  expect((await files.list("/e")).map(({ name }) => name)).toEqual(["a", "z"]);
  expect(await run("read x < d/huge; truncate -s 1 d/huge; wc -c d/a < d/huge")).toEqual([
    1,
    "",
    "bash: d/huge: File too large\nbash: d/huge: File too large\n",
  ]);
});
