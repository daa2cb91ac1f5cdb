// `gsv rm`: one call per path, so a tree is removed completely or, if something in it may not be removed, not at all.

import { base } from "../../fs/path.ts";
import { SysError } from "../../src/abi/errno.ts";
import { linesOf } from "../../src/lib/text/lines.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { isMissing, statOf } from "./entries.ts";
import { Problems } from "./problems.ts";

const input = {
  paths: field.paths("files and directories", { positional: true, meta: "PATH...", of: "file" }),
  recursive: field.flag("directories with their contents", { letter: "r" }),
  force: field.flag("ignore missing files, never ask", { letter: "f" }),
  interactive: field.flag("ask before each", { letter: "i" }),
};

export const rm: Command = command(
  {
    name: "rm",
    summary: "Remove files and directories",
    input,
    examples: ["gsv rm '~/draft.md'", "gsv rm -r '~/old'"],
    notes: ["There is no undo. Links are removed, not their targets."],
  },
  async ({ args, json }, io) => {
    const problems = new Problems(io, "rm", json);
    const ask = args.interactive === true && args.force !== true ? answersFrom(io) : null;
    for (const path of args.paths) {
      await problems.attempt(path, async () => {
        try {
          await remove(io, path, { recursive: args.recursive === true, ask });
        } catch (error) {
          if (args.force !== true || !isMissing(error)) throw error;
        }
      });
    }
    return problems.status;
  },
);

interface How {
  readonly recursive: boolean;
  readonly ask: ((question: string) => Promise<boolean>) | null;
}

async function remove(io: Io, path: string, { recursive, ask }: How): Promise<void> {
  const last = base(path);
  if (last === "." || last === ".." || last === "") throw new SysError("EINVAL", `cannot remove ${path}`);
  const { kind } = await statOf(io.sys(), path, { link: true });
  if (kind === "directory" && !recursive)
    throw new SysError("EISDIR", `cannot remove ${path}: it is a directory`, ["-r removes it with its contents"]);
  const what = kind === "directory" ? "directory" : kind === "symlink" ? "link" : "file";
  if (ask !== null && !(await ask(`remove ${what} ${reveal(path)}?`))) return;
  await io.sys().call("fs.remove", { path, recursive });
}

/** Answers from the terminal or from lines of stdin. Only answers that start with y mean yes. */
function answersFrom(io: Io): (question: string) => Promise<boolean> {
  const lines = linesOf(io.stdin.bytes());
  return async (question) => {
    if (io.stdin.isTTY) return isYes(await io.person.ask(`${question} [y/N] `));
    await io.stderr.write(`${question} [y/N] `);
    const { value, done } = await lines.next();
    return done !== true && isYes(value);
  };
}

function isYes(answer: string): boolean {
  return /^\s*y/i.test(answer);
}
