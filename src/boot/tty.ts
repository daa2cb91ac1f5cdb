// The terminal this program was started on, as the screen of gsv has it: bytes of keys in raw mode, one write for a paint, its size, and the
// way to put the program aside. However the program ends, the terminal is left as it was found.

import { writeSync } from "node:fs";
import type { Terminal } from "../../tui/app.ts";
import type { Clock } from "../lib/clock.ts";

const FALLBACK = { columns: 80, rows: 24 };
/** Pastes in brackets, so that they are told from what is typed. */
const [ON, OFF] = ["\x1b[?2004h", "\x1b[?2004l\x1b[?25h"];
const FULL_RETRY_MS = 2;
/** What comes this soon was typed while somebody else had the terminal. */
const AHEAD_MS = 150;

export function openTerminal(clock: Clock): Terminal {
  const { stdin, stdout } = process;
  let hearing: ((bytes: Uint8Array) => void) | null = null;
  let takenAt = 0;
  const hear = (bytes: Uint8Array) => hearing?.(clock.mono() - takenAt < AHEAD_MS ? typedAhead(bytes) : bytes);

  function give(): void {
    if (hearing === null) return;
    hearing = null;
    stdin.off("data", hear);
    stdin.setRawMode(false);
    // Whoever comes next reads it: what goes on being read here would be lost to them.
    stdin.pause();
    write(OFF);
  }
  process.on("exit", give);

  return {
    get columns() {
      return stdout.columns || FALLBACK.columns;
    },
    get rows() {
      return stdout.rows || FALLBACK.rows;
    },
    write,
    take(listener) {
      const fresh = hearing === null;
      hearing = listener;
      if (!fresh) return;
      takenAt = clock.mono();
      stdin.setRawMode(true);
      stdin.on("data", hear);
      stdin.resume();
      write(ON);
    },
    give,
    onResize: (listener) => void stdout.on("resize", listener),
    async suspend() {
      // With nothing to wait for, the program would be over as it goes on.
      const goesOn = new AbortController();
      process.once("SIGCONT", () => goesOn.abort());
      process.kill(0, "SIGTSTP");
      await clock.sleep(Number.MAX_SAFE_INTEGER, goesOn.signal);
    },
  };
}

/** Where lines are taken whole, Enter ends one with a line feed; a key that begins a new line was not typed there. */
function typedAhead(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte === 0x0a ? 0x0d : byte));
}

function write(text: string): void {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(1, bytes, from);
    } catch (error) {
      const { code } = error as { code?: string };
      // Nobody looks any more; the end of the input says so too.
      if (code !== "EAGAIN") return;
      Bun.sleepSync(FULL_RETRY_MS);
    }
  }
}
