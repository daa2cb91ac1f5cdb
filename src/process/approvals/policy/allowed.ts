// The rights of a judged call: exactly what the user approved, or what a rule or the mode allows. Pure.

import { normalise } from "../../../../fs/path.ts";
import { keyFiled } from "../../../abi/config/config-key.ts";
import { SysError } from "../../../abi/errno.ts";
import type { Caller } from "../../../abi/identity.ts";
import type { Approval } from "../../../abi/process/process.ts";
import type { CallRow } from "../../../store/process/verbs.ts";
import { SERVER_CALL } from "../../run/tool-servers.ts";
import { changesFile, PLAN_CALL } from "./file-verdict.ts";
import { ATTACHED, isHostFileCall } from "./host-file-verdict.ts";
import { hashOf, type Judged } from "./judge.ts";

export type Seen = Pick<Caller, "approved" | "allowed" | "allowedByRuleOrMode">;

export function seenOf(call: CallRow, judged: Judged, isApproved: boolean): Seen {
  const { filePath, about, allowedByRuleOrMode } = judged;
  if (call.call === "net.fetch" || call.call === SERVER_CALL) return { approved: true };
  if (call.call === PLAN_CALL) return isApproved ? { approved: true } : {};
  if (
    filePath !== null &&
    (isApproved || allowedByRuleOrMode) &&
    (isHostFileCall(call) || filePath.startsWith(ATTACHED))
  )
    return { allowed: filePath };
  const directory = about.directory === null ? {} : { allowed: about.directory };
  if (isApproved && call.call === "shell.exec") return { approved: true, ...directory };
  if (isApproved && filePath !== null && (changesFile(call) || call.call === "fs.delete"))
    return isSetting(call) ? { approved: true } : { allowed: filePath };
  return allowedByRuleOrMode ? { allowedByRuleOrMode: true, ...directory } : {};
}

/** Refuses a call whose link target or file content has changed since the approval. */
export function needSame(approval: Approval, call: CallRow, judged: Judged): void {
  if (approval.hash === hashOf(call, judged)) return;
  const isSame = approval.why.endsWith(judged.what);
  const now = isSame ? "the file has changed since" : `it would now ${judged.what}`;
  throw new SysError("EPERM", `${approval.by} approved something else (${approval.why}): ${now}`, [
    "call it again to ask for a new approval",
  ]);
}

export function editedText({ args }: CallRow, { by }: Approval): string {
  return `(${by} changed this call before it ran, to ${JSON.stringify(args)})\n`;
}

function isSetting(call: CallRow): boolean {
  const { path } = call.args;
  return changesFile(call) && typeof path === "string" && path.startsWith("/") && keyFiled(normalise(path)) !== null;
}
