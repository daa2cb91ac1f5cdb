// Asks real bash what it makes of every snippet, and writes its answers down: `bun test/golden/record-shell.ts`. Each snippet runs once,
// in a fresh home, with an environment that is the same everywhere.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ANSWERS, type Answer, HOME, type Snippet, STARTING_FILES, snippets } from "../support/shell-corpus.ts";

const TIMEOUT_MS = 5000;

function record({ name, script }: Snippet): Answer {
  const scratch = mkdtempSync(join(tmpdir(), "gsv-record-"));
  const home = join(scratch, "home");
  try {
    for (const [path, text] of Object.entries(STARTING_FILES)) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    const temporary = join(scratch, "tmp");
    mkdirSync(temporary);
    const { exitCode, stdout, stderr, exitedDueToTimeout } = Bun.spawnSync(["bash", "-c", script, "gsv"], {
      cwd: home,
      env: {
        ...{ HOME: home, PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8", TMPDIR: temporary, TZ: "UTC" },
        ...{ USER: "sam", LOGNAME: "sam", SHELL: "/bin/bash", TERM: "xterm-256color" },
      },
      stdin: "ignore",
      timeout: TIMEOUT_MS,
    });
    if (exitedDueToTimeout) throw new Error(`${name}: did not end`);
    const told = (bytes: Buffer) => bytes.toString().replaceAll(home, HOME).replaceAll(temporary, "/tmp");
    return { script, status: exitCode, stdout: told(stdout), stderr: told(stderr) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const all = snippets();
const names = all.map(({ name }) => name);
const twice = names.find((name, at) => names.indexOf(name) !== at);
if (twice !== undefined) throw new Error(`two snippets have the title ${twice}`);
writeFileSync(
  ANSWERS,
  `${JSON.stringify(Object.fromEntries(all.map((each) => [each.name, record(each)])), null, 1)}\n`,
);
