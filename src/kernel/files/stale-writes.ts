// The error for a write that would overwrite someone else's change: who, when and what, so that the model can merge both. Pure.

import { shownLines } from "../../../fs/read/shown-lines.ts";
import { SysError } from "../../abi/errno.ts";
import { lineDiff } from "../../lib/text/line-diff.ts";

export interface Author {
  readonly account: string;
  /** Null for a person. */
  readonly pid: string | null;
  readonly label: string | null;
}

export interface Stale {
  readonly verb: "write" | "edit";
  readonly path: string;
  /** Null if it was not changed through gsv. */
  readonly by: Author | null;
  readonly at: number | null;
  /** The text as last seen, and now; null if unknown. */
  readonly before: string | null;
  readonly text: string | null;
}

const LINES_MAX = 60;
const BYTES_MAX = 8 * 1024;

/** `isWhole`: the error contains the full change. */
export function staleError({ verb, path, by, at, before, text }: Stale): { error: SysError; isWhole: boolean } {
  const what = `cannot ${verb} ${path}: ${authorText(by)} changed it${at === null ? "" : ` at ${instant(at)}`}, after you read it`;
  const whole = before === null || text === null ? null : lineDiff(before, text, Number.POSITIVE_INFINITY);
  if (before === null || text === null || whole === null)
    return { error: new SysError("ESTALE", what, [`read it again, then repeat the ${verb}`]), isWhole: false };
  const shown = lineDiff(before, text, LINES_MAX) ?? "";
  const isWhole = shown === whole && Buffer.byteLength(whole) <= BYTES_MAX;
  const told = isWhole ? whole : within(shown);
  const next = isWhole
    ? `this is the full change: merge it and repeat the ${verb}`
    : `the change is cut: read the file again, then repeat the ${verb}`;
  return { error: new SysError("ESTALE", what, ["the change:", ...shownLines(told.split("\n")), next]), isWhole };
}

function authorText(by: Author | null): string {
  if (by === null) return "a command or a program outside gsv";
  if (by.pid === null) return by.account;
  return by.label === null ? by.pid : `${by.pid} (${by.label})`;
}

function instant(at: number): string {
  return new Date(at).toISOString();
}

/** Whole lines from the start, at least one. */
function within(text: string): string {
  const lines: string[] = [];
  let bytes = 0;
  for (const line of text.split("\n")) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > BYTES_MAX) break;
    lines.push(line);
  }
  return lines.join("\n");
}
