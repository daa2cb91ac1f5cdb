// `gsv chmod`, `gsv chown` and `gsv mkdir`: the shell's programs of these names.

import { field } from "../../src/syscalls/define.ts";
import { programCommand } from "./program.ts";

const paths = field.paths("files and directories", { positional: true, meta: "PATH...", of: "file" });
const recursive = field.flag("everything below too", { letter: "R" });

export const chmod = programCommand(
  {
    name: "chmod",
    summary: "Change permissions",
    input: {
      mode: field.text("octal, or changes such as u+x, go-w, a=r", { positional: true, meta: "MODE" }),
      paths,
      recursive,
    },
    usage: "gsv chmod [-R] MODE PATH... [--json]",
    examples: ["gsv chmod 0640 '~/notes.md'", "gsv chmod -R go-w '~/notes'"],
  },
  { load: async () => (await import("../../src/shell/programs/files/modes.ts")).chmod },
);

export const chown = programCommand(
  {
    name: "chown",
    summary: "Change owner and group",
    input: {
      owner: field.text("OWNER, OWNER:GROUP or :GROUP, by name or number", { positional: true, meta: "OWNER[:GROUP]" }),
      paths,
      recursive,
    },
    usage: "gsv chown [-R] OWNER[:GROUP] PATH... [--json]",
    examples: ["gsv chown :users '~/shared.md'", "gsv chown alice:alice /home/alice/notes.md --user root"],
    notes: ["Only root can change the owner. You can set any group that you belong to."],
  },
  { load: async () => (await import("../../src/shell/programs/files/modes.ts")).chown },
);

export const mkdir = programCommand(
  {
    name: "mkdir",
    summary: "Create directories",
    input: {
      paths,
      parents: field.flag("missing parents too; no error if it exists", { letter: "p" }),
      mode: field.optional(field.text("permissions, as for chmod", { letter: "m", meta: "MODE" })),
    },
    usage: "gsv mkdir [-p] [-m MODE] PATH... [--json]",
    examples: ["gsv mkdir -p '~/notes/2026'", "gsv mkdir -m 0700 '~/private'"],
  },
  { load: async () => (await import("../../src/shell/programs/files/modes.ts")).mkdir },
);
