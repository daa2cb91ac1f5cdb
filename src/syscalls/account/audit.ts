// audit.*: refused calls and privileged calls. Everyone reads the rows about themselves and their agents; root reads all.

import { field, syscall } from "../define.ts";
import type { AuditEntry, AuditLog } from "./account-service.ts";

export const auditCalls = [
  syscall({
    name: "audit.list",
    summary: "Print refused and privileged calls",
    class: "read",
    by: "person",
    input: {
      denied: field.flag("only refused or failed calls"),
      since: field.optional(
        field.text("only since: today, 30m, 2h, 7d, a date or a time", { longest: 40, meta: "WHEN" }),
      ),
      limit: field.withDefault(field.int("maximum number of calls", { min: 1, max: 1000, meta: "N" }), 100),
    },
    cli: {
      hidden: true,
      print: {
        kind: "list",
        rows: (result: { entries: readonly AuditEntry[] }) => result.entries,
        line: (row: AuditEntry, when) =>
          `${when(row.at)} ${row.account}${row.pid === null ? "" : ` ${row.pid}`} ${row.call} ${row.outcome}${
            row.detail === "" ? "" : `: ${row.detail}`
          }`,
        isWrapped: true,
        empty: "(no refused or privileged calls)",
      },
    },
    run: ({ audit }: { audit: AuditLog }, args, context) =>
      audit.list(context, { ...args, denied: args.denied === true }),
  }),
] as const;
