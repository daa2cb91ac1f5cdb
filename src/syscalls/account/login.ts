// sys.login.*: the logins over the network, and the one-time codes by which a browser enters.

import { reveal } from "../../lib/text/sanitize.ts";
import { type CallContext, field, syscall, value } from "../define.ts";
import type { TokenInfo } from "./account-service.ts";

export interface LoginInfo {
  readonly id: string;
  readonly account: string;
  readonly kind: TokenInfo["kind"];
  readonly label: string | null;
  /** What the client calls itself, and its address, at its last use. */
  readonly client: string | null;
  readonly address: string | null;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  /** The login of the caller. */
  readonly current: boolean;
}

export interface EntryCode {
  readonly code: string;
  readonly url: string;
  readonly expiresAt: number;
}

export interface LoginsService {
  list(context: Pick<CallContext, "caller" | "client">): Promise<{ readonly logins: readonly LoginInfo[] }>;
  /** Without an id: the login of the caller. Its open connections end at once. */
  revoke(context: CallContext, request: { readonly id?: string }): Promise<{ readonly id: string }>;
  code(context: CallContext): Promise<EntryCode>;
}

export const loginCalls = [
  syscall({
    name: "sys.login.list",
    summary: "List your logins over the network (root: all)",
    class: "read",
    by: "person",
    capability: "sys.token.list",
    input: {},
    cli: {
      hidden: true,
      examples: ["gsv login list"],
      print: {
        kind: "table",
        rows: (result: { logins: readonly LoginInfo[] }) => result.logins,
        empty: "(no logins)",
        columns: [
          { head: "ID", cell: (row: LoginInfo) => row.id },
          { head: "ACCOUNT", minor: 3, cell: (row: LoginInfo) => row.account },
          { head: "KIND", cell: (row: LoginInfo) => row.kind },
          { head: "ADDRESS", cell: (row: LoginInfo) => row.address ?? "-" },
          { head: "SINCE", minor: 2, cell: (row: LoginInfo) => timeText(row.createdAt) },
          { head: "USED", minor: 1, cell: (row: LoginInfo) => timeText(row.lastUsedAt) },
          { head: "CLIENT", cell: (row: LoginInfo) => reveal(row.label ?? row.client ?? "-"), shrink: true },
        ],
      },
    },
    run: ({ logins }: { logins: LoginsService }, _args, context) => logins.list(context),
  }),

  syscall({
    name: "sys.login.revoke",
    summary: "End a login over the network at once",
    class: "keyed",
    by: "person",
    capability: "sys.token.revoke",
    input: {
      id: field.optional(field.uuid("login (default: your own)", { positional: true, meta: "ID" })),
    },
    cli: {
      hidden: true,
      examples: ["gsv login revoke 0190a1b2-0000-7000-8000-000000000001"],
      print: value(({ id }: { id: string }) => `ended ${id}`),
    },
    run: ({ logins }: { logins: LoginsService }, args, context) => logins.revoke(context, args),
  }),

  syscall({
    name: "sys.login.code",
    summary: "Print a one-time link for a browser",
    // The answer is never stored. A repeated request gives another code.
    class: "keyed",
    once: "verb",
    by: "person",
    capability: "sys.token.create",
    input: {},
    cli: { hidden: true, print: value(({ url }: EntryCode) => url) },
    run: ({ logins }: { logins: LoginsService }, _args, context) => logins.code(context),
  }),
] as const;

function timeText(at: number | null): string {
  return at === null ? "-" : new Date(at).toISOString();
}
