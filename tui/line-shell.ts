// Lines for the shell, one after the other: the directory, variables, functions and aliases live on from one to the next. A line that is one
// command of gsv's own has the terminal itself, as if it had been typed after `gsv`.

import { PROGRAMS } from "../commands/bin/table.ts";
import type { Io } from "../commands/command.ts";
import { runCommandLine } from "../commands/run.ts";
import { INTERPRETER } from "../commands/sh/interpreter.ts";
import { inDirectory } from "../commands/sh/stand.ts";
import { runShell } from "../commands/sh.ts";
import { uuidv7 } from "../src/abi/ids.ts";
import { simpleWords } from "./simple.ts";

export class LineShell {
  status = 0;
  private readonly session: string;
  /** Functions and aliases of this shell. */
  private own: ReadonlySet<string> = new Set();

  constructor(
    private readonly io: Io,
    private readonly gsvs: ReadonlySet<string>,
    public cwd: string,
  ) {
    this.session = uuidv7(io.clock.now(), io.random);
  }

  knows(word: string): boolean {
    return this.gsvs.has(word) || this.own.has(word);
  }

  /** The exit status with which the shell is over; null while it goes on. */
  async run(text: string, host: boolean): Promise<number | null> {
    if (host) {
      this.status = await runCommandLine(["sh", "--host", "-c", text], this.io);
      return null;
    }
    const words = simpleWords(text);
    const [first = "", ...rest] = words ?? [];
    if (words !== null && this.gsvs.has(first) && !this.own.has(first)) {
      const sys = inDirectory(this.io.sys(), this.cwd);
      this.status = await runCommandLine(first === "gsv" ? rest : words, { ...this.io, sys: () => sys });
      return null;
    }
    const { exit, over, session } = await runShell(this.io, { script: text, session: this.session });
    this.status = exit;
    if (over) return exit;
    this.cwd = session?.cwd ?? this.cwd;
    this.own = new Set(session?.defined ?? this.own);
    return null;
  }
}

export function isProgram(word: string, shell: LineShell): boolean {
  return shell.knows(word) || INTERPRETER.has(word) || PROGRAMS.has(word);
}
