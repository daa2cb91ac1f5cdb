// The service behind hil.*, as types: what waits for a person, and what a person says to it.

import type { Caller } from "../../abi/identity.ts";
import type { Approval } from "../../abi/process/process.ts";
import type { CallContext } from "../define.ts";

export interface ShownApproval extends Approval {
  /** Its arguments are too long for a list and are cut; asked for alone it is whole. */
  readonly inPart: boolean;
}

export interface Approvals {
  /** Oldest first, one page; with an id that one alone. */
  list(
    caller: Caller,
    query: { readonly after?: string; readonly id?: string },
  ): Promise<{ readonly approvals: readonly ShownApproval[]; readonly next: string | null }>;
  answer(context: CallContext, answer: Answer): Promise<AnsweredApproval>;
}

export interface Answer {
  readonly id: string;
  readonly decision: "approve" | "deny" | "answer";
  /** Why not. */
  readonly message?: string;
  /** What a question is answered with. */
  readonly text?: string;
  /** Checksum of what the person saw: nothing else is answered. */
  readonly hash?: string;
  /** Arguments that the person has changed. */
  readonly args?: { readonly [name: string]: unknown };
  /** Exactly this is not asked again. */
  readonly always?: boolean;
}

export interface AnsweredApproval extends ShownApproval {
  /** The rule that was written. */
  readonly rule?: string;
}
