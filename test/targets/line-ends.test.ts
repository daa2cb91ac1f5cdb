// Ends of lines that are typed at the prompt: nothing of a line reaches what the shell runs after it, and the state is kept.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { Namespace } from "../../fs/namespace.ts";
import { shellFiles } from "../../src/kernel/shells/shell-files.ts";
import { realClock } from "../../src/lib/clock.ts";
import { JobRoom, JobTable } from "../../src/targets/jobs.ts";
import type { ShellFiles, ShellState } from "../../src/targets/shell.ts";
import { WorkerPool } from "../../src/targets/worker-pool.ts";
import { sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { lentShellRunner } from "../support/shell-runners.ts";
import { FakeSys } from "../support/sys.ts";

const shells = new WorkerPool({
  ...{ newRunner: lentShellRunner, clock: realClock },
  ...{ runningMax: 2, runningMaxEach: 2, memory: () => 0, memoryMax: 1, warmMax: 2, warmMs: 10_000 },
});
afterAll(() => shells.close());

let files: ShellFiles;
beforeEach(async () => {
  const namespace = new Namespace([{ at: "/", fs: memoryMount() }]);
  files = shellFiles({ namespace, caller: sam, isGuarded: () => false, approved: true });
  await files.mkdir("/d", false);
  await files.write("/d/x", Buffer.from("text"), "start");
});

async function typed(script: string, state: ShellState | null) {
  const printed = { stdout: "", stderr: "" };
  const job = { script, name: "gsv", args: [], cwd: "/d", env: { HOME: "/d", PATH: "/bin" }, stdin: new Uint8Array() };
  const how = { state, keepsState: true, outputBytesMax: 1024 * 1024, wallMs: 10_000 };
  const end = await new JobTable(shells, new JobRoom(8, 8), realClock).run(
    { ...job, ...how },
    {
      ...{ owner: 1000, files, sys: new FakeSys(), signal: new AbortController().signal },
      print: (stream, bytes) => {
        printed[stream] += Buffer.from(bytes).toString();
      },
    },
  );
  return { ...end, ...printed };
}

const ENDS: { readonly [line: string]: readonly [status: number, stdout: string, stderr: RegExp] } = {
  "find x\\": [0, "x\n", /^$/],
  "echo x\\": [0, "x\n", /^$/],
  "echo x \\": [0, "x\n", /^$/],
  "cat <<E": [0, "", /^$/],
  "cat <<E\none\ntwo": [0, "one\ntwo\n", /^$/],
  "cat <<'E' | tr a-z A-Z\none": [0, "ONE\n", /^$/],
  "echo one # two \\": [0, "one\n", /^$/],
  "echo 'x": [2, "", /unexpected EOF|unterminated/i],
  "(exit 4)": [4, "", /^$/],
};

test("an open end of a line takes in nothing of the shell's own, and the next line has the state", async () => {
  const first = await typed("v=kept; cd /", null);
  for (const [line, [status, stdout, stderr]] of Object.entries(ENDS)) {
    const begun = await typed("cd /d", first.state);
    const ended = await typed(line, begun.state);
    expect([line, ended.exit, ended.stdout, ended.stderr]).toEqual([
      line,
      status,
      stdout,
      expect.stringMatching(stderr),
    ]);
    if (ended.cut) continue;
    const next = await typed('echo "$? $v $PWD"', ended.state);
    expect([line, next.stdout, next.stderr]).toEqual([line, `${status} kept /d\n`, ""]);
  }
});
