// Calls of one turn are asked together. If the answer to one adds a rule, or the mode has changed since, the others may need no approval any
// more: they are approved as well, unless their approval grants more than the rule.

import type { Approval } from "../../abi/process/process.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { GivenAnswer } from "../../store/process/approvals.ts";
import { PLAN_CALL } from "./policy/file-verdict.ts";
import { hashOf, type Judge } from "./policy/judge.ts";

export interface CoveredPorts {
  readonly kernel: Pick<KernelStore, "approvals" | "processes">;
  readonly judge: Judge;
}

/** Answers for the open requests of a process that would not be asked now. */
export async function coveredAnswers(
  { kernel, judge }: CoveredPorts,
  { pid, ownerUid }: Pick<ProcessRow, "pid" | "ownerUid">,
): Promise<readonly Pick<GivenAnswer, "approvalId" | "decision">[]> {
  const open = (await kernel.approvals.open({ ownerUid })).filter((each) => each.pid === pid && isCoverable(each));
  const row = open.length === 0 ? null : await kernel.processes.get(pid);
  if (row === null) return [];
  const answers: Pick<GivenAnswer, "approvalId" | "decision">[] = [];
  for (const asked of open) {
    const judged = await judge.judge(row, asked);
    const isSame = hashOf(asked, judged) === asked.hash && (judged.about.grants ?? []).length === 0;
    if (judged.verdict.action === "auto" && isSame) answers.push({ approvalId: asked.id, decision: "approve" });
  }
  return answers;
}

function isCoverable({ kind, call, about }: Approval): boolean {
  return kind === "approval" && call !== PLAN_CALL && about?.again === undefined;
}
