// A terminal for the plain shell: lines with editing and history. Between two lines the terminal is everybody else's.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { PlainPorts } from "../../tui/plain.ts";

const LINES_MAX = 2000;

export function replPorts(file: string, version: string): PlainPorts {
  return { version, line, history: readHistory(file) };
}

function line(prompt: string, history: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const reader = createInterface({
      input: process.stdin,
      output: process.stdout,
      terminal: true,
      history: [...history].reverse(),
      historySize: LINES_MAX,
    });
    const end = (text: string | null) => {
      reader.removeAllListeners();
      reader.close();
      // A closed reader goes on hearing, and would write each key once more.
      for (const event of ["keypress", "end", "error"]) process.stdin.removeAllListeners(event);
      for (const event of ["resize", "error"]) process.stdout.removeAllListeners(event);
      process.stdin.pause();
      resolve(text);
    };
    reader.on("line", end);
    reader.on("SIGINT", () => {
      process.stdout.write("^C\n");
      end("");
    });
    reader.on("close", () => {
      process.stdout.write("\n");
      end(null);
    });
    reader.setPrompt(prompt);
    reader.prompt();
  });
}

/** Kept short when it is opened. */
export function readHistory(file: string): PlainPorts["history"] {
  return { lines: linesOf(file), add: (text) => appendFileSync(file, `${oneLine(text)}\n`, { mode: 0o600 }) };
}

function linesOf(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((text) => text !== "");
  if (lines.length > LINES_MAX * 2) writeFileSync(file, `${lines.slice(-LINES_MAX).join("\n")}\n`, { mode: 0o600 });
  return lines.slice(-LINES_MAX);
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, " ");
}
