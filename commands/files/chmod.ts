// `gsv chmod` and `gsv chown`: what owners may change of their files. Links on the way down a tree are passed over.

import { SysError } from "../../src/abi/errno.ts";
import { field } from "../../src/syscalls/define.ts";
import type { FileEntry } from "../../src/syscalls/fs/file-tree-service.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { statOf, walk } from "./list/entries.ts";
import { modeFrom } from "./mode.ts";
import { Problems } from "./problems.ts";

const paths = field.paths("the files", { positional: true, meta: "PATH...", of: "file" });
const recursive = field.flag("everything below too", { letter: "R" });

export const chmod: Command = command(
  {
    name: "chmod",
    summary: "Change permissions",
    input: {
      mode: field.text("in octal, or as u+x, go-w, a=r", { positional: true, meta: "MODE", longest: 100 }),
      paths,
      recursive,
    },
    examples: ["gsv chmod 0640 '~/notes.md'", "gsv chmod -R go-w '~/notes'"],
  },
  async ({ args, json }, io) => {
    modeFrom(args.mode, { mode: "0000", kind: "file" });
    return each(io, "chmod", { ...args, json }, (entry) => ({ mode: modeFrom(args.mode, entry) }));
  },
);

export const chown: Command = command(
  {
    name: "chown",
    summary: "Change owner and group",
    input: {
      owner: field.text("OWNER, OWNER:GROUP or :GROUP, by name or number", {
        positional: true,
        meta: "OWNER[:GROUP]",
        longest: 130,
      }),
      paths,
      recursive,
    },
    examples: ["gsv chown :users '~/shared.md'", "gsv chown alice:alice /home/alice/notes.md --user root"],
    notes: ["Only root gives files away; a group can be any of your own."],
  },
  async ({ args, json }, io) => {
    const [owner = "", group = ""] = args.owner.split(":");
    const change = { ...(owner === "" ? {} : { owner }), ...(group === "" ? {} : { group }) };
    if (Object.keys(change).length === 0) throw new SysError("EUSAGE", `${args.owner} names neither owner nor group`);
    return each(io, "chown", { ...args, json }, () => change);
  },
);

interface Asked {
  readonly paths: readonly string[];
  readonly recursive?: boolean;
  readonly json: boolean;
}

async function each(
  io: Io,
  name: string,
  { paths: named, recursive: down, json }: Asked,
  changeOf: (entry: Pick<FileEntry, "mode" | "kind">) => object,
): Promise<number> {
  const problems = new Problems(io, name, json);
  const sys = io.sys();
  const change = (path: string, entry: Pick<FileEntry, "mode" | "kind">) =>
    problems.attempt(path, () => sys.call("fs.setattr", { path, ...changeOf(entry) }));
  for (const path of named) {
    if (down !== true) {
      const entry = await problems.attempt(path, () => statOf(sys, path, { link: false }));
      if (entry !== null) await change(path, entry);
      continue;
    }
    // From below, so that a directory that closes itself is done with.
    const found = [];
    for await (const walked of walk({ sys, problems }, path)) found.push(walked);
    for (const walked of found.reverse()) if (walked.entry.kind !== "symlink") await change(walked.path, walked.entry);
  }
  return problems.status;
}
