// gsv on a terminal, line by line: what is typed goes to the shell or to your init, each answer is printed, and the next line is asked for.
// The directory, variables and functions of the shell live on; the history is kept in a file that only its owner reads.

import type { Io } from "../commands/command.ts";
import { ENDED_BY } from "../src/abi/ended-by.ts";
import { initPid } from "../src/abi/ids.ts";
import { type History, linesToKeep } from "./line/history.ts";
import { LineShell } from "./line/line-shell.ts";
import { asOneLine, goesOn } from "./line/unfinished.ts";
import type { Route } from "./verdict/route.ts";

export interface TypedLine {
  /** With enter, with ctrl-c, or there is no more: ctrl-d. */
  readonly how: "entered" | "interrupted" | "ended";
  readonly text: string;
}

export interface PlainPorts {
  readonly version: string;
  /** One line with editing. `lines` are the newest last. */
  readonly line: (prompt: string, lines: readonly string[]) => Promise<TypedLine>;
  readonly history: History;
}

const EXIT_UNKNOWN = 127;
const SLASHES: ReadonlySet<string> = new Set(["exit", "help", "quit"]);
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
  const shell = new PlainShell(io, ports, who, await LineShell.open(io, who.home));
  for (let line = await shell.ask(); line !== null; line = await shell.ask()) {
    const left = await shell.carryOut(line);
    if (left !== null) return left;
  }
  return shell.status;
}

class PlainShell {
  private readonly typed: string[];

  constructor(
    private readonly io: Io,
    private readonly ports: PlainPorts,
    private readonly who: Who,
    private readonly shell: LineShell,
  ) {
    this.typed = ports.history.past.flatMap(({ text }) => {
      const line = text.includes("\n") ? asOneLine(text) : text;
      return line === null ? [] : [line];
    });
  }

  get status(): number {
    return this.shell.status;
  }

  /** A whole line, over as many as it takes. */
  async ask(): Promise<string | null> {
    const { home } = this.who;
    const { cwd } = this.shell;
    const where = cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
    let { how, text } = await this.ports.line(`${where} $ `, this.typed);
    if (how === "ended") return null;
    while (how === "entered" && this.route(text).to === "shell" && goesOn(text)) {
      const more = await this.ports.line("> ", this.typed);
      ({ how } = more);
      if (how === "entered") text = `${text}\n${more.text}`;
    }
    if (how !== "interrupted") this.remember(text);
    else this.shell.status = ENDED_BY.INT;
    return how === "interrupted" ? "" : text;
  }

  /** The exit status with which the shell is over; null while it goes on. */
  async carryOut(line: string): Promise<number | null> {
    const route = this.route(line);
    switch (route.to) {
      case "nothing":
        return await this.shell.tellOfJobs();
      case "slash":
        if (route.word === "quit" || route.word === "exit") return 0;
        if (this.shell.isCommand(route.word) && route.word !== "help")
          return await this.shell.run(`${route.word} ${route.rest}`);
        await this.io.stdout.write(`${TOLD.join("\n")}\n`);
        return await this.shell.tellOfJobs();
      case "unknown":
        await this.io.stderr.write(`gsv: /${route.word} is no word of this terminal; /help says what there is\n`);
        this.shell.status = EXIT_UNKNOWN;
        return null;
      case "chat":
        return await this.shell.command(["chat", "--no-stdin", "--", route.text]);
      case "host":
        return await this.shell.command(["sh", "--host", "-c", route.text]);
      case "shell":
        return await this.shell.run(route.text);
    }
  }

  private route(line: string): Route {
    return this.shell.route(line, (word) => SLASHES.has(word) || this.shell.isCommand(word));
  }

  private remember(line: string): void {
    for (const each of linesToKeep(line, this.typed.at(-1))) {
      this.typed.push(each);
      this.ports.history.add({ text: each, at: this.io.clock.now(), cwd: this.shell.cwd, status: null });
    }
  }
}
