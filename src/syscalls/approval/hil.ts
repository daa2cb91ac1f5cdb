// hil.*: pending approvals and questions. Agents ask, only people answer, and every attached client sees the answer.

import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { MODE_ALIASES, modeText } from "../../abi/policy.ts";
import type { Approval } from "../../abi/process/process.ts";
import { processName } from "../../abi/process/process-name.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { type CallContext, field, syscall, value } from "../define.ts";
import askText from "../tools/ask.md" with { type: "text" };
import planText from "../tools/plan.md" with { type: "text" };
import type { PolicyService, ProcessMode } from "./policy.ts";

export interface ShownApproval extends Approval {
  /** The arguments are cut to fit a list. Asked for by id, the approval is complete. */
  readonly inPart: boolean;
  /** Of the process; only in a list. */
  readonly label?: string | null;
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
  /** With `always`: allow all that this covers, such as `npm install *`. */
  readonly pattern?: string;
  /** With the approval of a plan: the mode to continue in. Default: ask. */
  readonly mode?: PlanMode;
}

/** The modes in which a process may carry out its plan. */
export const PLAN_MODES = ["ask", "accept-edits"] as const;
export type PlanMode = (typeof PLAN_MODES)[number];

export interface AnsweredApproval extends ShownApproval {
  /** Id of the new rule. */
  readonly rule?: string;
}

interface Listed {
  readonly approvals: readonly ShownApproval[];
}

interface ListedRow extends ShownApproval {
  readonly process: string;
}

function rowsOf({ approvals }: Listed): readonly ListedRow[] {
  const processes = approvals.map(({ pid, label = null }) => ({ pid, label }));
  return approvals.map((each, at) => ({ ...each, process: processName(processes[at]!, processes) }));
}

function whatText({ why, about }: Approval): string {
  return [why, ...(about?.dangers ?? [])].join("; ");
}

/** A person must not approve what is not fully shown. */
function partsText(approvals: readonly ShownApproval[]): string | null {
  const said = approvals.flatMap(({ id, inPart }) =>
    inPart ? [`${id} is cut; see all of it: gsv approvals ${id}`] : [],
  );
  return said.length === 0 ? null : said.join("; ");
}

const id = field.text("the approval or question", { positional: true, longest: 16, meta: "ID", of: "approval" });

export const hilCalls = [
  syscall({
    name: "hil.list",
    summary: "List pending approvals and questions",
    class: "read",
    input: {
      id: field.optional({ ...id, doc: "only this one, in full" }),
      after: field.optional(field.text("cursor of the next page", { longest: 100, hide: "both" })),
    },
    cli: {
      examples: ["gsv approvals", "gsv approvals k3x9", "gsv approvals --json"],
      print: {
        kind: "table",
        rows: rowsOf,
        cut: ({ approvals }: Listed) => partsText(approvals),
        empty: "(nothing pending)",
        pages: { rows: "approvals", next: "next", argument: "after" },
        columns: [
          { head: "ID", cell: (row: Approval) => row.id },
          { head: "PROCESS", cell: (row: ListedRow) => row.process },
          { head: "TOOL", cell: (row: ListedRow) => row.tool },
          { head: "AGE", since: (row: ListedRow) => row.createdAt, align: "right" },
          { head: "WHAT", cell: whatText, below: true },
          { head: "ARGUMENTS", cell: (row: ListedRow) => JSON.stringify(row.args), below: true },
        ],
      },
    },
    run: ({ approvals }: { approvals: Approvals }, args, { caller }) => approvals.list(caller, args),
  }),

  syscall({
    name: "hil.answer",
    summary: "Approve, deny or answer a request",
    class: "keyed",
    once: "verb",
    by: "person",
    input: {
      id,
      decision: field.choice("decision", ["approve", "deny", "answer"], {
        positional: true,
        meta: "approve|deny|answer",
      }),
      text: field.optional(field.text("answer to a question", { positional: true, longest: 8192 })),
      message: field.optional(field.text("with deny: reason, shown to the agent", { letter: "m", longest: 8192 })),
      always: field.flag("with approve: always allow exactly this call"),
      pattern: field.optional(
        field.text("with always: allow what this covers, like 'npm install *'", { longest: 2000 }),
      ),
      mode: field.optional(
        field.choice("with a plan: mode to continue in (default ask)", PLAN_MODES, { aliases: MODE_ALIASES }),
      ),
      hash: field.optional(field.text("checksum of the request you saw", { longest: 64, hide: "cli" })),
      args: field.optional(field.object("with approve: edited arguments", { hide: "cli" })),
    },
    cli: {
      examples: [
        "gsv hil answer k3x9 approve",
        "gsv hil answer k3x9 deny -m 'keep the drafts'",
        "gsv hil answer q7ab answer yes",
      ],
      print: value(answeredText),
    },
    run: ({ approvals }: { approvals: Approvals }, args, context) => approvals.answer(context, args),
  }),

  syscall({
    name: "hil.ask",
    summary: "Ask the owner a question and wait",
    class: "keyed",
    once: "verb",
    input: {
      question: field.text("one question", { positional: true, shortest: 1, longest: 4000, meta: "QUESTION" }),
      choices: field.optional(field.words("answers to choose from (default: free text)", { longest: 8192 })),
      default: field.optional(field.text("answer if nobody replies in time", { longest: 1000 })),
      timeoutSeconds: field.optional(field.int("seconds to wait", { min: 1, max: 30 * 86_400 })),
    },
    tool: { name: "Ask", repeat: "effect", description: askText },
    // Never reached: a question is stored, and its answer becomes the result of the call.
    run: async () => {
      throw new SysError("EINVAL", "only agents ask questions, with the tool Ask");
    },
  }),

  syscall({
    name: "hil.plan",
    summary: "Present a plan and wait for the answer",
    class: "keyed",
    by: "approved",
    input: {
      plan: field.text("the steps, with their files and commands", {
        positional: true,
        shortest: 1,
        longest: 16 * 1024,
        meta: "PLAN",
      }),
    },
    tool: { name: "Plan", repeat: "read", description: planText, mode: "plan" },
    cli: { hidden: true, examples: [], print: value(acceptedText) },
    run: ({ policy }: { policy: PolicyService }, _args, context) => policy.planAccepted(context),
  }),
] as const;

function acceptedText({ mode }: ProcessMode): string {
  return `The user accepted the plan. Mode is now ${modeText(mode)}: carry the plan out.`;
}

function answeredText({ id, kind, decision, tool, pid, said, rule, edited }: AnsweredApproval): string {
  if (kind === "question") return `answered ${id} of ${pid}: ${reveal(said ?? "")}`;
  const done = decision === "approve" ? (edited ? "approved, changed," : "approved") : "denied";
  const standing = rule === undefined ? "" : `; always allowed from now on (undo: gsv policy rm ${rule})`;
  return `${done} ${id}: ${tool} of ${pid}${standing}`;
}
