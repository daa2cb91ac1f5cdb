// Puts the terminal right when nobody else can: gsv was killed, or its runtime broke. A small shell waits on a pipe whose other end is gsv's;
// each line on it is what would have to be written now, and when the pipe ends without a last empty line, the newest is. It costs a process
// that sleeps, and nothing is lost where there is no shell.

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
  "while IFS= read -r line; do last=$line; done",
  '[ -n "$last" ] || exit 0',
  `printf '%b\\r\\n' "$last"`,
  "stty sane <&1 2>/dev/null",
].join("\n");

export function guardTerminal(): Guard {
  try {
    const child = Bun.spawn(["/bin/sh", "-c", SCRIPT], {
      env: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      stdin: "pipe",
      stdout: "inherit",
      stderr: "ignore",
    });
    child.unref();
    const say = (line: string) => {
      try {
        child.stdin.write(`${line}\n`);
        child.stdin.flush();
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
