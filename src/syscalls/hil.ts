// hil.*: what waits for a person. Only a person answers; every attached client sees who did.

import type { Approval } from "../abi/process.ts";
import { field, syscall } from "./define.ts";
import type { Approvals, ShownApproval } from "./services.ts";

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

export const hilCalls = [
  syscall({
    name: "hil.list",
    summary: "List what waits for your approval",
    class: "read",
    input: {
      id: field.optional(
        field.text("only this one, with all of its arguments", {
          positional: true,
          longest: 16,
          meta: "ID",
          of: "approval",
        }),
      ),
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
          { head: "WHY", cell: (row: Approval) => row.why, below: true },
          { head: "ARGUMENTS", cell: (row: Approval) => JSON.stringify(row.args), below: true },
        ],
      },
    },
    run: ({ approvals }: { approvals: Approvals }, args, { caller }) => approvals.list(caller, args),
  }),

  syscall({
    name: "hil.answer",
    summary: "Approve or deny what a process asked for",
    class: "keyed",
    by: "person",
    input: {
      id: field.text("the approval", { positional: true, longest: 16, meta: "ID", of: "approval" }),
      decision: field.choice("your answer", ["approve", "deny"], { positional: true, meta: "approve|deny" }),
    },
    cli: {
      examples: ["gsv approve k3x9", "gsv deny k3x9"],
      print: {
        kind: "value",
        text: (row: Approval) =>
          `${row.decision === "approve" ? "approved" : "denied"} ${row.id}: ${row.tool} of ${row.pid}`,
      },
    },
    run: ({ approvals }: { approvals: Approvals }, args, context) => approvals.answer(context, args.id, args.decision),
  }),
] as const;
