// The shell's jq, for `--jq`: one language in scripts and flags, without a program of the host. A jq program that
// does not parse is refused before the command starts. It has the shell's limits and no access to files or network.

import { Bash } from "just-bash/browser";
import type { Jq } from "../../commands/command.ts";
import { SysError } from "../abi/errno.ts";
import { quoted } from "../lib/text/quote.ts";
import { rewrittenJq } from "./rewrite/jq-words.ts";

const FAULT = /^jq: (?:(?:parse )?error: |query evaluation: )?/;
/** jq's error for an undefined name. */
const UNKNOWN = 3;

export async function jqProgram(expression: string): Promise<Jq> {
  const bash = new Bash({ commands: ["jq"], env: {} });
  // The blank keeps a program that starts with a minus from being parsed as a flag.
  const run = (stdin: string) => bash.exec(`jq -r -c ${quoted(` ${rewrittenJq(expression)}`)}`, { stdin });
  const [empty, some] = [await run(""), await run("null")];
  if (empty.exitCode !== 0) throw fault(empty.stderr);
  if (some.exitCode === UNKNOWN) throw fault(some.stderr);
  return async (lines) => {
    const { stdout, stderr, exitCode } = await run(lines);
    if (exitCode !== 0) throw fault(stderr);
    return stdout;
  };
}

function fault(stderr: string): SysError {
  const [why = ""] = stderr.replace(FAULT, "").trim().split("\n");
  return new SysError("EUSAGE", `--jq: ${why === "" ? "the program failed" : why}`, [
    "it gets each JSON object by itself: gsv man output-and-json",
  ]);
}
