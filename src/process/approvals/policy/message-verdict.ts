// The default verdict on a message of an agent to another process. An agent must not act through a process that may do
// more than itself: a message to such a process needs an approval. Pure.

import { MODES, modeText } from "../../../abi/policy.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { Verdict } from "./file-verdict.ts";

export type Party = Pick<ProcessRow, "pid" | "uid" | "mode" | "dropped" | "workspaceId">;

export const MESSAGE_CALLS: readonly (string | null)[] = ["proc.ipc.send", "proc.ipc.call"];

/** `to`: null if there is no such process, which the call itself reports. */
export function messageVerdict(from: Party, to: Party | null): Verdict {
  const why = to === null ? null : moreOf(from, to);
  return why === null ? { action: "auto" } : { action: "ask", why: `message ${to?.pid}, which ${why}` };
}

/** What the other process may do that this one may not. */
function moreOf(from: Party, to: Party): string | null {
  if (to.uid !== from.uid) return "acts as another account";
  if (MODES.indexOf(to.mode) > MODES.indexOf(from.mode)) return `is in mode ${modeText(to.mode)}`;
  const missing = from.dropped.filter((capability) => !to.dropped.includes(capability));
  if (missing.length > 0) return `may use ${missing.join(", ")}`;
  const isFree = MODES.indexOf(to.mode) > MODES.indexOf("ask");
  if (isFree && to.workspaceId !== null && to.workspaceId !== from.workspaceId) return "changes another workspace";
  return null;
}
