// Snippets of bash, and what gsv's shell makes of them beside what real bash made of them.

import { afterAll, expect, test } from "bun:test";
import { Namespace } from "../../fs/namespace.ts";
import { newShellRunner } from "../../src/boot-shell.ts";
import { shellFiles } from "../../src/kernel/shell-files.ts";
import { realClock } from "../../src/lib/clock.ts";
import { GsvShells } from "../../src/targets/gsv.ts";
import { sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { type Answer, HOME, STARTING_FILES, answers, snippets } from "../support/shell-corpus.ts";
import { FakeSys } from "../support/sys.ts";

const shells = new GsvShells({ newRunner: newShellRunner, clock: realClock, runningMax: 3, warmMax: 3, warmMs: 10_000 });
afterAll(() => shells.close());

async function play(script: string): Promise<Omit<Answer, "script">> {
  const namespace = new Namespace([{ at: "/", fs: memoryMount() }]);
  const files = shellFiles({ namespace, caller: sam, isGuarded: () => false, approved: true });
  for (const path of ["/tmp", "/home", HOME, `${HOME}/sub`, `${HOME}/sub/deep`]) await files.mkdir(path, false);
  for (const [path, text] of Object.entries(STARTING_FILES))
    await files.write(`${HOME}/${path}`, Buffer.from(text), "start");
  const printed = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const end = await shells.run(
    {
      ...{ script, name: "gsv", args: [], cwd: HOME, stdin: new Uint8Array(), state: null, keepsState: false },
      env: { HOME, PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8", TZ: "UTC", USER: "sam", LOGNAME: "sam", SHELL: "/bin/bash", TERM: "xterm-256color" },
      ...{ outputBytesMax: 1024 * 1024, wallMs: 5000 },
    },
    { files, sys: new FakeSys(), print: (stream, bytes) => printed[stream].push(bytes), signal: new AbortController().signal },
  );
  return { status: end.exit, stdout: Buffer.concat(printed.stdout).toString(), stderr: Buffer.concat(printed.stderr).toString() };
}
if (process.env.EXPLORE) {
  const told = answers();
  const t0 = performance.now();
  const out: object[] = [];
  await Promise.all(snippets().map(async ({ name, script }) => {
    const a = await play(script);
    out.push({ name, script, want: told[name], got: a });
  }));
  console.log("ms", performance.now() - t0);
  await Bun.write(process.env.EXPLORE, JSON.stringify(out));
}
test("x", () => expect(1).toBe(1));
