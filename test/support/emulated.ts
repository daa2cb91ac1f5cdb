// What stands on an emulated terminal.

import type { Terminal } from "@xterm/headless";

/** The rows of the screen, without trailing blanks. */
export function screenOf({ buffer, rows }: Terminal): readonly string[] {
  return Array.from({ length: rows }, (_, row) => rowOf(buffer.active, buffer.active.baseY + row));
}

/** Scrollback and screen, with wrapped rows joined. */
export function scrollbackOf({ buffer: { active } }: Terminal): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < active.length; at++) {
    if (active.getLine(at)?.isWrapped) lines[lines.length - 1] += rowOf(active, at);
    else lines.push(rowOf(active, at));
  }
  return lines;
}

function rowOf(active: Terminal["buffer"]["active"], at: number): string {
  return active.getLine(at)?.translateToString(true).trimEnd() ?? "";
}
