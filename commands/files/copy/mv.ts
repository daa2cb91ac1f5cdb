// `gsv mv`: renames. Between mounts it copies, then removes the original.

import { base, join } from "../../../fs/path.ts";
import { SysError } from "../../../src/abi/errno.ts";
import { field } from "../../../src/syscalls/define.ts";
import type { Command, Io } from "../../command.ts";
import { command } from "../../define.ts";
import { statOrNull } from "../entries.ts";
import { Problems } from "../problems.ts";
import { Copying } from "./copy.ts";
import { destinationOf, isInto } from "./destination.ts";
import { gsvSide } from "./gsv-side.ts";

const input = {
  paths: field.paths("sources, then the new name or target directory", {
    positional: true,
    meta: "SOURCE... DESTINATION",
    of: "file",
  }),
  noClobber: field.flag("existing files stay unchanged", { letter: "n" }),
  force: field.flag("replace existing files (the default)", { letter: "f" }),
};

const spec = {
  name: "mv",
  summary: "Move or rename files and directories",
  input,
  usage: "gsv mv [-n] [-f] SOURCE... DESTINATION",
  examples: ["gsv mv '~/draft.md' '~/final.md'", "gsv mv '~/a.txt' '~/b.txt' '~/old'"],
};

export const mv: Command = command(spec, async ({ args, json }, io) => {
  const { sources, destination: to } = destinationOf(spec, args.paths);
  if (args.paths.some((path) => path.startsWith("host:")))
    throw new SysError("EUSAGE", "mv only moves files inside gsv", ["gsv cp copies from host: and to it"]);
  const problems = new Problems(io, "mv", json);
  const kindOf = async () => (await statOrNull(io.sys(), to, { link: false }))?.kind;
  const into = await isInto(problems, { path: to, sources: sources.length, kindOf });
  if (into === null) return problems.status;
  for (const from of sources) {
    const target = into ? join(to, base(from)) : to;
    await problems.attempt(from, () => move(io, { from, target, exclusive: args.noClobber === true, problems }));
  }
  return problems.status;
});

interface Move {
  readonly from: string;
  readonly target: string;
  readonly exclusive: boolean;
  readonly problems: Problems;
}

async function move(io: Io, { from, target, exclusive, problems }: Move): Promise<void> {
  const sys = io.sys();
  try {
    await sys.call("fs.rename", { from, to: target, ...(exclusive ? { exclusive } : {}) });
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    if (error.code === "EEXIST" && exclusive) return;
    if (error.code !== "EXDEV") throw error;
    const side = gsvSide({ sys, clock: io.clock, random: io.random });
    const how = { recursive: true, preserve: true, force: true, noClobber: exclusive };
    const copying = new Copying(how, problems, new AbortController().signal);
    const place = (path: string) => ({ side, path, shown: path });
    // Keep the original unless all of it was copied.
    if (await copying.copy(place(from), place(target))) await sys.call("fs.remove", { path: from, recursive: true });
  }
}
