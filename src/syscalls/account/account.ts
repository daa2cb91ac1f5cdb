// account.*: humans and agents. Only people change them; the service decides who may change which. Passwords are never shown.

import { field, syscall, value } from "../define.ts";
import type { AccountInfo, Accounts, RemovedAccount } from "./account-service.ts";

const name = field.text("the account", { positional: true, shortest: 1, longest: 32, meta: "NAME" });
const comment = field.optional(field.text("comment", { longest: 200, meta: "TEXT" }));

function addedText({ username, uid, kind }: AccountInfo): string {
  const next = kind === "human" ? `; it has no password yet: gsv passwd ${username} --user root` : "";
  return `added ${username} (uid ${uid}, ${kind})${next}`;
}

export const accountCalls = [
  syscall({
    name: "account.list",
    summary: "List your account and agents (root: all)",
    class: "read",
    input: {},
    cli: {
      hidden: true,
      examples: ["gsv user list", "gsv user list --json"],
      print: {
        kind: "table",
        rows: (result: { accounts: readonly AccountInfo[] }) => result.accounts,
        empty: "(no accounts)",
        columns: [
          { head: "NAME", cell: (row: AccountInfo) => row.username },
          { head: "UID", cell: (row: AccountInfo) => String(row.uid), align: "right" },
          { head: "KIND", cell: (row: AccountInfo) => row.kind },
          { head: "OWNER", minor: 1, cell: (row: AccountInfo) => row.owner ?? "-" },
          { head: "STATE", cell: (row: AccountInfo) => stateOf(row) },
          { head: "GROUPS", minor: 2, cell: (row: AccountInfo) => row.groups.join(","), shrink: true },
          { head: "COMMENT", minor: 3, cell: (row: AccountInfo) => row.comment || "-", shrink: true },
        ],
      },
    },
    run: ({ accounts }: { accounts: Accounts }, _args, { caller }) => accounts.list(caller),
  }),

  syscall({
    name: "account.create",
    summary: "Add a human (root) or an agent",
    class: "keyed",
    by: "person",
    input: {
      username: name,
      agent: field.flag("create an agent, for processes to act as"),
      system: field.flag("create an agent without an owner (root)"),
      owner: field.optional(
        field.text("owner of the agent (default: you; others need root)", { longest: 32, meta: "NAME" }),
      ),
      comment,
    },
    cli: {
      hidden: true,
      examples: ["gsv user add bob --user root", 'gsv user add scout --agent --comment "reads the news"'],
      print: value(addedText),
    },
    run: ({ accounts }: { accounts: Accounts }, args, context) =>
      accounts.create(context, { ...args, agent: args.agent === true, system: args.system === true }),
  }),

  syscall({
    name: "account.update",
    summary: "Change, lock or unlock an account",
    class: "keyed",
    by: "person",
    input: {
      username: name,
      comment,
      lock: field.flag("lock it: no login, no calls of its processes"),
      unlock: field.flag("unlock it"),
    },
    cli: {
      hidden: true,
      examples: ["gsv user mod bob --lock --user root", 'gsv user mod scout --comment "reads the news"'],
      print: value((row: AccountInfo) => `${row.username}: ${stateOf(row)}`),
    },
    run: ({ accounts }: { accounts: Accounts }, args, context) =>
      accounts.update(context, { ...args, lock: args.lock === true, unlock: args.unlock === true }),
  }),

  syscall({
    name: "account.remove",
    summary: "Remove an account, but not its files",
    class: "keyed",
    by: "person",
    input: { username: name, force: field.flag("archive and end its processes first") },
    cli: {
      hidden: true,
      examples: ["gsv user rm scout", "gsv user rm bob --force --user root"],
      print: value(
        ({ username, ended }: RemovedAccount) =>
          `removed ${username}${ended.length > 0 ? ` (ended ${ended.join(" ")})` : ""}`,
      ),
    },
    run: ({ accounts }: { accounts: Accounts }, args, context) =>
      accounts.remove(context, { username: args.username, force: args.force === true }),
  }),

  syscall({
    name: "account.passwd",
    summary: "Change a password",
    class: "keyed",
    by: "person",
    input: {
      username: field.optional(name),
      old: field.optional(field.text("current password", { secret: true, longest: 1024 })),
      password: field.text("new password", { secret: true, longest: 1024 }),
      typed: field.flag("typed on a terminal"),
    },
    cli: { hidden: true, print: value((done: { username: string }) => `password of ${done.username} changed`) },
    run: ({ accounts }: { accounts: Accounts }, args, context) =>
      accounts.passwd(context, { ...args, typed: args.typed === true }),
  }),
] as const;

function stateOf({ locked, password, kind }: AccountInfo): string {
  if (locked || (kind === "root" && !password)) return "locked";
  return password ? "password" : "no password";
}
