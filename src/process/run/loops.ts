// Detects an agent that repeats the same call without new results in between, and asks its owner. The approval only lets it continue and
// gives the call no further rights.

import { LIMITS } from "../../abi/config/limits.ts";
import type { CallRow, ProcessStore } from "../../store/process/verbs.ts";
import type { Verdict } from "../approvals/policy/file-verdict.ts";

const WORDS = "without new results: it may be stuck in a loop";

/** Only affects calls that would run without asking. */
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

/** Reading on in a running command repeats by design. */
function readsOn({ call, args }: CallRow): boolean {
  return call === "shell.exec" && args.command === undefined;
}

/** True if the person was asked about a loop. */
export function isLoopWhy(why: string | null): boolean {
  return why?.endsWith(WORDS) ?? false;
}
