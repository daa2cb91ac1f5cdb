// What is stored when a person is asked, and when they answer. Types only.

import type { Approval, DecisionWord } from "../../abi/process/process.ts";

export interface AskRequest extends Pick<Approval, "kind" | "why" | "about" | "hash" | "expiresAt"> {
  readonly dispatchId: string;
  readonly approvalId: string;
  readonly now: number;
}

export interface GivenAnswer {
  readonly approvalId: string;
  readonly decision: Exclude<DecisionWord, "withdrawn">;
  readonly by: string;
  readonly now: number;
  /** Why not, or what was answered. */
  readonly said?: string | null;
  /** How the call ends by it: not when it is approved, and then runs. */
  readonly output?: string;
  /** With an approval: another call in the place of the one that was asked for. */
  readonly instead?: Pick<Approval, "args" | "hash">;
}
