// Files run by path. A shell script runs as `bash FILE`, with its own `$0`, traps and jobs: the
// interpreter would run its commands as part of the calling script.

import { type CustomCommand, defineCommand } from "just-bash/browser";
import { OWN } from "../programs/internal-words.ts";
import { choice, group, holds, isNode, literal, type Node, simple, statementOf } from "../rewrite/nodes.ts";
import { answer, type Context } from "./called.ts";

const SHELL = /^#!\s*(?:\S*\/)?(?:env\s+)?(?:\S*\/)?(?:ba|da)?sh\s*\n/;

/** The replacement for a command whose name is a path; null if it is not, or is only known at run time. */
export function byPath(command: Node): Node | null {
  const { name, redirections } = command;
  if (!isNode(name) || !isWordTwice(name) || !holds(name, ({ value }) => String(value ?? "").includes("/")))
    return null;
  const bare = { ...command, redirections: [] };
  const script = { ...bare, name: literal("bash"), args: [name, ...(command.args as readonly Node[])] };
  const asked = statementOf(simple(OWN.isScript, name));
  const run = choice([asked], [statementOf(script)], [statementOf(bare)]);
  return group([statementOf(run)], redirections as readonly Node[]);
}

/** Expanding it twice is safe. */
function isWordTwice(word: Node): boolean {
  return !holds(word, ({ type, operation = null }) => /Substitution|^Arith/.test(type) || operation !== null);
}

export function scriptFilePrograms(): readonly CustomCommand[] {
  return [
    defineCommand(OWN.isScript, async ([path = ""], context) =>
      answer("", "", (await isScript(path, context)) ? 0 : 1),
    ),
  ];
}

async function isScript(path: string, { fs, cwd }: Context): Promise<boolean> {
  try {
    const place = fs.resolvePath(cwd, path);
    const { isFile, mode } = await fs.stat(place);
    return isFile && (mode & 0o111) !== 0 && SHELL.test(await fs.readFile(place));
  } catch {
    return false; // the interpreter reports the error
  }
}
