// Reads lines with editing and history for the plain shell. Between two lines it releases the terminal.

import { appendFileSync, chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { type History, lineOfPast, type Past, pastOf } from "../../tui/line/history.ts";
import type { PlainPorts, TypedLine } from "../../tui/plain.ts";
import { reveal } from "../lib/text/sanitize.ts";

const LINES_MAX = 2000;

export function replPorts(file: string, version: string): PlainPorts {
  const typed = new TypedLines();
  return { version, line: (prompt, lines) => typed.next(prompt, lines), history: readHistory(file) };
}

class TypedLines {
  /** Pasted lines that are still to come. */
  private readonly ahead: string[] = [];
  /** The start of the next one. */
  private begun = "";

  next(prompt: string, history: readonly string[]): Promise<TypedLine> {
    const text = this.ahead.shift();
    if (text === undefined) return this.read(prompt, history);
    process.stdout.write(`${prompt}${reveal(text)}\n`);
    return Promise.resolve({ how: "entered", text });
  }

  private read(prompt: string, history: readonly string[]): Promise<TypedLine> {
    const { promise, resolve } = Promise.withResolvers<TypedLine>();
    const echo = new Echo();
    const reader = createInterface({
      input: process.stdin,
      output: echo,
      terminal: true,
      history: [...history].reverse(),
      historySize: LINES_MAX,
    });
    const end = (line: TypedLine) => {
      reader.removeAllListeners();
      reader.close();
      echo.destroy();
      // A closed reader keeps its listeners and would echo each key twice.
      for (const event of ["keypress", "end", "error"]) process.stdin.removeAllListeners(event);
      process.stdin.pause();
      resolve(line);
    };
    reader.once("line", (text) => {
      // Pasted lines are returned one by one.
      echo.isSilent = true;
      reader.on("line", (more) => this.ahead.push(more));
      setImmediate(() => {
        this.begun = reader.line;
        end({ how: "entered", text });
      });
    });
    // After ctrl-z it continues with the typed text.
    reader.on("SIGCONT", () => reader.prompt(true));
    reader.on("SIGINT", () => {
      process.stdout.write("^C\n");
      end({ how: "interrupted", text: "" });
    });
    reader.once("close", () => {
      process.stdout.write("\n");
      end({ how: "ended", text: "" });
    });
    reader.setPrompt(prompt);
    reader.prompt();
    reader.write(this.begun);
    this.begun = "";
    return promise;
  }
}

/** An output that can be silenced. */
class Echo extends Writable {
  isSilent = false;
  readonly isTTY = true;
  private readonly resized = () => this.emit("resize");

  constructor() {
    super({
      write: (bytes, _encoding, done) => (this.isSilent ? done() : void process.stdout.write(bytes, () => done())),
    });
    process.stdout.on("resize", this.resized);
    this.once("close", () => process.stdout.off("resize", this.resized));
  }

  get columns(): number {
    return process.stdout.columns;
  }

  get rows(): number {
    return process.stdout.rows;
  }
}

/** Shortens the history and makes it private. */
export function readHistory(file: string): History {
  const add = (entry: Past) => appendFileSync(file, `${lineOfPast(entry)}\n`, { mode: 0o600 });
  return { past: pastOf(linesOf(file)), add };
}

function linesOf(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((text) => text !== "");
  if (lines.length > LINES_MAX * 2) writeFileSync(file, `${lines.slice(-LINES_MAX).join("\n")}\n`, { mode: 0o600 });
  return lines.slice(-LINES_MAX);
}
