// Hostile archives, truncated ones, and those with long names.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { Namespace } from "../../fs/namespace.ts";
import { shellFiles } from "../../src/kernel/shells/shell-files.ts";
import { realClock } from "../../src/lib/clock.ts";
import { archiveOf, type Member } from "../../src/shell/programs/files/tar-format.ts";
import { JobRoom, JobTable } from "../../src/targets/jobs.ts";
import type { ShellFiles } from "../../src/targets/shell.ts";
import { WorkerPool } from "../../src/targets/worker-pool.ts";
import { newShellRunner } from "../../src/workers/workers.ts";
import { sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { FakeSys } from "../support/sys.ts";

const shells = new WorkerPool({
  ...{ newRunner: newShellRunner, clock: realClock },
  ...{ runningMax: 1, runningMaxEach: 1, memory: () => 0, memoryMax: 1, warmMax: 1, warmMs: 10_000 },
});
afterAll(() => shells.close());

const HOME = "/home/sam";
let files: ShellFiles;

beforeEach(async () => {
  const namespace = new Namespace([{ at: "/", fs: memoryMount() }]);
  files = shellFiles({ namespace, caller: sam, isGuarded: () => false, approved: true });
  for (const path of ["/tmp", "/home", HOME, `${HOME}/out`]) await files.mkdir(path, false);
});

async function run(script: string) {
  const told = { stdout: "", stderr: "" };
  const { exit } = await new JobTable(shells, new JobRoom(8, 8), realClock).run(
    {
      ...{ script, name: "gsv", args: [], cwd: HOME, env: { HOME, PATH: "/usr/bin:/bin" }, stdin: new Uint8Array() },
      ...{ state: null, keepsState: false, outputBytesMax: 1024 * 1024, wallMs: 10_000 },
    },
    {
      ...{ owner: 1000, files, sys: new FakeSys(), signal: new AbortController().signal },
      print: (stream, bytes) => {
        told[stream] += Buffer.from(bytes).toString();
      },
    },
  );
  return { ...told, exit };
}

function member(name: string, given: Partial<Member> = {}): Member {
  return {
    ...{ name, kind: "file", mode: 0o644, mtimeMs: 0, owner: "x", group: "x", uid: 0, gid: 0, target: "" },
    ...{ bytes: Buffer.from("evil\n"), ...given },
  };
}

async function archive(...members: readonly Member[]): Promise<void> {
  await files.write(`${HOME}/a.tar`, archiveOf(members), "start");
}

test("no file of an archive is extracted outside of the target directory", async () => {
  const link = (name: string, target: string) => member(name, { kind: "symlink", target, bytes: new Uint8Array() });
  const none = async (path: string) => expect(files.stat(path, "keep")).rejects.toThrow();

  await archive(member("../up"), member("a/../../up"), member("/tmp/abs"), member("fine"));
  const dots = await run("tar xf a.tar -C out; echo $?; ls -R out");
  expect(dots.stdout).toBe("2\nout:\nfine\ntmp\n\nout/tmp:\nabs\n");
  expect(dots.stderr).toContain("tar: ../up: Member name contains '..'\n");
  for (const path of [`${HOME}/up`, "/home/up", "/tmp/abs"]) await none(path);

  await archive(link("door", "/tmp"), member("door/in"), link("up", ".."), member("up/in"));
  await run("cd out && tar xf ../a.tar");
  for (const path of ["/tmp/in", `${HOME}/in`]) await none(path);

  await files.write("/tmp/kept", Buffer.from("kept\n"), "start");
  await files.link(`${HOME}/out/over`, "/tmp/kept");
  await archive(member("over"));
  expect((await run("tar xf a.tar -C out; cat /tmp/kept out/over")).stdout).toBe("kept\nevil\n");
});

test("a truncated archive, and one with too much content, are refused", async () => {
  await files.write(`${HOME}/bomb.tgz`, gzipSync(new Uint8Array(80 * 1024 * 1024)), "start");
  const bomb = await run("tar xzf bomb.tgz -C out; echo $?; ls out");
  expect(bomb).toMatchObject({ stdout: "2\n", stderr: expect.stringContaining("more than 64.0 MiB") });
  await archive(member("whole"), member("half", { bytes: new Uint8Array(100_000) }));
  const cut = await run("head -c 2000 a.tar > b.tar; tar tf b.tar; echo $?");
  expect(cut).toMatchObject({ stdout: "2\n", stderr: expect.stringContaining("Unexpected EOF in archive") });
});

test("names longer than a header block pack and unpack", async () => {
  const long = `${"d".repeat(60)}/${"ü".repeat(60)}`;
  await files.mkdir(`${HOME}/${"d".repeat(60)}`, false);
  await files.write(`${HOME}/${long}`, Buffer.from("long\n"), "start");
  expect((await run(`tar cf l.tar ${long} && tar xf l.tar -C out && cat out/${long}`)).stdout).toBe("long\n");
});
