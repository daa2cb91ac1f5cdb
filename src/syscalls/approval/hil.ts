// hil.*: what waits for a person. An agent asks, only a person answers, and every attached client sees who did.

import { SysError } from "../../abi/errno.ts";
import type { Approval } from "../../abi/process/process.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { field, syscall } from "../define.ts";
import askText from "../tools/ask.md" with { type: "text" };
import type { AnsweredApproval, Approvals, ShownApproval } from "./approval-service.ts";

interface Listed {
  readonly approvals: readonly ShownApproval[];
}

/** Nobody should approve what they have not seen. */
function partsText(approvals: readonly ShownApproval[]): string | null {
  const said = approvals.flatMap(({ id, inPart }) =>
    inPart ? [`${id} is too long for a list and shown in part: gsv approvals ${id} shows all of it`] : [],
  );
  return said.length === 0 ? null : said.join("; ");
}

const id = field.text("the approval or question", { positional: true, longest: 16, meta: "ID", of: "approval" });

export const hilCalls = [
  syscall({
    name: "hil.list",
    summary: "List what waits for your approval or answer",
    class: "read",
    input: {
      id: field.optional({ ...id, doc: "only this one, with all of it" }),
      after: field.optional(field.text("where the page before ended", { longest: 100, hide: "both" })),
    },
    cli: {
      examples: ["gsv approvals", "gsv approvals k3x9", "gsv approvals --json"],
      print: {
        kind: "table",
        rows: (result: Listed) => result.approvals,
        cut: ({ approvals }: Listed) => partsText(approvals),
        empty: "(nothing waits for you)",
        pages: { rows: "approvals", next: "next", argument: "after" },
        columns: [
          { head: "ID", cell: (row: Approval) => row.id },
          { head: "PID", cell: (row: Approval) => row.pid },
          { head: "TOOL", cell: (row: Approval) => row.tool },
          { head: "AGE", since: (row: Approval) => row.createdAt, align: "right" },
          { head: "WHAT", cell: (row: Approval) => row.why, below: true },
          { head: "ARGUMENTS", cell: (row: Approval) => JSON.stringify(row.args), below: true },
        ],
      },
    },
    run: ({ approvals }: { approvals: Approvals }, args, { caller }) => approvals.list(caller, args),
  }),

  syscall({
    name: "hil.answer",
    summary: "Approve or deny what a process asked for, or answer its question",
    class: "keyed",
    by: "person",
    input: {
      id,
      decision: field.choice("your decision", ["approve", "deny", "answer"], {
        positional: true,
        meta: "approve|deny|answer",
      }),
      text: field.optional(field.text("what a question is answered with", { positional: true, longest: 8192 })),
      message: field.optional(field.text("with deny: why, for the agent to read", { letter: "m", longest: 8192 })),
      always: field.flag("with approve: let exactly this run without asking from now on"),
      hash: field.optional(field.text("checksum of what was seen", { longest: 64, hide: "cli" })),
      args: field.optional(field.object("with approve: arguments in the place of those asked for", { hide: "cli" })),
    },
    cli: {
      examples: [
        "gsv hil answer k3x9 approve",
        "gsv hil answer k3x9 deny -m 'keep the drafts'",
        "gsv hil answer q7ab answer yes",
      ],
      print: { kind: "value", text: (row: AnsweredApproval) => answeredText(row) },
    },
    run: ({ approvals }: { approvals: Approvals }, args, context) => approvals.answer(context, args),
  }),

  syscall({
    name: "hil.ask",
    summary: "Ask the owner of the process something and wait for the answer",
    class: "keyed",
    input: {
      question: field.text("one question", { positional: true, shortest: 1, longest: 4000, meta: "QUESTION" }),
      choices: field.optional(field.words("answers to choose from; any text when left out", { longest: 8192 })),
      default: field.optional(field.text("what counts when nobody answers in time", { longest: 1000 })),
      timeoutSeconds: field.optional(field.int("how long to wait", { min: 1, max: 30 * 86_400 })),
    },
    tool: { name: "Ask", repeat: "effect", description: askText },
    cli: { hidden: true, examples: [], print: { kind: "silent" } },
    // The call never gets here: a question is stored and waits, and its result is the answer.
    run: async () => {
      throw new SysError("EINVAL", "an agent asks with its tool Ask");
    },
  }),
] as const;

function answeredText({ id, kind, decision, tool, pid, said, rule, edited }: AnsweredApproval): string {
  if (kind === "question") return `answered ${id} of ${pid}: ${reveal(said ?? "")}`;
  const done = decision === "approve" ? (edited ? "approved, changed," : "approved") : "denied";
  const standing = rule === undefined ? "" : `; not asked again: gsv policy revoke ${rule} takes that back`;
  return `${done} ${id}: ${tool} of ${pid}${standing}`;
}
