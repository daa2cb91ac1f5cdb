// `gsv history show|search|segments|policy`: everything about what was said. `gsv history` alone prints the newest page, as proc history does.

import { looksLikeFlag } from "./args.ts";
import type { Command } from "./command.ts";
import { domainCommand, type Verb, verbOf } from "./derive.ts";

const DEFAULT_VERB = "show";

export async function history(): Promise<Command> {
  const verbs = new Map<string, Verb>([
    [DEFAULT_VERB, await verbOf("proc.history", "history show")],
    ["segments", await verbOf("proc.segments", "history segments")],
    ["policy", await verbOf("proc.history.policy", "history policy")],
  ]);
  const command = domainCommand("history", verbs);
  return {
    ...command,
    run: (args, io) => command.run(meansShow(args) ? [DEFAULT_VERB, ...args] : args, io),
  };
}

/** Nothing, or flags alone and not a question for help. */
function meansShow(args: readonly string[]): boolean {
  if (args.some((arg) => arg === "--help" || arg === "-h")) return false;
  const first = args[0];
  return first === undefined || (looksLikeFlag(first) && first !== "--");
}
