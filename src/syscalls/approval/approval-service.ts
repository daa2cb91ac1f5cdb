// The service behind hil.*, as types: pending approvals and questions, and answers to them.

import type { Caller } from "../../abi/identity.ts";
import type { Approval } from "../../abi/process/process.ts";
import type { CallContext } from "../define.ts";

export interface ShownApproval extends Approval {
  /** The arguments are cut to fit a list. Asked for by id, the approval is complete. */
  readonly inPart: boolean;
}

export interface Approvals {
  /** Oldest first, one page; with an id, only that one. */
  list(
    caller: Caller,
    query: { readonly after?: string; readonly id?: string },
  ): Promise<{ readonly approvals: readonly ShownApproval[]; readonly next: string | null }>;
  answer(context: CallContext, answer: Answer): Promise<AnsweredApproval>;
}

export interface Answer {
  readonly id: string;
  readonly decision: "approve" | "deny" | "answer";
  /** The reason for a denial. */
  readonly message?: string;
  /** The answer to a question. */
  readonly text?: string;
  /** Checksum of what the person saw. The answer is refused if the request has changed since. */
  readonly hash?: string;
  /** Arguments as edited by the person. */
  readonly args?: { readonly [name: string]: unknown };
  /** Do not ask for exactly this call again. */
  readonly always?: boolean;
}

export interface AnsweredApproval extends ShownApproval {
  /** Id of the new rule. */
  readonly rule?: string;
}
