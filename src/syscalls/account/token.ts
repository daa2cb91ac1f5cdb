// sys.token.*: login tokens for scripts, devices and services. A token is shown once, when it is created.

import { field, syscall, value } from "../define.ts";
import type { TokenInfo, Tokens } from "./account-service.ts";

type Created = TokenInfo & { readonly token: string };

export const tokenCalls = [
  syscall({
    name: "sys.token.create",
    summary: "Create a token and print it once",
    // The answer is never stored. A repeated request gives the same token a new secret.
    class: "keyed",
    once: "verb",
    by: "person",
    input: {
      kind: field.withDefault(
        field.choice("kind of token", ["user", "node", "service", "metrics"], { meta: "KIND" }),
        "user",
      ),
      role: field.optional(
        field.choice("role of the connection; each kind has one", ["user", "driver", "service", "metrics"], {
          meta: "ROLE",
        }),
      ),
      label: field.optional(field.text("label", { longest: 200, meta: "TEXT" })),
      device: field.optional(field.text("device it is for (kind node)", { longest: 128, meta: "DEVICE" })),
      allow: field.optional(
        field.text("limit to capabilities, such as proc.list,fs.* (default: all of yours)", {
          longest: 2000,
          meta: "CAPS",
        }),
      ),
      expires: field.optional(
        field.text("time until it expires, such as 30m, 8h, 7d (default: never)", { longest: 16, meta: "SPAN" }),
      ),
    },
    cli: {
      hidden: true,
      examples: [
        "gsv auth token create --label backup --expires 30d",
        "gsv auth token create --allow proc.list,proc.history --label dashboard",
        "gsv auth token create --kind node --device laptop",
      ],
      print: value((made: Created) => made.token),
    },
    run: ({ tokens }: { tokens: Tokens }, args, context) => tokens.create(context, args),
  }),

  syscall({
    name: "sys.token.list",
    summary: "List your tokens (root: all)",
    class: "read",
    by: "person",
    input: {},
    cli: {
      hidden: true,
      examples: ["gsv auth token list"],
      print: {
        kind: "table",
        rows: (result: { tokens: readonly TokenInfo[] }) => result.tokens,
        empty: "(no tokens)",
        columns: [
          { head: "ID", cell: (row: TokenInfo) => row.id },
          { head: "BEGINS", minor: 2, cell: (row: TokenInfo) => row.prefix },
          { head: "ACCOUNT", minor: 1, cell: (row: TokenInfo) => row.account },
          { head: "KIND", cell: (row: TokenInfo) => row.kind },
          { head: "STATE", cell: (row: TokenInfo) => row.state },
          { head: "ALLOWED", minor: 1, cell: (row: TokenInfo) => row.allow?.join(",") ?? "all", shrink: true },
          { head: "EXPIRES", cell: (row: TokenInfo) => timeText(row.expiresAt, "never") },
          { head: "USED", minor: 3, cell: (row: TokenInfo) => timeText(row.lastUsedAt, "-") },
          { head: "LABEL", cell: (row: TokenInfo) => row.label ?? "-", shrink: true },
        ],
      },
    },
    run: ({ tokens }: { tokens: Tokens }, _args, { caller }) => tokens.list(caller),
  }),

  syscall({
    name: "sys.token.revoke",
    summary: "Revoke a token",
    class: "keyed",
    by: "person",
    input: {
      id: field.uuid("token id", { positional: true, meta: "ID" }),
      reason: field.optional(field.text("why", { longest: 200, meta: "TEXT" })),
    },
    cli: {
      hidden: true,
      examples: ["gsv auth token revoke 0190a1b2-0000-7000-8000-000000000001 --reason lost"],
      print: value((row: TokenInfo) => `revoked ${row.id} (${row.prefix}…)`),
    },
    run: ({ tokens }: { tokens: Tokens }, args, context) => tokens.revoke(context, args),
  }),
] as const;

function timeText(at: number | null, none: string): string {
  return at === null ? none : new Date(at).toISOString();
}
