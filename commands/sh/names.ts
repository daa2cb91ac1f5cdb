// The words that are programs in a shell besides the interpreter's own.

import { DOMAIN_NAMES } from "../../src/syscalls/table.ts";
import { COMMANDS } from "../table.ts";

export async function programNames(): Promise<readonly string[]> {
  const words = [...COMMANDS].flatMap(([name, { hidden }]) => (hidden ? [] : [name]));
  return [...words, ...DOMAIN_NAMES.filter((name) => !name.includes("."))];
}
