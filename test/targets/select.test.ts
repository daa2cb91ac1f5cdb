// `select` in gsv's shell: the menu and prompt on stderr, answers from stdin, as bash does.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { Namespace } from "../../fs/namespace.ts";
import { shellFiles } from "../../src/kernel/shells/shell-files.ts";
import { realClock } from "../../src/lib/clock.ts";
import { JobRoom, JobTable } from "../../src/targets/jobs.ts";
import type { ShellFiles } from "../../src/targets/shell.ts";
import { WorkerPool } from "../../src/targets/worker-pool.ts";
import { newShellRunner } from "../../src/workers/workers.ts";
import { sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { FakeSys } from "../support/sys.ts";

const shells = new WorkerPool({
  ...{ newRunner: newShellRunner, clock: realClock },
  ...{ runningMax: 2, runningMaxEach: 2, memory: () => 0, memoryMax: 1, warmMax: 2, warmMs: 10_000 },
});
afterAll(() => shells.close());

const HOME = "/home/sam";
let files: ShellFiles;

beforeEach(async () => {
  const namespace = new Namespace([{ at: "/", fs: memoryMount() }]);
  files = shellFiles({ namespace, caller: sam, isGuarded: () => false, approved: true });
  for (const path of ["/home", HOME]) await files.mkdir(path, false);
});

async function run(script: string, stdin = "") {
  const told = { stdout: "", stderr: "" };
  const { exit } = await new JobTable(shells, new JobRoom(8, 8), realClock).run(
    {
      ...{ script, name: "gsv", args: ["p", "q"], cwd: HOME, env: { HOME, PATH: "/usr/bin:/bin" } },
      ...{ stdin: Buffer.from(stdin), state: null, keepsState: false, outputBytesMax: 256 * 1024, wallMs: 30_000 },
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

test("it asks until stdin ends, and shows the menu again after an empty line", async () => {
  const menu = "1) aa\n2) bb\n3) c c\n";
  const script = `select x in aa bb "c c"; do echo "<$x> <$REPLY>"; done; echo $?`;
  expect(await run(script, "1\n\n9\nx\n3\n")).toEqual({
    exit: 0,
    stdout: "<aa> <1>\n<> <9>\n<> <x>\n<c c> <3>\n\n1\n",
    stderr: `${menu}#? #? ${menu}#? #? #? #? `,
  });
});

test("break, continue and return leave it as any loop; PS3 is the prompt; without a list it shows the arguments", async () => {
  const script = `PS3='which? '
    f() { select x in a; do return 3; done; }; f; echo $?
    if true; then select y; do case $y in q) break ;; esac; continue; done; fi; echo "$y $?"`;
  const { stdout, stderr } = await run(script, "1\n1\n2\n");
  expect(stdout).toBe("3\nq 0\n");
  expect(stderr).toBe("1) a\nwhich? 1) p\n2) q\nwhich? which? ");
  expect(await run("select x in; do echo never; done; echo $?")).toMatchObject({ stdout: "0\n", stderr: "" });
});

test("a long menu is in columns; a function keeps its text; the word stays a word elsewhere", async () => {
  const { stderr } = await run("select x in {1..30}; do break; done", "1\n");
  expect(stderr.split("\n")[1]).toBe("2) 2\t 5) 5\t 8) 8\t11) 11\t14) 14\t17) 17\t20) 20\t23) 23\t26) 26\t29) 29");
  const { stdout } = await run("f() { select x in a; do :; done; }; declare -f f; echo 'select x in a;' select");
  expect(stdout).toContain("select x in a; do");
  expect(stdout).toEndWith("select x in a; select\n");
});

test("a negated class within a pattern matches no member of it", async () => {
  const script = "for x in 12 1a ''; do case $x in '' | *[!0-9]*) echo no ;; *) echo number ;; esac; done";
  expect((await run(script)).stdout).toBe("number\nno\nno\n");
  expect((await run("[[ 12 == *[!0-9]* ]] || echo number")).stdout).toBe("number\n");
});
