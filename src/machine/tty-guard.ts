// Puts the terminal right when nobody else can: gsv was killed, or its runtime broke. A small shell waits on a pipe whose other end is gsv's;
// each line on it is what would have to be written now, and when the pipe ends without a last empty line, the newest is. It costs a process
// that sleeps, and nothing is lost where there is no shell.

import { writeSync } from "node:fs";

export interface Guard {
  /** What the terminal needs from now on, should this process be gone; nothing when empty. */
  says(bytes: string): void;
  /** There is nothing more to be done. */
  over(): void;
}

/** The modes of lines are put back only where the terminal is still this program's: from behind another one the system refuses it. */
const SCRIPT = [
  "trap '' INT QUIT HUP TERM",
  "last=",
  "while IFS= read -r line <&3; do last=$line; done",
  '[ -n "$last" ] || exit 0',
  `printf '%b\\r\\n' "$last"`,
  "stty sane <&1 2>/dev/null",
].join("\n");

export function guardTerminal(): Guard {
  try {
    const child = Bun.spawn(["/bin/sh", "-c", SCRIPT], {
      env: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      stdio: ["ignore", "inherit", "ignore", "pipe"],
    });
    child.unref();
    const pipe = child.stdio[3];
    // At once: the last of it is said as this process ends, and what were left in a buffer would never be told.
    const say = (line: string) => {
      try {
        if (typeof pipe === "number") writeSync(pipe, `${line}\n`);
      } catch {} // somebody ended it
    };
    return {
      says: (bytes) => say(bytes.replaceAll("\x1b", "\\033")),
      over: () => say(""),
    };
  } catch {
    return { says: () => {}, over: () => {} };
  }
}
