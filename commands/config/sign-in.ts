// Checks a typed account name before it becomes part of a file name.

import { SysError } from "../../src/abi/errno.ts";

const NAME = /^[a-z_][a-z0-9_-]{0,31}$/;

export function accountName(name: string): string {
  if (NAME.test(name)) return name;
  throw new SysError("EUSAGE", `invalid account name: ${name.slice(0, 40)}`, ["usage: gsv COMMAND … --user NAME"]);
}
