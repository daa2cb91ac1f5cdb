// The service behind policy.* and proc.mode, as types.

import type { Mode, Rule, StandingRule } from "../../abi/policy.ts";
import type { CallContext } from "../define.ts";

export interface ShownRule {
  /** Id of a saved rule, else policy name and number. */
  readonly id: string;
  readonly rule: Rule;
  /** The workspace or directory it holds in; null for everywhere. */
  readonly place: string | null;
  readonly by: string;
  readonly createdAt: number | null;
}

export interface NewRule {
  readonly action: Rule["action"];
  readonly match: string;
  readonly target?: string;
  readonly command?: string;
  readonly path?: string;
  readonly tag?: string;
  readonly place?: string;
}

export interface ExplainRequest {
  readonly command: string;
  readonly target: string;
  readonly cwd?: string;
  readonly network?: boolean;
  readonly pid?: string;
}

export interface ExplainedPart {
  readonly text: string;
  readonly tags: readonly string[];
  readonly action: string;
  readonly by: string;
}

export interface Explained {
  readonly pid: string;
  readonly mode: Mode;
  readonly action: "auto" | "ask" | "deny" | "refuse";
  /** A short description of the outcome. */
  readonly what: string;
  readonly reasons: readonly string[];
  readonly parts: readonly ExplainedPart[];
}

export interface ProcessMode {
  readonly pid: string;
  readonly mode: Mode;
}

export interface PolicyService {
  list(context: CallContext): Promise<{ readonly rules: readonly ShownRule[] }>;
  add(context: CallContext, rule: NewRule): Promise<StandingRule>;
  revoke(context: CallContext, id: string): Promise<{ readonly id: string }>;
  explain(context: CallContext, request: ExplainRequest): Promise<Explained>;
  mode(context: CallContext, pid: string, mode?: Mode): Promise<ProcessMode>;
}
