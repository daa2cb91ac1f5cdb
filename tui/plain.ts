// gsv on a terminal, line by line: what is typed goes to the shell or to your init, each answer is printed, and the next line is asked for.
// The directory, variables and functions of the shell live on; the history is kept in a file that only its owner reads.

import type { Io } from "../commands/command.ts";
import { runCommandLine } from "../commands/run.ts";
import { INTERPRETER } from "../commands/sh/interpreter.ts";
import { programNames } from "../commands/sh/names.ts";
import { runShell } from "../commands/sh.ts";
import { SysError } from "../src/abi/errno.ts";
import { uuidv7 } from "../src/abi/ids.ts";
import { routeOf } from "./route.ts";

export interface PlainPorts {
  /** One line with editing; null at the end of input, "" after ctrl-c. `lines` are the newest last. */
  readonly line: (prompt: string, lines: readonly string[]) => Promise<string | null>;
  readonly history: { readonly lines: readonly string[]; readonly add: (line: string) => void };
}

const SLASHES: ReadonlyMap<string, string> = new Map([
  ["help", "what can be typed here"],
  ["quit", "leave; agents go on"],
]);
const TOLD = [
  "What begins like a command is run over gsv's files: ls, ps | grep init, cd ~.",
  "Everything else is said to your init. A comma before a line says it in any case: , find the bug",
  "Every gsv command works without its first word. /quit or ctrl-d leaves; agents go on.",
];

export async function plainShell(io: Io, ports: PlainPorts): Promise<number> {
  const session = uuidv7(io.clock.now(), io.random);
  const names = new Set([...(await programNames()), ...INTERPRETER, "gsv"]);
  const typed = [...ports.history.lines];
  let status = 0;
  let directory = "~";
  let own: ReadonlySet<string> = new Set();
  for (;;) {
    const line = await ports.line(`${directory} $ `, typed);
    if (line === null) return status;
    if (line.trim() !== "" && !line.startsWith(" ") && typed.at(-1) !== line) {
      typed.push(line);
      ports.history.add(line);
    }
    const route = routeOf(line, {
      isProgram: (word) => names.has(word) || own.has(word),
      isSlash: (word) => SLASHES.has(word),
      exists: (word) => /^(?:~|\.{1,2})?\//.test(word),
    });
    switch (route.to) {
      case "nothing":
        break;
      case "slash":
        if (route.word === "quit") return 0;
        await io.stdout.write(`${TOLD.join("\n")}\n`);
        break;
      case "chat":
        status = await runCommandLine(["chat", "--no-stdin", "--", route.text], io);
        break;
      case "host":
        status = await runCommandLine(["sh", "--host", "-c", route.text], io);
        break;
      case "shell": {
        const ended = await inShell(io, session, route.text);
        if (ended.over) return ended.exit;
        status = ended.exit;
        directory = shown(ended.session?.cwd ?? directory);
        own = new Set(ended.session?.defined ?? own);
      }
    }
  }

  function shown(path: string): string {
    return path.replace(/^\/home\/[^/]+/, "~");
  }
}

async function inShell(io: Io, session: string, script: string): ReturnType<typeof runShell> {
  try {
    return await runShell(io, { script, session });
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    await io.stderr.write(`gsv: ${[error.message, ...error.hints.map((hint) => `  ${hint}`)].join("\n")}\n`);
    return { exit: 1, over: false, session: null };
  }
}
