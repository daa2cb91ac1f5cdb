// The service behind proc.budget. The new limits and the answer are one transaction; then runs that waited for the budget resume.

import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import { budgetText, budgetWritten, usedText } from "../../abi/process/budget.ts";
import type { ReceiptContext } from "../../kernel/dispatch.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import { budgetsShown } from "../../kernel/spending.ts";
import type { Clock } from "../../lib/clock.ts";
import type { BudgetRow } from "../../store/kernel/processes/budgets.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { BudgetChanged, BudgetService } from "../../syscalls/system/spending.ts";
import type { Budgets } from "./budgets.ts";

export interface BudgetServicePorts {
  readonly kernel: KernelStore;
  readonly budgets: Budgets;
  readonly clock: Clock;
}

export function budgetService({ kernel, budgets, clock }: BudgetServicePorts): BudgetService {
  return {
    ...budgetsShown({ kernel, clock }),

    async change(context: ReceiptContext, { pid, budget }) {
      const ownerUid = await ownerOf(kernel, context.caller, pid);
      const written = budgetWritten(budget);
      const row = await kernel.budgets.change(pid, written, {
        now: clock.now(),
        request: (after) => context.receipt?.(answerOf(pid, after)) ?? null,
      });
      await budgets.resumeAllowed(ownerUid);
      return answerOf(pid, row);
    },
  };
}

function answerOf(pid: string, row: BudgetRow | null): BudgetChanged {
  if (row === null) return { pid, budget: null, used: null };
  return { pid, budget: budgetText(row.limits), used: usedText(row.limits, row.used) };
}

/** A budget outlives its process: other processes may still spend from it. */
async function ownerOf(kernel: KernelStore, caller: Caller, pid: string): Promise<number> {
  try {
    return (await visibleProcess(kernel, caller, pid)).ownerUid;
  } catch (error) {
    const left = await kernel.budgets.of(pid);
    const isMine = left !== null && (left.ownerUid === caller.ownerUid || isRoot(caller));
    if (!(error instanceof SysError) || left === null || !isMine) throw error;
    return left.ownerUid;
  }
}
