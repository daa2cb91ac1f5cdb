// Snippets of bash in gsv's shell, next to recordings of real bash: the same output, the same status, the same error messages.
// Each difference has a reason here; a difference without a reason fails, and so does a reason without a difference.

import { afterAll, expect, test } from "bun:test";
import { Namespace } from "../../fs/namespace.ts";
import { shellFiles } from "../../src/kernel/shells/shell-files.ts";
import { realClock } from "../../src/lib/clock.ts";
import { JobRoom, JobTable } from "../../src/targets/jobs.ts";
import { WorkerPool } from "../../src/targets/worker-pool.ts";
import { sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { type Answer, answers, HOME, STARTING_FILES, snippets, wording } from "../support/shell-corpus.ts";
import { lentShellRunner } from "../support/shell-runners.ts";
import { drawn, SEED } from "../support/soak.ts";
import { FakeSys } from "../support/sys.ts";

/** Differences of the interpreter, which is a dependency. */
const DIFFERENT: { readonly [name: string]: string } = {
  "arithmetic: big numbers": "numbers are exact to 2^53 only",
  "arithmetic: leading zero octal trap": "08 is taken for 8",
  "arrays: declare p associative": "other quotes, which read back the same",
  "arrays: sort an array": "a here-string joins an array with blanks, whatever IFS holds",
  "expansion: case changes": "the other case of all letters, ~~, is not known",
  "files: env": "PWD is always there",
  "files: stat size and name": "a directory has no size of its own",
  "functions: return outside": "status 1 instead of 2",
  "habits: jq of no json": "another status, and other words",
  "language: eval of what is no script": "status 1 instead of 2",
  "language: length through a nameref": "an array counts as one through a name reference",
  "language: source with arguments": "a file that is read with arguments cannot set those of its reader",
  "globbing: extglob not": "!(…) stands for nothing in a file name",
  "pipes: verbose off by default": "no c among the options",
  "quoting: at q transformation": "other quotes, which read back the same",
  "redirections: closing stdin": "a closed stdin is an empty one",
  "redirections: dev stderr": "the recording had no file for stderr, gsv has one",
  "trap: err with E in functions": "lines of $(…) are not counted",
  "trap: the command that failed": "BASH_COMMAND is without its redirections",
};

/** The same result with another message. */
const WORDED: { readonly [name: string]: string } = {
  "habits: xtrace of a script": "values are traced without quotes, and what is no command is not",
  "language: trace of assignments and tests": "values are traced without quotes, and what is no command is not",
  "conditionals: integer expression expected": "nothing is said",
  "conditionals: too many arguments": "said as test, not as [",
  "files: find missing": "no quotes around the name",
  "pipes: directory as command": "not allowed, for whichever reason",
  "redirections: exec redirects the rest": "the recording had no file for stderr, gsv has one",
};

const shells = new WorkerPool({
  newRunner: lentShellRunner,
  clock: realClock,
  runningMax: 2,
  runningMaxEach: 2,
  memory: () => 0,
  memoryMax: 1,
  warmMax: 2,
  warmMs: 10_000,
});
afterAll(() => shells.close());

const ENV = {
  ...{ HOME, PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8", TZ: "UTC", USER: "sam", LOGNAME: "sam" },
  ...{ SHELL: "/bin/bash", TERM: "xterm-256color" },
};

async function play(script: string): Promise<Answer> {
  const namespace = new Namespace([{ at: "/", fs: memoryMount() }]);
  const files = shellFiles({ namespace, caller: sam, isGuarded: () => false, approved: true });
  for (const path of ["/tmp", "/home", HOME, `${HOME}/sub`, `${HOME}/sub/deep`]) await files.mkdir(path, false);
  for (const [path, text] of Object.entries(STARTING_FILES))
    await files.write(`${HOME}/${path}`, Buffer.from(text), "start");
  const printed = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const end = await new JobTable(shells, new JobRoom(8, 8), realClock).run(
    {
      ...{
        script,
        name: "gsv",
        args: [],
        cwd: HOME,
        env: ENV,
        stdin: new Uint8Array(),
        state: null,
        keepsState: false,
      },
      ...{ outputBytesMax: 1024 * 1024, wallMs: 10_000 },
    },
    {
      ...{ owner: 1000, files, sys: new FakeSys(), signal: new AbortController().signal },
      print: (stream, bytes) => printed[stream].push(bytes),
    },
  );
  const told = (stream: "stdout" | "stderr") => Buffer.concat(printed[stream]).toString();
  return { script, status: end.exit, stdout: told("stdout"), stderr: told("stderr") };
}

const ALL = snippets();
const RECORDED = answers();

test("the recording has the same snippets, in the same order", () => {
  expect(Object.entries(RECORDED).map(([name, { script }]) => ({ name, script }))).toEqual([...ALL]);
  expect(ALL.length).toBeGreaterThanOrEqual(500);
});

test("gsv's shell answers as bash does, except for listed differences with a reason", async () => {
  const surprises: string[] = [];
  await Promise.all(
    drawn(60, ALL).map(async ({ name, script }) => {
      const { status, stdout, stderr } = await play(script);
      const wanted = RECORDED[name];
      if (wanted === undefined) return surprises.push(`${name}: was not recorded`);
      const same = status === wanted.status && stdout === wanted.stdout;
      const saidSame = wording(stderr) === wording(wanted.stderr);
      const shown = JSON.stringify({ status, stdout, stderr });
      if (same && name in DIFFERENT) surprises.push(`${name}: is as bash has it now: drop it from the list`);
      else if (!same && !(name in DIFFERENT)) surprises.push(`${name}: ${shown}`);
      else if (same && saidSame && name in WORDED)
        surprises.push(`${name}: says what bash says now: drop it from the list`);
      else if (same && !saidSame && !(name in WORDED)) surprises.push(`${name}: ${shown}`);
    }),
  );
  expect([SEED, surprises]).toEqual([SEED, []]);
}, 60_000);

test("at least 97 of a hundred are the same", () => {
  expect(Object.keys(DIFFERENT).length / ALL.length).toBeLessThanOrEqual(0.03);
});
