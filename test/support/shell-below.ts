// A shell at a terminal with gsv below it: the pid of gsv, its state, and the processes left after it.

import { readFileSync } from "node:fs";
import type { TestHome } from "./home.ts";
import type { Session } from "./session.ts";

interface Below {
  readonly home: TestHome;
  readonly session: Session;
  readonly nth: number;
}

/** A long-running command that differs from those of other tests. */
export const sleeping = (nth: number) => `sleep ${40_000 + nth}`;

/** Processes left besides the kernel and the shell: those of the home, of the terminal, and the sleeping command. */
export function leftBehind({ home, session, nth }: Below): readonly string[] {
  const shell = String(session.process.pid);
  const { stdout } = Bun.spawnSync(["ps", "-eo", "pid=,sid=,stat=,args="]);
  const lines = stdout.toString().trim().split("\n");
  const ofHome = home.processes.map(String);
  return lines.filter((line) => {
    const [pid = "", sid, state = ""] = line.trim().split(/\s+/);
    if (pid === shell || pid === String(home.holder) || state.startsWith("Z")) return false;
    return sid === shell || ofHome.includes(pid) || line.includes(sleeping(nth));
  });
}

/** The gsv process that the shell of the session has started. */
export function gsvBelow({ process }: Session): number | null {
  const { stdout } = Bun.spawnSync(["ps", "-o", "pid=,args=", "--ppid", String(process.pid)]);
  const line = stdout
    .toString()
    .split("\n")
    .find((each) => /gsv|main\.ts/.test(each));
  return line === undefined ? null : Number(line.trim().split(/\s+/)[0]);
}

export function stateOf(pid: number): string {
  try {
    return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1] ?? "";
  } catch {
    return "X";
  }
}
