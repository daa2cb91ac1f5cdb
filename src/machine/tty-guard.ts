// Restores the terminal if gsv was killed or its runtime crashed. A small shell reads a pipe from gsv.
// Each line has the sequences that would restore the terminal now. If the pipe ends without an empty line, the shell writes the last one.
// Without a shell, nothing is restored.

import { writeSync } from "node:fs";

export interface Guard {
  /** Sets the sequences that restore the terminal if this process dies; "" for none. */
  says(bytes: string): void;
  /** Ends the guard: the terminal needs nothing more. */
  over(): void;
}

/** Restores the line mode only if this program still owns the terminal. Otherwise the system refuses it. */
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
    // Write at once: the last line comes as this process ends, when a buffer would be lost.
    const say = (line: string) => {
      try {
        if (typeof pipe === "number") writeSync(pipe, `${line}\n`);
      } catch {} // somebody ended it
    };
    return { says: (bytes) => say(bytes.replaceAll("\x1b", "\\033")), over: () => say("") };
  } catch {
    return { says: () => {}, over: () => {} };
  }
}
