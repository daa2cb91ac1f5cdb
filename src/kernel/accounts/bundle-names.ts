// Checks names of bundles and tools as people type them.

import { SysError } from "../../abi/errno.ts";
import { SERVER_TOOL } from "../../abi/process/agent.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { wordsOf } from "./rights.ts";

/** Splits a comma-separated list; throws if a bundle does not exist. */
export async function knownBundles(kernel: KernelStore, ownerUid: number, text: string): Promise<readonly string[]> {
  const wanted = wordsOf(text);
  const found = (await kernel.bundles.named(ownerUid, wanted)).map(({ name }) => name);
  const missing = wanted.find((name) => !found.includes(name));
  if (missing !== undefined)
    throw new SysError("ENOENT", `no such bundle: ${clip(missing)}`, ["gsv bundle list shows all"]);
  return found;
}

/** Tools of servers come and go; their names start with a small letter and are not checked. */
export function toolsNamed(text: string, known: readonly string[]): readonly string[] {
  return wordsOf(text).map((name) => {
    const own = known.find((each) => each.toLowerCase() === name.toLowerCase());
    const tool = own ?? (SERVER_TOOL.test(name) ? name : undefined);
    if (tool === undefined)
      throw new SysError("EINVAL", `no such tool: ${clip(name)}`, [`available: ${known.join(", ")}`]);
    return tool;
  });
}
