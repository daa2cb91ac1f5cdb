// An agent that goes round in circles: the same call again and again with nothing new between asks its owner, whatever else the call is. A yes
// is to going on, and gives the call no right that it would not have had.

import { LIMITS } from "../../abi/config/limits.ts";
import type { CallRow, ProcessStore } from "../../store/process/verbs.ts";
import type { Verdict } from "../approvals/policy/file-verdict.ts";

const WORDS = "with nothing new between: it may be going round in circles";

/** What asks or is refused anyway stays as it is. */
export async function unlessLoop(
  store: Pick<ProcessStore, "repeats">,
  pid: string,
  call: CallRow,
  verdict: Verdict,
): Promise<Verdict> {
  if (verdict.action !== "auto" || readsOn(call)) return verdict;
  const times = await store.repeats(pid, call.dispatchId);
  if (times === 0 || times % LIMITS.sameCallsMax !== 0) return verdict;
  return { action: "ask", why: `make the same call for the ${times}th time, ${WORDS}` };
}

/** What runs for long is looked at again and again. */
function readsOn({ call, args }: CallRow): boolean {
  return call === "shell.exec" && args.command === undefined;
}

/** Whether this is what a person was asked. */
export function isLoopWhy(why: string | null): boolean {
  return why?.endsWith(WORDS) ?? false;
}
