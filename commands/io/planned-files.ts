// Files of the operating system are shown before they are written, and only a yes writes them.

import type { WakePlan } from "../../src/abi/wake.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import type { Io } from "../command.ts";
import { printText } from "../print.ts";
import { agrees, canAsk, noTerminal } from "./consent.ts";

export interface FileFlags {
  readonly yes: boolean;
  readonly json: boolean;
}

interface Asking extends FileFlags {
  /** The command that does not ask. */
  readonly again: string;
}

export async function agreesToFiles(io: Io, plan: WakePlan, { yes, json, again }: Asking): Promise<boolean> {
  if (!json) await printText(io.stderr, planText(plan));
  if (yes) return true;
  if (!canAsk(io, json)) throw noTerminal("written", `read it above, then: ${again}`);
  return await agrees(io, "Write these files?");
}

function planText({ kind, files, commands }: WakePlan): string {
  const shown = files.map(({ path, text }) => {
    const lines = text.trimEnd().split(/\r?\n/);
    return [reveal(path), ...lines.map((line) => (line === "" ? "" : `  ${reveal(line)}`)), ""].join("\n");
  });
  return [`A ${kind}:`, "", ...shown, ...commands.map((argv) => `$ ${reveal(argv.join(" "))}`)].join("\n");
}
