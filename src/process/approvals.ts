// The service behind hil.*: what waits for a person, and the answer. The first answer decides; whoever answers later the same way is told
// that it stands, whoever answers otherwise is told who decided.

import { SysError } from "../abi/errno.ts";
import { type Caller, isRoot } from "../abi/identity.ts";
import { LIMITS } from "../abi/limits.ts";
import type { Approval } from "../abi/process.ts";
import { nextPlace, placeOf } from "../kernel/pages.ts";
import type { Clock } from "../lib/clock.ts";
import { fitting, objectWithin } from "../lib/fitting.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { Approvals, ShownApproval } from "../syscalls/services.ts";
import type { Ledger } from "./ledger.ts";
import type { Runners } from "./runners.ts";

/** Of the arguments of one call, where they are shown; what runs is always the whole. */
const ARGS_BYTES_MAX = 32 * 1024;
const PAGE_ROWS = 100;

export function approvalsList(kernel: KernelStore): Pick<Approvals, "list"> {
  return {
    async list(caller, { after, id }) {
      if (id !== undefined) {
        const { approval } = await visibleApproval(kernel, caller, id);
        if (approval.decision !== null) throw noSuchApproval(id);
        return { approvals: [shownApproval(approval, LIMITS.answerBytesMax)], next: null };
      }
      const owner = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
      const rows = await kernel.approvals.open({ ...owner, ...placeOf(after), limit: PAGE_ROWS });
      const approvals = fitting(
        rows.map((row) => shownApproval(row)),
        LIMITS.answerBytesMax,
      );
      return {
        approvals,
        next: nextPlace(approvals.at(-1), approvals.length < rows.length || rows.length === PAGE_ROWS),
      };
    },
  };
}

/** As it fits a list. */
export function shownApproval(approval: Approval, argsBytesMax = ARGS_BYTES_MAX): ShownApproval {
  const args = objectWithin(approval.args, argsBytesMax);
  return { ...approval, args, inPart: args !== approval.args };
}

async function visibleApproval(kernel: KernelStore, caller: Caller, id: string) {
  const found = await kernel.approvals.find(id);
  if (found === null || (found.ownerUid !== caller.ownerUid && !isRoot(caller))) throw noSuchApproval(id);
  return found;
}

export interface ApprovalPorts {
  readonly kernel: KernelStore;
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly runners: Runners;
  readonly clock: Clock;
}

export function approvalsService({ kernel, store, ledger, runners, clock }: ApprovalPorts): Approvals {
  return {
    ...approvalsList(kernel),

    async answer({ caller }, id, decision) {
      const found = await visibleApproval(kernel, caller, id);
      if (found.approval.decision !== null) return shownApproval(settled(found.approval, decision));
      const row = await kernel.processes.get(found.approval.pid);
      if (row === null || row.phase !== "live") throw noSuchApproval(id);
      const given = { approvalId: id, decision, by: caller.username, now: clock.now() };
      const answered = await ledger.write(row, async () => {
        const outcome = await store.answer(row.pid, given);
        try {
          await ledger.publish(row);
        } finally {
          runners.wake(row.pid);
        }
        return outcome;
      });
      if (!answered.ok || answered.value === null) throw noSuchApproval(id);
      return shownApproval(settled(answered.value, decision));
    },
  };
}

function settled(approval: Approval, decision: "approve" | "deny"): Approval {
  if (approval.decision === decision) return approval;
  if (approval.decision === "withdrawn")
    throw new SysError("ECONFLICT", `${approval.id} is withdrawn: the run it belonged to is over`);
  const done = approval.decision === "approve" ? "approved" : "denied";
  throw new SysError("ECONFLICT", `${approval.id} was already ${done} by ${approval.by}`);
}

function noSuchApproval(id: string): SysError {
  return new SysError("ENOENT", `no such approval: ${id}`, ["gsv approvals shows what waits for you"]);
}
