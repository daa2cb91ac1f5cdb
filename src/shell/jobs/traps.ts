// Traps of a shell and its subshells. A trapped signal does not end the script and interrupts
// waiting commands. Rewritten scripts call the programs here; `trap`, `kill` and `wait` are the public ones.

import { type CustomCommand, defineCommand } from "just-bash/browser";
import type { Clock } from "../../lib/clock.ts";
import { inQuotes } from "../../lib/text/quote.ts";
import { either } from "../../lib/wait.ts";
import type { SentSignal } from "../../targets/shell.ts";
import { type Answer, answer, type Context, OUTERMOST, placed } from "../interpreter/called.ts";
import { OWN, WHOLE } from "../programs/internal-words.ts";
import { spanMs } from "../programs/span.ts";
import type { Events } from "../rewrite/event-traps.ts";
import { numberOf, signalNamed, signalTable } from "./signal-names.ts";

/** Events inside a script. The interpreter does not report them, so scripts that use them are rewritten to check. */
const EVENTS = new Set(["ERR", "DEBUG", "RETURN"]);
/** Signals ignored by default. */
const HARMLESS = new Set(["CHLD", "CONT", "EXIT", "WINCH", "URG"]);
/** A busy script checks for signals this often. */
const HEARING_MS = 10;

export class Traps {
  private readonly shells = new Map<string, Map<string, string>>();
  private readonly pending: SentSignal[] = [];
  private readonly waiting = new Set<(status: number) => void>();
  private heardAt = 0;
  /** The events that the script was rewritten for. */
  heardEvents: Events | null = null;

  constructor(
    private readonly clock: Clock,
    /** In a job: sends a signal to the main script. */
    private readonly toShell: ((signal: SentSignal) => Promise<void>) | null = null,
  ) {}

  programs(): readonly CustomCommand[] {
    return [
      defineCommand("trap", async (args) => this.trap(args)),
      defineCommand(OWN.leave, (args, context) => this.leave(args, context)),
      defineCommand(OWN.signal, (args, context) => this.signal(args, context)),
      defineCommand(OWN.pending, (args, context) => this.next(args, context)),
      defineCommand(OWN.failed, (args, context) => this.event("ERR", args, context)),
      defineCommand(OWN.returns, (args, context) => this.event("RETURN", args, context)),
      defineCommand(OWN.comes, (args, context) => this.event("DEBUG", args, context)),
      defineCommand(OWN.status, async ([status = "0"]) => answer("", "", Number(status))),
      defineCommand("sleep", (args, { signal }) => this.sleep(args, signal)),
    ];
  }

  /** Handles a signal; false if the script has no trap for it and must end. */
  sent(signal: SentSignal): boolean {
    const text = this.shells.get(OUTERMOST)?.get(signal.name);
    if (text === undefined) return HARMLESS.has(signal.name);
    if (text === "") return true;
    this.pending.push(signal);
    for (const wake of this.waiting) wake(128 + signal.number);
    return true;
  }

  /** Waits for work, or until a signal comes; then returns the signal's status. */
  async interruptible<T>(work: Promise<T>): Promise<{ readonly value: T } | { readonly status: number }> {
    const { promise, resolve } = Promise.withResolvers<number>();
    // A signal that came since the last statement began also interrupts.
    const [came] = this.pending;
    if (came !== undefined) resolve(128 + came.number);
    this.waiting.add(resolve);
    try {
      return await Promise.race([work.then((value) => ({ value })), promise.then((status) => ({ status }))]);
    } finally {
      this.waiting.delete(resolve);
    }
  }

  /** The EXIT trap of the main shell, returned once. */
  takeExit(): string | null {
    const text = this.shells.get(OUTERMOST)?.get("EXIT") ?? null;
    this.shells.get(OUTERMOST)?.delete("EXIT");
    return text;
  }

  /** Traps of the main shell, as commands. */
  get kept(): readonly string[] {
    return linesOf(this.shells.get(OUTERMOST) ?? new Map(), []);
  }

  /** Traps that a job inherits: ignored signals stay ignored. */
  get inherited(): readonly string[] {
    const own = this.shells.get(OUTERMOST) ?? new Map<string, string>();
    return linesOf(new Map([...own].filter(([name, text]) => text === "" && name !== "EXIT")), []);
  }

  private trap(all: readonly string[]): Answer {
    const { shell, args } = placed(all);
    const own = this.shells.get(shell) ?? new Map<string, string>();
    this.shells.set(shell, own);
    const [first, ...rest] = args[0] === "--" ? args.slice(1) : args;
    if (first === undefined || first === "-p")
      return answer(
        linesOf(own, rest)
          .map((line) => `${line}\n`)
          .join(""),
      );
    if (first === "-l") return answer(signalTable());
    const isReset = first === "-" || rest.length === 0;
    let stderr = "";
    for (const word of first === "-" || rest.length > 0 ? rest : [first]) {
      const name = signalNamed(word);
      if (name === null) stderr += `bash: trap: ${word}: invalid signal specification\n`;
      else if (isReset) own.delete(name);
      else if (EVENTS.has(name) && !this.hears(name))
        stderr += `bash: trap: ${name}: gsv's shell cannot run a trap for it\n`;
      else own.set(name, first);
    }
    return answer("", stderr, stderr === "" ? 0 : 1);
  }

  private async leave(all: readonly string[], context: Context): Promise<Answer> {
    const { shell, args } = placed(all);
    const [last = "0", wanted = last] = args;
    const isNumber = /^[-+]?\d+$/.test(wanted);
    const status = isNumber ? Number(BigInt.asUintN(8, BigInt(wanted))) : 2;
    const own = this.shells.get(shell);
    const text = own?.get("EXIT") ?? "";
    own?.delete("EXIT");
    await context.assignShellVariable?.(OWN.handler, withStatus(text, status));
    await context.assignShellVariable?.(OWN.status, String(status));
    return answer("", isNumber ? "" : `bash: exit: ${wanted}: numeric argument required\n`, status);
  }

  /** `kill … $$` */
  private async signal(all: readonly string[], context: Context): Promise<Answer> {
    const { shell, args: words } = placed(all);
    const isWhole = words[0] === WHOLE;
    const args = isWhole ? words.slice(1) : words;
    const word = args.find((arg) => /^-\D/.test(arg) && arg !== "-s" && arg !== "-n") ?? args[args.indexOf("-s") + 1];
    const name = signalNamed((/^-?\w+$/.exec(word ?? "")?.[0] ?? "TERM").replace(/^-/, ""));
    if (name === null) return answer("", `bash: kill: ${word}: invalid signal specification\n`, 1);
    if (isWhole && this.toShell !== null) {
      await context.assignShellVariable?.(OWN.handler, "");
      await this.toShell({ name, number: numberOf(name) });
      return answer();
    }
    const own = this.shells.get(isWhole ? OUTERMOST : shell)?.get(name);
    const text = own ?? (HARMLESS.has(name) ? "" : `exit ${128 + numberOf(name)}`);
    await context.assignShellVariable?.(OWN.handler, name === "KILL" ? "exit 137" : text);
    return answer();
  }

  /** Before a statement: sets the handler of a pending signal and keeps the last status. */
  private async next(all: readonly string[], context: Context): Promise<Answer> {
    const { shell, args } = placed(all);
    const [status = "0"] = args;
    if (this.clock.mono() - this.heardAt > HEARING_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      this.heardAt = this.clock.mono();
    }
    const signal = shell === OUTERMOST ? this.pending.shift() : undefined;
    await context.assignShellVariable?.(OWN.last, status);
    if (signal === undefined) return answer("", "", 1);
    const text = this.shells.get(OUTERMOST)?.get(signal.name) ?? "";
    await context.assignShellVariable?.(OWN.handler, withStatus(text, Number(status)));
    return answer();
  }

  private hears(event: string): boolean {
    return (
      (event === "ERR" && this.heardEvents?.err === true) ||
      (event === "DEBUG" && this.heardEvents?.debug === true) ||
      (event === "RETURN" && this.heardEvents?.returns === true)
    );
  }

  /** After a failed command or before the next one: sets the handler, if any. */
  private async event(name: "ERR" | "DEBUG" | "RETURN", all: readonly string[], context: Context): Promise<Answer> {
    const { shell, args } = placed(all);
    const [status = "0", line = "0", command = ""] = args;
    await context.assignShellVariable?.(OWN.before, status);
    const text = (this.shells.get(shell) ?? this.shells.get(OUTERMOST))?.get(name) ?? "";
    if (text === "" || (name === "ERR" && status === "0")) return answer("", "", 1);
    const handler = withStatus(text.replaceAll(/\$LINENO\b|\$\{LINENO\}/g, line), Number(status));
    const variable = text.includes("BASH_COMMAND") ? `BASH_COMMAND=${inQuotes(command)}; ` : "";
    await context.assignShellVariable?.(OWN.event, `${variable}${OWN.status} ${status}\n${handler}`);
    return answer();
  }

  private async sleep(args: readonly string[], stopped: AbortSignal | undefined): Promise<Answer> {
    if (args.length === 0) return answer("", `sleep: missing operand\n${SLEEP_HELP}`, 1);
    const spans = args.map((arg) => (/^inf(?:inity)?$/i.test(arg) ? LONGEST_MS : spanMs(arg)));
    const wrong = args[spans.indexOf(null)];
    if (wrong !== undefined) return answer("", `sleep: invalid time interval '${wrong}'\n${SLEEP_HELP}`, 1);
    const ms = spans.reduce<number>((sum, each) => sum + (each ?? 0), 0);
    const over = new AbortController();
    const until = either(over.signal, stopped);
    const outcome = await this.interruptible(this.clock.sleep(Math.min(ms, LONGEST_MS), until));
    over.abort();
    return answer("", "", "status" in outcome ? outcome.status : 0);
  }
}

const SLEEP_HELP = "Try 'sleep --help' for more information.\n";
const LONGEST_MS = 2 ** 31 - 1;

function linesOf(traps: ReadonlyMap<string, string>, wanted: readonly string[]): readonly string[] {
  const names = wanted.map(signalNamed);
  return [...traps]
    .filter(([name]) => names.length === 0 || names.includes(name))
    .map(([name, text]) => `trap -- ${inQuotes(text)} ${name === "EXIT" || EVENTS.has(name) ? name : `SIG${name}`}`);
}

/** In a trap, plain `exit` uses the status from before the trap. */
function withStatus(text: string, status: number): string {
  return text.replaceAll(/(^|[;&|{(\n]\s*)exit(?=\s*(?:$|[;&|})\n]))/g, `$1exit ${status}`);
}
