// Shows text that is taller than the terminal in the pager; writes anything else directly. The pager gets a small environment without secrets. If
// it cannot run, the text is written directly.

import { ENDED_BY } from "../../src/abi/errno.ts";
import { wantsColour } from "../../src/lib/text/colour.ts";
import { sanitize } from "../../src/lib/text/sanitize.ts";
import { displayWidth } from "../../src/lib/text/truncate.ts";
import type { Io, Output } from "../command.ts";
import type { Look } from "../man/layout.ts";
import { note } from "./status.ts";

const DEFAULT_PAGER = ["less"];
/** Default options for less: quit if the text fits, show colors, keep the screen. */
const LESS = "FRX";
const PAGER_ENV =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|LANG|LC_[A-Z]+|TMPDIR|COLUMNS|LINES|XDG_CONFIG_HOME|XDG_STATE_HOME|LESS[A-Z_]*|MORE|LV|BAT_[A-Z]+)$/;
/** Exit statuses of `sh` for a program that is missing or cannot run. */
const NOT_RUN = [126, 127];

export function widthOf(output: Output): number | null {
  return output.isTTY ? output.columns : null;
}

export function lookOf(io: Io, output: Output = io.stdout): Look {
  return { width: widthOf(output), colour: wantsColour(output.isTTY, io.env) };
}

export function read(io: Io, text: string): Promise<number> {
  return page(io, text, lookOf(io).colour && io.stdout.isTTY ? { isInert: true } : undefined);
}

/** Resolves to the exit status of the command. Only inert text may have colors. */
export async function page(io: Io, given: string, form?: { readonly isInert: true }): Promise<number> {
  const text = form?.isInert || !io.stdout.isTTY ? given : sanitize(given);
  const named = io.env.GSV_PAGER ?? io.env.PAGER;
  const plain = io.noPager === true || named?.trim() === "" || named?.trim() === "cat" || io.env.TERM === "dumb";
  if (plain || !io.stdin.isTTY || !isTaller(io.stdout, text)) {
    await io.stdout.write(text);
    return 0;
  }
  const giveUp = new AbortController();
  let ended = 0;
  // Ctrl-c goes to the pager as well, which handles it.
  const release = io.onSignal((name) => {
    if (name === "INT") return;
    ended = ENDED_BY[name];
    giveUp.abort();
  });
  const status = await io
    .spawn({
      argv: named === undefined ? DEFAULT_PAGER : ["sh", "-c", named],
      env: pagerEnv(io.env),
      stdin: takesColours(io.env) ? text : Bun.stripANSI(text),
      signal: giveUp.signal,
    })
    .finally(release);
  if (!NOT_RUN.includes(status)) return ended;
  if (named !== undefined) await note(io, `gsv: cannot run the pager ${named}`);
  await io.stdout.write(text);
  return 0;
}

/** With own options for less but without -R, color codes would be visible. */
function takesColours({ LESS: flags }: Io["env"]): boolean {
  return flags === undefined || flags.split(/\s+/).some((word) => /^(?:--raw-control-chars$|-?[^-]*r)/i.test(word));
}

function isTaller(output: Output, text: string): boolean {
  if (!output.isTTY) return false;
  const lines = text.trimEnd().split("\n");
  const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / output.columns)), 0);
  // The prompt that follows takes a row too.
  return rows >= output.rows;
}

function pagerEnv(env: Io["env"]): { [name: string]: string } {
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && PAGER_ENV.test(entry[0]),
  );
  return { LESS, ...Object.fromEntries(passed) };
}
