// `--set KEY=VALUE`, before or after any command and as often as one likes: settings for this one invocation. It is taken out of the
// command line here, so that no command has to know of it; whether key and value are right is decided in boot/flags.ts.

import { SysError } from "../src/abi/errno.ts";
import type { Io } from "./command.ts";

const FLAG = "--set";

/** What is left of the command line without them. */
export async function withSettings(argv: readonly string[], io: Pick<Io, "override">): Promise<readonly string[]> {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  const rest: string[] = [];
  const said: string[] = [];
  for (let at = 0; at < own.length; at++) {
    const token = own[at] ?? "";
    if (token.startsWith(`${FLAG}=`)) said.push(token.slice(FLAG.length + 1));
    else if (token !== FLAG) rest.push(token);
    else {
      const text = own[++at];
      if (text === undefined) throw new SysError("EUSAGE", `${FLAG} needs KEY=VALUE`);
      said.push(text);
    }
  }
  if (said.length > 0) await io.override(said);
  return end === -1 ? rest : [...rest, ...argv.slice(end)];
}
