// The open request with an id, and the usual words for yes and no.

import { SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { ShownApproval } from "../../src/syscalls/approval/hil.ts";

/** null if it is no longer open. */
export async function openApproval(sys: Sys, id: string): Promise<ShownApproval | null> {
  try {
    const { approvals } = await sys.call<{ approvals: readonly ShownApproval[] }>("hil.list", { id });
    return approvals[0] ?? null;
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return null;
    throw error;
  }
}

export function decisionIn(text: string): "approve" | "deny" | null {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, "");
  if (/^(?:approve|allow|yes|y)$/.test(word)) return "approve";
  return /^(?:deny|reject|no|n)$/.test(word) ? "deny" : null;
}
