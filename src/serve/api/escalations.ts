// Pending approvals as the escalation queue of a process manager, and the health of the kernel.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import type { ShownApproval } from "../../syscalls/approval/hil.ts";
import type { KernelStatus } from "../../syscalls/services.ts";
import type { SessionLine } from "../../syscalls/session/session-service.ts";
import type { Visit } from "../route.ts";
import { answered } from "./calling.ts";

/** Oldest first. Questions are no escalations: `hil.list` has them. */
export function escalations(visit: Visit): Promise<Response> {
  return answered(visit, async ({ read }) => {
    const { sessions } = await read<{ sessions: readonly SessionLine[] }>("session.list", {
      limit: LIMITS.listPageMax,
    });
    const sessionOf = new Map(sessions.map(({ pid, id }) => [pid, id]));
    const rows: ShownApproval[] = [];
    let after: string | null = null;
    do {
      const page: { approvals: readonly ShownApproval[]; next: string | null } = await read("hil.list", {
        ...(after !== null && { after }),
      });
      rows.push(...page.approvals.filter(({ kind }) => kind === "approval"));
      after = page.next;
    } while (after !== null && rows.length < LIMITS.listPageMax);
    return rows.map(({ id, pid, tool, args, hash, createdAt }) => ({
      ...{ id, sessionId: sessionOf.get(pid) ?? null, pid, toolName: tool, toolInput: args, hash },
      ...{ status: "pending", createdAt: new Date(createdAt).toISOString(), resolvedAt: null },
    }));
  });
}

export async function resolveEscalation(visit: Visit): Promise<Response> {
  const { approved, message, hash } = await visit.object();
  if (typeof approved !== "boolean") throw new SysError("EINVAL", "approved must be true or false");
  return await answered(visit, async ({ change }) => {
    const decision = approved ? "approve" : "deny";
    await change("hil.answer", { id: visit.params.id ?? "", decision, message, hash });
    return { ok: true };
  });
}

export function health(visit: Visit): Promise<Response> {
  return answered(visit, async ({ read }) => {
    const { version, startedAt, clients, processes, working } = await read<KernelStatus>("system.status", {});
    const since = startedAt === null ? null : new Date(startedAt).toISOString();
    return { status: "ok", version, startedAt: since, clients, processes, working };
  });
}
