// gsv on a terminal that only takes text, line by line: each line goes to the shell or to your init, and its output is printed. The history is
// in a file that only its owner can read.

import type { Io } from "../commands/command.ts";
import { ENDED_BY } from "../src/abi/errno.ts";
import { initPid } from "../src/abi/ids.ts";
import { reveal } from "../src/lib/text/sanitize.ts";
import { type History, linesToKeep } from "./line/history.ts";
import { asOneLine, isUnfinished } from "./line/unfinished.ts";
import { LineShell } from "./shell/line-shell.ts";
import type { Route } from "./verdict/route.ts";

export interface TypedLine {
  readonly how: "entered" | "interrupted" | "ended";
  readonly text: string;
}

export interface PlainPorts {
  readonly version: string;
  /** Reads one line, with editing. `lines` is the history, the newest last. */
  readonly line: (prompt: string, lines: readonly string[]) => Promise<TypedLine>;
  readonly history: History;
}

const EXIT_UNKNOWN = 127;
const SLASHES: ReadonlySet<string> = new Set(["exit", "help", "quit"]);
const helpOn = (computer: string) => [
  "Lines that look like commands run in gsv's shell: ls, ps | grep init, cd ~.",
  "Everything else goes to your agent. A comma forces that: , find the bug",
  `An exclamation mark runs a line on ${computer}: ! git status`,
  "gsv commands work without the word gsv. /quit or ctrl-d leaves; agents keep running.",
];

interface Who {
  readonly username: string;
  readonly uid: number;
  readonly home: string;
}

export async function plainShell(io: Io, ports: PlainPorts): Promise<number> {
  const who = await io.sys().call<Who>("system.whoami", {});
  const { name: at } = io.remotes;
  await io.stderr.write(
    `gsv ${ports.version}  ${who.username}${at === null ? "" : `@${reveal(at)}`}, ${initPid(who.uid)}. Type a command or a message. /help for help.\n`,
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

  /** A whole line; a shell line may take several. */
  async ask(): Promise<string | null> {
    const { home } = this.who;
    const { cwd } = this.shell;
    const { name: at } = this.io.remotes;
    const where = cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
    let { how, text } = await this.ports.line(`${at === null ? "" : `${reveal(at)}:`}${where} $ `, this.typed);
    if (how === "ended") return null;
    while (how === "entered" && this.route(text).to === "shell" && isUnfinished(text)) {
      const more = await this.ports.line("> ", this.typed);
      ({ how } = more);
      if (how === "entered") text = `${text}\n${more.text}`;
    }
    if (how !== "interrupted") this.remember(text);
    else this.shell.status = ENDED_BY.INT;
    return how === "interrupted" ? "" : text;
  }

  /** The exit status if the shell has ended, otherwise null. */
  async carryOut(line: string): Promise<number | null> {
    const route = this.route(line);
    switch (route.to) {
      case "nothing":
        return await this.shell.reportJobs();
      case "slash":
        if (route.word === "quit" || route.word === "exit") return 0;
        if (this.shell.isCommand(route.word) && route.word !== "help")
          return await this.shell.run(`${route.word} ${route.rest}`);
        await this.io.stdout.write(`${helpOn(reveal(this.io.remotes.name ?? "this computer")).join("\n")}\n`);
        return await this.shell.reportJobs();
      case "unknown":
        await this.io.stderr.write(`gsv: unknown command: /${route.word}. Type /help for help.\n`);
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
