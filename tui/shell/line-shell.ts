// Runs lines in gsv's shell. The directory, variables, functions, aliases and jobs live on between lines. A line that is one gsv command has
// the terminal itself, as if typed after `gsv`.

import type { Io, Output } from "../../commands/command.ts";
import { runCommandLine } from "../../commands/run.ts";
import { runShell } from "../../commands/shell/sh.ts";
import { COMMANDS } from "../../commands/table.ts";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { ENDED_BY, SysError } from "../../src/abi/errno.ts";
import { isPid, uuidv7 } from "../../src/abi/ids.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { inDirectory } from "../../src/shell/interpreter/directory.ts";
import { INTERPRETER } from "../../src/shell/interpreter/interpreter.ts";
import { programNames } from "../../src/shell/interpreter/names.ts";
import { isAbsent, PROGRAMS } from "../../src/shell/programs/table.ts";
import { simpleWords } from "../line/simple.ts";
import { type Route, routeOf } from "../verdict/route.ts";

/** `/proc` means the directory. */
const DIRECTORIES = new Set(["proc", "sys"]);

export class LineShell {
  status = 0;
  private readonly session: string;
  /** Jobs that run, or whose end the next prompt will report. */
  private jobs = 0;
  private shellStatus = 0;
  private own: ReadonlySet<string> = new Set();

  /** `gsvs` are gsv's commands. They win over programs of the same name, because they can ask and reach the host. */
  private constructor(
    private readonly io: Io,
    private readonly gsvs: ReadonlySet<string>,
    public cwd: string,
  ) {
    this.session = uuidv7(io.clock.now(), io.random);
  }

  static async open(io: Io, home: string): Promise<LineShell> {
    return new LineShell(io, new Set([...(await programNames()), ...COMMANDS.keys(), "gsv"]), home);
  }

  route(line: string, isSlash: (word: string) => boolean): Route {
    return routeOf(line, {
      isProgram: (word) => this.isProgram(word),
      isSlash,
      isHostProgram: (word) => this.io.isOnPath(word),
      exists: (word) => /^(?:~|\.{1,2})?\//.test(word),
    });
  }

  isCommand(word: string): boolean {
    return this.gsvs.has(word) && !DIRECTORIES.has(word);
  }

  isProgram(word: string): boolean {
    const isHere = PROGRAMS.has(word) && !(isAbsent(word) && this.io.isOnPath(word));
    return this.gsvs.has(word) || INTERPRETER.has(word) || isHere || this.own.has(word);
  }

  programs(): readonly string[] {
    return [...new Set([...this.gsvs, ...this.own, ...PROGRAMS.keys(), ...INTERPRETER])].sort();
  }

  /** The exit status if the shell has ended, otherwise null. */
  async run(text: string, io: Io = this.io): Promise<number | null> {
    const words = simpleWords(text);
    const [first = "", ...rest] = words ?? [];
    const isOurs = this.gsvs.has(first) && !this.own.has(first) && !isShells(first, rest);
    if (words === null || !isOurs) return await this.throughShell(text);
    return await this.commandHere(first === "gsv" ? rest : words, io);
  }

  /** A gsv command in the shell's directory, with the terminal. */
  async commandHere(argv: readonly string[], io: Io = this.io): Promise<number | null> {
    const sys = inDirectory(io.sys(), this.cwd);
    return await this.command(argv, ioWith(io, { sys: () => sys }));
  }

  async command(argv: readonly string[], io: Io = this.io): Promise<number | null> {
    this.status = await commandOnTerminal(argv, io);
    return await this.reportJobs();
  }

  get hasJobs(): boolean {
    return this.jobs > 0;
  }

  async reportJobs(): Promise<number | null> {
    return this.jobs > 0 ? await this.throughShell("") : null;
  }

  // No time limit: the person has ctrl-c.
  private async throughShell(text: string): Promise<number | null> {
    const { session } = this;
    // `$?` is also the status of a command that ran outside the shell.
    const isKnown = this.status === this.shellStatus || !text.includes("$?");
    const script = isKnown ? text : `(exit ${this.status}); ${text}`;
    try {
      const request = { script, session, cwd: this.cwd, timeoutMs: LIMITS.shellWallMsMax };
      const { exit, over, session: kept } = await runShell(this.io, request);
      if (text !== "") this.status = exit;
      this.shellStatus = exit;
      if (over) return exit;
      this.cwd = kept?.cwd ?? this.cwd;
      this.own = new Set(kept?.defined ?? this.own);
      this.jobs = kept?.jobs ?? this.jobs;
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      const lines = [`gsv: ${reveal(error.message)}`, ...error.hints.map((hint) => `  ${reveal(hint)}`)];
      await this.io.stderr.write(`${lines.join("\n")}\n`);
      this.status = 1;
    }
    return null;
  }
}

/** Lines for the shell although gsv has a command of that name. */
function isShells(first: string, rest: readonly string[]): boolean {
  return isAboutJobs(first, rest) || isEnd(first, rest) || isOfFiles(first, rest);
}

/** `diff a b` compares files; `diff PID` shows the changes of a run. */
function isOfFiles(first: string, rest: readonly string[]): boolean {
  return first === "diff" && rest.filter((word) => !word.startsWith("-") && !isPid(word)).length === 2;
}

/** Without -f, the shell's `tail` has more options. */
function isEnd(first: string, rest: readonly string[]): boolean {
  return first === "tail" && !rest.some((word) => /^(?:-[a-z]*f|--follow)$/.test(word));
}

/** %1 and numbers are jobs of the shell. */
function isAboutJobs(first: string, rest: readonly string[]): boolean {
  if (first === "wait" && rest.length === 0) return true;
  return (first === "wait" || first === "kill") && rest.some((word) => /^%|^\d{6,}$|^-n$/.test(word));
}

/** Ctrl-c goes to the command if it listens, or to the program that it gave the terminal to; it leaves a question. A command that only waits
 * for the kernel is abandoned: its calls continue, its further output is dropped. */
async function commandOnTerminal(argv: readonly string[], io: Io): Promise<number> {
  /** Listeners for ctrl-c. */
  let listening = 0;
  let isOver = false;
  const abandoned = Promise.withResolvers<number>();

  function counted<Listener>(listen: (listener: Listener) => () => void) {
    return (listener: Listener) => {
      listening++;
      const stop = listen(listener);
      let stops = () => {
        listening--;
        stop();
      };
      return () => {
        stops();
        stops = () => {};
      };
    };
  }

  function withTerminal<Asked extends readonly unknown[], Answer>(work: (...asked: Asked) => Promise<Answer>) {
    return async (...asked: Asked): Promise<Answer> => {
      listening++;
      try {
        return await work(...asked);
      } finally {
        listening--;
      }
    };
  }

  /** Ctrl-c leaves the question. */
  const asking = withTerminal(async (question: string) => {
    const leave = new AbortController();
    const stop = io.onSignal((name) => name === "INT" && leave.abort());
    return await io.person.ask(question, leave.signal).finally(stop);
  });

  const output = (to: Output): Output =>
    Object.create(to, {
      closed: { get: () => isOver || to.closed },
      write: { value: async (text: string | Uint8Array) => (isOver ? undefined : await to.write(text)) },
    });

  const release = io.onSignal((name) => {
    if (name !== "INT" || listening > 0) return;
    isOver = true;
    abandoned.resolve(ENDED_BY.INT);
  });
  const { askHidden, edit } = io.person;
  const own = ioWith(io, {
    stdout: output(io.stdout),
    stderr: output(io.stderr),
    onSignal: counted(io.onSignal.bind(io)),
    onEnding: counted(io.onEnding.bind(io)),
    person: {
      // Requests are shown as cards.
      answersHere: () => false,
      ask: asking,
      askHidden: withTerminal(askHidden),
      edit: withTerminal(edit),
    },
    spawn: withTerminal(io.spawn.bind(io)),
    hostTerminal: withTerminal(io.hostTerminal.bind(io)),
  });
  try {
    return await Promise.race([runCommandLine(argv, own), abandoned.promise]);
  } finally {
    release();
  }
}

export function ioWith(io: Io, changes: Partial<Io>): Io {
  return Object.create(io, Object.getOwnPropertyDescriptors(changes));
}
