// `--user NAME`, before or after any command: acts as that account. It is taken out of the command line here, so that no command has to
// know of it.

import { SysError } from "../src/abi/errno.ts";
import type { Io } from "./command.ts";

const FLAG = "--user";
const NAME = /^[a-z_][a-z0-9_-]{0,31}$/;

/** What is left of the command line without it. */
export function actAs(argv: readonly string[], io: Pick<Io, "signIn">): readonly string[] {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  const at = own.findIndex((token) => token === FLAG || token.startsWith(`${FLAG}=`));
  const token = own[at];
  if (token === undefined) return argv;
  const width = token === FLAG ? 2 : 1;
  const name = token === FLAG ? own[at + 1] : token.slice(FLAG.length + 1);
  if (name === undefined || name.startsWith("-")) throw usage(`${FLAG} needs the name of an account`);
  const rest = [...argv.slice(0, at), ...argv.slice(at + width)];
  if (actAsTwice(rest)) throw usage(`${FLAG} is given twice`);
  io.signIn.as(accountName(name));
  return rest;
}

function actAsTwice(rest: readonly string[]): boolean {
  const end = rest.indexOf("--");
  return (end === -1 ? rest : rest.slice(0, end)).some((token) => token === FLAG || token.startsWith(`${FLAG}=`));
}

/** Checked before it becomes part of the name of a file. */
export function accountName(name: string): string {
  if (NAME.test(name)) return name;
  throw usage(`${name.slice(0, 40)} is no name of an account`);
}

function usage(message: string): SysError {
  return new SysError("EUSAGE", message, ["usage: gsv COMMAND … --user NAME"]);
}
