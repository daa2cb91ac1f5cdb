// audit.*: what was refused, and what was done by those who may do more. Everyone reads what concerns them; root reads all.

import { field, syscall } from "../define.ts";
import type { AuditEntry, AuditLog } from "./account-service.ts";

export const auditCalls = [
  syscall({
    name: "audit.list",
    summary: "Print refused and privileged calls, yours and your agents'; root prints all",
    class: "read",
    by: "person",
    input: {
      denied: field.flag("only what was refused or failed"),
      since: field.optional(
        field.text("only since today, 30m, 2h, 7d, a day or an instant", { longest: 40, meta: "WHEN" }),
      ),
      limit: field.withDefault(field.int("at most the N newest", { min: 1, max: 1000, meta: "N" }), 100),
    },
    cli: {
      hidden: true,
      examples: ["gsv audit", "gsv audit --denied --since 2h", "gsv audit --limit 20 --json"],
      print: {
        kind: "list",
        rows: (result: { entries: readonly AuditEntry[] }) => result.entries,
        line: (row: AuditEntry) =>
          `${new Date(row.at).toISOString()} ${row.account}${row.pid === null ? "" : ` ${row.pid}`} ${row.call} ${row.outcome}${
            row.detail === "" ? "" : `: ${row.detail}`
          }`,
        empty: "(nothing was refused, and nothing privileged was done)",
      },
    },
    run: ({ audit }: { audit: AuditLog }, args, context) =>
      audit.list(context, { ...args, denied: args.denied === true }),
  }),
] as const;
