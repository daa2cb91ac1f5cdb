// `gsv mkdir`.

import { field } from "../../src/syscalls/define.ts";
import type { Command } from "../command.ts";
import { command } from "../define.ts";
import { Problems } from "./problems.ts";

const input = {
  paths: field.paths("the directories", { positional: true, meta: "PATH...", of: "file" }),
  parents: field.flag("missing parents too; one that is there is no error", { letter: "p" }),
  mode: field.optional(field.text("its permissions in octal", { letter: "m", meta: "MODE", longest: 5 })),
};

export const mkdir: Command = command(
  {
    name: "mkdir",
    summary: "Make directories",
    input,
    examples: ["gsv mkdir -p '~/notes/2026'", "gsv mkdir -m 0700 '~/private'"],
  },
  async ({ args, json }, io) => {
    const problems = new Problems(io, "mkdir", json);
    const how = { parents: args.parents === true, ...(args.mode === undefined ? {} : { mode: args.mode }) };
    for (const path of args.paths) await problems.attempt(path, () => io.sys().call("fs.mkdir", { path, ...how }));
    return problems.status;
  },
);
