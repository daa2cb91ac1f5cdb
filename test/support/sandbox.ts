// The host's sandbox if it has one, and a stand-in for it that records its arguments and runs the command after them
// in a group of its own, confined by nothing. It tells the command what a sandbox
// would withhold: STAND_IN_NO_NETWORK without network, in STAND_IN_OPEN the paths that an approval opened, in STAND_IN_READ_ONLY those of a
// repository.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isInside } from "../../src/lib/inside.ts";
import { NO_GUARD } from "../../src/targets/git-guard.ts";
import { findSandbox, NO_GRANTS, SANDBOX_PATH, type Sandbox } from "../../src/targets/sandbox.ts";
import { succeeds } from "../../src/targets/spawn.ts";

export interface StandIn {
  readonly program: string;
  /** The arguments of each call, oldest first, without those of the trial. */
  calls(): readonly (readonly string[])[];
}

export function standInSandbox(directory: string): StandIn {
  const program = join(directory, "bwrap");
  const record = join(directory, "bwrap.calls");
  const script = `#!/bin/bash
(IFS=$'\\t'; printf '%s\\n' "\${*//$'\\n'/ }" >> '${record}')
export STAND_IN=1 STAND_IN_OPEN= STAND_IN_READ_ONLY=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  [ "$1" = --unshare-net ] && export STAND_IN_NO_NETWORK=1
  case "$1" in --bind-try | --ro-bind-try) STAND_IN_OPEN="$STAND_IN_OPEN:$2:" ;;
  --ro-bind) STAND_IN_READ_ONLY="$STAND_IN_READ_ONLY:$2:" ;; esac
  shift
done
[ $# -gt 0 ] || exit
shift
set -m
"$@" &
printf '"child-pid": %s\\n' $! 2> /dev/null >&4
wait $!
`;
  writeFileSync(program, script, { mode: 0o755 });
  return {
    program,
    calls: () =>
      (existsSync(record) ? readFileSync(record, "utf8").split("\n").slice(0, -1) : [])
        .map((line) => line.split("\t"))
        .filter((words) => words.includes("--chdir")),
  };
}

let asked: Promise<Sandbox | null> | undefined;

/** The host's own. null, with a message, if it has none: its tests are skipped there. */
export function machineSandbox(): Promise<Sandbox | null> {
  asked ??= findSandbox({
    platform: process.platform,
    find: (name) => Bun.which(name, { PATH: SANDBOX_PATH }),
    works: (argv) => succeeds(argv, {}),
  }).then((sandbox) => {
    if (sandbox === null) process.stderr.write("skipped: what runs in a sandbox, for this machine has none\n");
    return sandbox;
  });
  return asked;
}

/** A directory outside of /tmp and /dev, which a sandbox covers with its own. */
export function shownScratch(name: string): string {
  const [modules, cache] = [join(import.meta.dir, "../../node_modules/.cache"), join(homedir(), ".cache")];
  const parent = isInside(realpathSync(join(modules, "..")), "/tmp") ? cache : modules;
  mkdirSync(parent, { recursive: true });
  return realpathSync(mkdtempSync(join(parent, `gsv-${name}-`)));
}

/** Only the directory's own rules. */
export const CONFINED = {
  ...{
    hidden: { own: ["/tmp"], directories: [], files: [] },
    network: false,
    resolver: null,
    tmp: "/tmp",
    terminal: false,
    granted: NO_GRANTS,
    git: NO_GUARD,
  },
};

/** Processes of the host that have this among their arguments, whatever their pids inside. */
export function startedWith(mark: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && wordsOf(pid).some((word) => word.includes(mark)));
}

function wordsOf(pid: number): string[] {
  try {
    // A zombie has no arguments.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
