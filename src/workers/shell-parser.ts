// The parser of gsv's shell, for reading a command line without running it. Loaded at its first use.

import { once } from "../lib/lazy.ts";
import type { ParseShell } from "../process/approvals/policy/shell-parts.ts";

export const shellParser: () => Promise<ParseShell> = once(async () => {
  const { Bash } = await import("just-bash/browser");
  const bash = new Bash({ defenseInDepth: false, commands: [] });
  return (text: string) => bash.transform(text).ast;
});
