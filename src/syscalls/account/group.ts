// group.*: groups of accounts and their capabilities. Changes hold from the next call on.

import { field, syscall, value } from "../define.ts";
import type { GroupInfo, Groups } from "./account-service.ts";

const name = field.text("the group", { positional: true, shortest: 1, longest: 32, meta: "NAME" });
const names = (doc: string, meta: string) => field.optional(field.text(doc, { shortest: 1, longest: 1000, meta }));

export const groupCalls = [
  syscall({
    name: "group.list",
    summary: "List your groups and capabilities (root: all)",
    class: "read",
    input: {},
    cli: {
      examples: ["gsv group list"],
      print: {
        kind: "table",
        rows: (result: { groups: readonly GroupInfo[] }) => result.groups,
        empty: "(no groups)",
        columns: [
          { head: "NAME", cell: (row: GroupInfo) => row.name },
          { head: "GID", cell: (row: GroupInfo) => String(row.gid), align: "right" },
          { head: "MEMBERS", cell: (row: GroupInfo) => row.members.join(",") || "-", shrink: true },
          { head: "MAY", below: true, cell: (row: GroupInfo) => row.capabilities.join(" ") || "-" },
        ],
      },
    },
    run: ({ groups }: { groups: Groups }, _args, { caller }) => groups.list(caller),
  }),

  syscall({
    name: "group.add",
    summary: "Add a group (root)",
    class: "keyed",
    by: "person",
    input: { name },
    cli: {
      examples: ["gsv group add readers --user root"],
      print: value((group: GroupInfo) => `added ${group.name} (gid ${group.gid})`),
    },
    run: ({ groups }: { groups: Groups }, args, context) => groups.add(context, args.name),
  }),

  syscall({
    name: "group.mod",
    summary: "Change members and capabilities of a group (root)",
    class: "keyed",
    by: "person",
    input: {
      name,
      add: names("accounts to add, comma-separated", "NAMES"),
      remove: names("accounts to remove", "NAMES"),
      grant: names("capabilities to grant, such as fs.read or fs.*", "CAPS"),
      revoke: names("capabilities to revoke", "CAPS"),
    },
    cli: {
      examples: [
        "gsv group mod readers --add bob --grant fs.read,fs.search --user root",
        "gsv group mod users --revoke 'sys.token.*' --user root",
      ],
      print: value(
        (group: GroupInfo) =>
          `${group.name}: members ${group.members.join(",") || "-"}; may ${group.capabilities.join(" ") || "-"}`,
      ),
    },
    run: ({ groups }: { groups: Groups }, args, context) => groups.change(context, args),
  }),

  syscall({
    name: "group.rm",
    summary: "Remove a group and its grants (root)",
    class: "keyed",
    by: "person",
    input: { name },
    cli: {
      examples: ["gsv group rm readers --user root"],
      print: value((gone: { name: string }) => `removed ${gone.name}`),
    },
    run: ({ groups }: { groups: Groups }, args, context) => groups.remove(context, args.name),
  }),
] as const;
