// The terminal of gsv's screen: keys in raw mode, one write per paint, its size, and suspending. Always restores the terminal at the end.

import { writeSync } from "node:fs";
import type { WriteStream } from "node:tty";
import type { Terminal } from "../../tui/ports.ts";
import type { Abilities } from "../../tui/screen/abilities.ts";
import type { Clock } from "../lib/clock.ts";

const FALLBACK = { columns: 80, rows: 24 };
const CSI = "\x1b[";
/** Bracketed paste and focus reports. */
const [ON, OFF] = [`${CSI}?2004h${CSI}?1004h`, `${CSI}?1004l${CSI}?2004l${CSI}?25h`];
const [KEEP_TITLE, GIVE_TITLE] = [`${CSI}22;0t`, `${CSI}23;0t`];
/** The keyboard protocol that reports modifiers, if the terminal offers it. */
const [ASK_KEYS, MORE_KEYS, USUAL_KEYS] = [`${CSI}?u`, `${CSI}>1u`, `${CSI}<u`];
const KEYS_OFFERED = /\x1b\[\?\d+u/;
const [ALT_ON, ALT_OFF] = [`${CSI}?1049h`, `${CSI}?1049l`];
const FULL_RETRY_MS = 2;
/** Keys that come this soon were typed while another program had the terminal; a busy machine may read them later. */
const AHEAD_MS = 150;
/** A process that is not stopped by then has no shell to resume it, and the system ignores the stop. */
const ASIDE_MS = 100;

/** Reads the size, and calls listeners if it has changed. */
interface Resized extends WriteStream {
  _refreshSize?(): void;
}

export function openTerminal(clock: Clock, abilities: Pick<Abilities, "osc" | "lags">): Terminal {
  return new Tty(clock, abilities).port();
}

class Tty {
  private hearing: ((bytes: Uint8Array) => void) | null = null;
  private putAside: (() => void) | null = null;
  private goesOn: () => void = () => {};
  private takenAt = 0;
  /** Nothing was read since the terminal was taken, or only now. */
  private isFresh = false;
  private keys: "unasked" | "asked" | "offered" = "unasked";
  private isFull = false;
  private guard: Guard | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly abilities: Pick<Abilities, "osc" | "lags">,
  ) {
    process.on("exit", () => {
      this.give();
      this.guard?.over();
    });
  }

  port(): Terminal {
    const stdout = process.stdout as Resized;
    return {
      get columns() {
        return stdout.columns || FALLBACK.columns;
      },
      get rows() {
        return stdout.rows || FALLBACK.rows;
      },
      look: () => stdout._refreshSize?.(),
      lags: this.abilities.lags,
      write: (text) => this.write(text),
      take: (listener) => this.take(listener),
      give: () => this.give(),
      onResize: (listener) => void stdout.on("resize", listener),
      onGone: (listener) => {
        for (const event of ["end", "error"]) process.stdin.on(event, listener);
      },
      suspend: () => this.suspend(),
      onAside: (listener) => {
        this.putAside = listener;
      },
      onBack: (listener) => {
        this.goesOn = listener;
      },
      watch: () => this.watch(),
    };
  }

  private readonly hear = (bytes: Uint8Array): void => {
    if (this.keys === "asked" && KEYS_OFFERED.test(Buffer.from(bytes).toString("latin1"))) {
      this.keys = "offered";
      this.write(MORE_KEYS);
      this.tellGuard();
    }
    const isAhead = this.isFresh && (this.clock.mono() - this.takenAt < AHEAD_MS || isWholeLine(bytes));
    this.isFresh = this.isFresh && this.clock.mono() - this.takenAt < AHEAD_MS;
    this.hearing?.(isAhead ? typedAhead(bytes) : bytes);
  };

  /** Suspends after a signal. The terminal must be restored first. */
  private readonly aside = (): void => {
    if (this.putAside === null) void this.asideUnheard();
    else this.putAside();
  };

  private async asideUnheard(): Promise<void> {
    const { hearing } = this;
    this.give();
    await this.suspend();
    if (hearing !== null) this.take(hearing);
  }

  /** Resumes after a stop without a signal. Another program may have used the terminal. */
  private readonly back = (): void => {
    const { stdin } = process;
    // Change the mode only if it differs from the last one.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    this.write(ON);
    this.goesOn();
  };

  /** Resumes with a line that has the terminal. */
  private readonly continued = (): void => this.goesOn();

  private take(listener: (bytes: Uint8Array) => void): void {
    const fresh = this.hearing === null;
    this.hearing = listener;
    if (!fresh) return;
    this.takenAt = this.clock.mono();
    this.isFresh = true;
    const { stdin } = process;
    stdin.setRawMode(true);
    stdin.on("data", this.hear);
    stdin.resume();
    process.on("SIGTSTP", this.aside);
    process.off("SIGCONT", this.continued);
    process.on("SIGCONT", this.back);
    this.write(`${this.abilities.osc ? KEEP_TITLE : ""}${ON}${this.keysOn()}`);
    this.tellGuard();
  }

  private keysOn(): string {
    if (this.keys === "offered") return MORE_KEYS;
    if (this.keys === "asked" || !this.abilities.osc) return "";
    this.keys = "asked";
    return ASK_KEYS;
  }

  private give(): void {
    if (this.hearing === null) return;
    this.hearing = null;
    const { stdin } = process;
    stdin.off("data", this.hear);
    process.off("SIGTSTP", this.aside);
    process.off("SIGCONT", this.back);
    process.on("SIGCONT", this.continued);
    try {
      stdin.setRawMode(false);
    } catch {} // the terminal is gone
    // Stop reading, so that the next program gets the keys.
    stdin.pause();
    this.write(this.usual());
    this.tellGuard();
  }

  /** The sequences that reset the terminal. */
  private usual(): string {
    const full = this.isFull ? ALT_OFF : "";
    this.isFull = false;
    return `${full}${this.keys === "offered" ? USUAL_KEYS : ""}${this.abilities.osc ? GIVE_TITLE : ""}${OFF}`;
  }

  private watch(): void {
    this.guard ??= guardTerminal();
    this.tellGuard();
  }

  private tellGuard(): void {
    if (this.guard === null) return;
    const full = this.isFull;
    this.guard.says(this.hearing === null ? "" : this.usual());
    this.isFull = full;
  }

  private write(text: string): void {
    writeAll(text);
    const isFull = text.includes(ALT_ON) || (this.isFull && !text.includes(ALT_OFF));
    if (isFull === this.isFull) return;
    this.isFull = isFull;
    this.tellGuard();
  }

  private async suspend(): Promise<boolean> {
    let stood = false;
    const goesOn = new AbortController();
    const heard = () => {
      stood = true;
      goesOn.abort();
    };
    process.once("SIGCONT", heard);
    process.kill(0, "SIGTSTP");
    // Time passes while the process is stopped: if both are due, the signal comes second.
    for (let wait = 0; wait < 2 && !stood; wait++) await this.clock.sleep(ASIDE_MS, goesOn.signal);
    process.off("SIGCONT", heard);
    return stood;
  }
}

/**
 * In line mode, Enter arrives as a line feed, and new-line keys were not typed there. If there is a CR, the
 * bytes were typed in raw mode.
 */
function typedAhead(bytes: Uint8Array): Uint8Array {
  if (bytes.includes(0x0d)) return bytes;
  return bytes.map((byte) => (byte === 0x0a ? 0x0d : byte));
}

function writeAll(text: string): void {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(1, bytes, from);
    } catch (error) {
      const { code } = error as { code?: string };
      // The terminal is gone; the end of the input reports it too.
      if (code !== "EAGAIN") return;
      Bun.sleepSync(FULL_RETRY_MS);
    }
  }
}

/** No key sends it: in raw mode Enter is a carriage return. */
function isWholeLine(bytes: Uint8Array): boolean {
  return bytes.length > 1 && bytes.at(-1) === 0x0a;
}

/** A small shell that restores the terminal if gsv is killed or crashes: it reads a pipe from gsv, one line per change, and writes the last. */
interface Guard {
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

function guardTerminal(): Guard {
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
      } catch {} // the shell has ended
    };
    return { says: (bytes) => say(bytes.replaceAll("\x1b", "\\033")), over: () => say("") };
  } catch {
    return { says: () => {}, over: () => {} };
  }
}
