// gsv on a terminal, line by line: what is typed goes to the shell or to your init, each answer is printed, and the next line is asked for.
// The directory, variables and functions of the shell live on; the history is kept in a file that only its owner reads.

import { PROGRAMS } from "../commands/bin/table.ts";
import type { Io } from "../commands/command.ts";
import { runCommandLine } from "../commands/run.ts";
import { INTERPRETER } from "../commands/sh/interpreter.ts";
import { programNames } from "../commands/sh/names.ts";
import { inDirectory } from "../commands/sh/stand.ts";
import { runShell } from "../commands/sh.ts";
import { COMMANDS } from "../commands/table.ts";
import { SysError } from "../src/abi/errno.ts";
import { initPid, uuidv7 } from "../src/abi/ids.ts";
import { LIMITS } from "../src/abi/limits.ts";
import { type Route, routeOf } from "./route.ts";
import { simpleWords } from "./simple.ts";
import { asOneLine, goesOn } from "./unfinished.ts";

export interface TypedLine {
  /** With enter, with ctrl-c, or there is no more: ctrl-d. */
  readonly how: "entered" | "interrupted" | "ended";
  readonly text: string;
}

export interface PlainPorts {
  readonly version: string;
  /** One line with editing. `lines` are the newest last. */
  readonly line: (prompt: string, lines: readonly string[]) => Promise<TypedLine>;
  readonly history: { readonly lines: readonly string[]; readonly add: (line: string) => void };
}

const EXIT_INTERRUPTED = 130;
const SLASHES: ReadonlySet<string> = new Set(["help", "quit"]);
const TOLD = [
  "What begins like a command is run over gsv's files: ls, ps | grep init, cd ~.",
  "Everything else is said to your init. A comma before a line says it in any case: , find the bug",
  "An exclamation mark before a line runs it on this machine: ! git status",
  "Every gsv command works without its first word. /quit or ctrl-d leaves; agents go on.",
];

interface Who {
  readonly username: string;
  readonly uid: number;
  readonly home: string;
}

export async function plainShell(io: Io, ports: PlainPorts): Promise<number> {
  const who = await io.sys().call<Who>("system.whoami", {});
  await io.stderr.write(
    `gsv ${ports.version}: ${who.username}, talking to ${initPid(who.uid)}. Commands or plain words; /help says more.\n`,
  );
  const shell = new PlainShell(io, ports, who, await programNames());
  for (let line = await shell.ask(); line !== null; line = await shell.ask()) {
    const left = await shell.carryOut(line);
    if (left !== null) return left;
  }
  return shell.status;
}

class PlainShell {
  status = 0;
  private readonly session: string;
  private readonly typed: string[];
  private cwd: string;
  /** Jobs of this shell that run, or whose end is to be told at the next prompt. */
  private jobs = 0;
  /** The last status that the shell knows of. */
  private told = 0;
  /** Functions and aliases of this shell. */
  private own: ReadonlySet<string> = new Set();
  private readonly gsvs: ReadonlySet<string>;

  constructor(
    private readonly io: Io,
    private readonly ports: PlainPorts,
    private readonly who: Who,
    programs: readonly string[],
  ) {
    this.session = uuidv7(io.clock.now(), io.random);
    this.typed = [...ports.history.lines];
    this.cwd = who.home;
    // All of gsv's: those the interpreter has too are the better ones when they can ask and reach this machine.
    this.gsvs = new Set([...programs, ...COMMANDS.keys(), "gsv"]);
  }

  /** A whole line, over as many as it takes. */
  async ask(): Promise<string | null> {
    const { home } = this.who;
    const where = this.cwd === home || this.cwd.startsWith(`${home}/`) ? `~${this.cwd.slice(home.length)}` : this.cwd;
    let { how, text } = await this.ports.line(`${where} $ `, this.typed);
    if (how === "ended") return null;
    while (how === "entered" && this.route(text).to === "shell" && goesOn(text)) {
      const more = await this.ports.line("> ", this.typed);
      ({ how } = more);
      if (how === "entered") text = `${text}\n${more.text}`;
    }
    if (how !== "interrupted") this.remember(text);
    else this.status = EXIT_INTERRUPTED;
    return how === "interrupted" ? "" : text;
  }

  /** The exit status with which the shell is over; null while it goes on. */
  async carryOut(line: string): Promise<number | null> {
    const route = this.route(line);
    const left = await this.byRoute(route);
    // What somebody typed for the shell itself was told there.
    return left === null && route.to !== "shell" && this.jobs > 0 ? await this.throughShell("") : left;
  }

  private async byRoute(route: Route): Promise<number | null> {
    switch (route.to) {
      case "nothing":
        return null;
      case "slash":
        if (route.word === "quit") return 0;
        await this.io.stdout.write(`${TOLD.join("\n")}\n`);
        return null;
      case "chat":
        this.status = await runCommandLine(["chat", "--no-stdin", "--", route.text], this.io);
        return null;
      case "host":
        this.status = await runCommandLine(["sh", "--host", "-c", route.text], this.io);
        return null;
      case "shell":
        return await this.inShell(route.text);
    }
  }

  private async inShell(text: string): Promise<number | null> {
    const words = simpleWords(text);
    const [first = "", ...rest] = words ?? [];
    const isOurs = this.gsvs.has(first) && !this.own.has(first) && !isAboutJobs(first, rest);
    if (words !== null && isOurs) {
      // With the terminal: it may ask, page and fit its tables.
      const sys = inDirectory(this.io.sys(), this.cwd);
      this.status = await runCommandLine(first === "gsv" ? rest : words, { ...this.io, sys: () => sys });
      return this.jobs > 0 ? await this.throughShell("") : null;
    }
    return await this.throughShell(text);
  }

  // The person who waits has ctrl-c: there is no other limit.
  private async throughShell(text: string): Promise<number | null> {
    const { session } = this;
    // What ran outside of the shell has a status too.
    const isTold = this.status === this.told || !text.includes("$?");
    const script = isTold ? text : `(exit ${this.status}); ${text}`;
    try {
      const request = { script, session, timeoutMs: LIMITS.shellWallMsMax };
      const { exit, over, session: kept } = await runShell(this.io, request);
      if (text !== "") this.status = exit;
      this.told = exit;
      if (over) return exit;
      this.cwd = kept?.cwd ?? this.cwd;
      this.own = new Set(kept?.defined ?? this.own);
      this.jobs = kept?.jobs ?? this.jobs;
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      await this.io.stderr.write(
        `${[`gsv: ${error.message}`, ...error.hints.map((hint) => `  ${hint}`)].join("\n")}\n`,
      );
      this.status = 1;
    }
    return null;
  }

  private route(line: string): Route {
    return routeOf(line, {
      isProgram: (word) => this.gsvs.has(word) || INTERPRETER.has(word) || PROGRAMS.has(word) || this.own.has(word),
      isSlash: (word) => SLASHES.has(word),
      exists: (word) => /^(?:~|\.{1,2})?\//.test(word),
    });
  }

  private remember(line: string): void {
    if (line.trim() === "" || line.startsWith(" ")) return;
    const whole = asOneLine(line);
    for (const each of whole === null ? line.split("\n") : [whole]) {
      if (each.trim() === "" || this.typed.at(-1) === each) continue;
      this.typed.push(each);
      this.ports.history.add(each);
    }
  }
}

/** Processes of gsv have other names: %1 and numbers are jobs of the shell. */
function isAboutJobs(first: string, rest: readonly string[]): boolean {
  if (first === "wait" && rest.length === 0) return true;
  return (first === "wait" || first === "kill") && rest.some((word) => /^%|^\d{6,}$|^-n$/.test(word));
}
