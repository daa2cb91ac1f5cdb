// A command that failed because the sandbox withheld something: its owner is asked whether to run it again with that. Pure.

import { type Grant, grantsText } from "../../abi/grants.ts";
import { type ApprovalAbout, PROFILES_ALONE, type RunAgain } from "../../abi/process/process.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { headAndTail } from "../../lib/text/truncate.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { Execed } from "../../syscalls/run/shell-service.ts";
import type { Seen } from "./policy/allowed.ts";

/** Shown on the card, and to the agent after a denial. */
const OUTPUT_BYTES_MAX = 3 * 1024;
const GRANTS_MAX = 6;

/** null if nobody can be asked, or nobody allowed the command in the first place. In mode yolo nobody wants to be asked. */
export function runAgain(
  row: Pick<ProcessRow, "mode" | "profile">,
  { seen, had, execed }: { readonly seen: Seen; readonly had: readonly Grant[]; readonly execed: Execed },
): RunAgain | null {
  const { withheld = [], exit, output } = execed;
  const isAllowed = seen.approved === true || seen.allowedByRuleOrMode === true;
  const grants = [...had, ...withheld];
  if (withheld.length === 0 || exit === null || !isAllowed || grants.length > GRANTS_MAX) return null;
  if (row.mode === "yolo" || PROFILES_ALONE.includes(row.profile)) return null;
  return { exit, output: headAndTail(output.trimEnd(), OUTPUT_BYTES_MAX).text, withheld: grants };
}

/** No rule covers the second run: it could not carry the grants. */
export function secondRunAbout(about: ApprovalAbout, again: RunAgain): ApprovalAbout {
  const reason = `failed without ${grantsText(again.withheld)}`;
  return { ...about, reasons: [reason], again, once: true };
}

/** The result if the person does not allow the second run. */
export function firstRunOutput({ exit, output }: RunAgain, by: string, said: string | null): string {
  const why = said ? `: ${said}` : "";
  return `${output}\n(exit status ${exit}; ${by} did not allow what the sandbox withheld${why})`;
}

/** Request id of the second run. The same after a restart of the kernel, which then finds the command it started. */
export function secondRunId(dispatchId: string, approvalId: string): string {
  const hex = sha256Hex(`${dispatchId} ${approvalId}`);
  const ends = [0, 8, 12, 16, 20, 32];
  return ends
    .slice(1)
    .map((end, index) => hex.slice(ends[index], end))
    .join("-");
}
