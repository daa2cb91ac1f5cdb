// gsv's commands that are programs in a shell.

import { COMMANDS } from "../../../commands/table.ts";
import { DOMAIN_NAMES } from "../../syscalls/table.ts";

/** The shell has its own, with all flags and streams. */
const LEFT_ALONE = new Set([
  "cat",
  "cp",
  "diff",
  "find",
  "grep",
  "ln",
  "mkdir",
  "mv",
  "rm",
  "tail",
  "touch",
  "tree",
  "sh",
]);

export async function programNames(): Promise<readonly string[]> {
  const words = [...COMMANDS].flatMap(([name, { hidden }]) => (hidden || LEFT_ALONE.has(name) ? [] : [name]));
  return [...words, ...DOMAIN_NAMES.filter((name) => !name.includes("."))];
}
