// A shell at a terminal with gsv below it: which process gsv is, how it is, and who is left there when it has gone.

import { readFileSync } from "node:fs";
import type { TestHome } from "./home.ts";
import type { Session } from "./session.ts";

interface Below {
  readonly home: TestHome;
  readonly session: Session;
  readonly nth: number;
}

/** What is to run for long, told from that of others. */
export const sleeping = (nth: number) => `sleep ${40_000 + nth}`;

/** Whoever is there still besides the kernel and the shell: processes of the home, of the terminal, and what was to sleep. */
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

/** The process of gsv that the shell of the session has started. */
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
