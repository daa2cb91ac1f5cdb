// A process with a damaged database: its files are in quarantine, and it is empty until a person resets it.

import { SysError } from "../../abi/errno.ts";
import type { Head } from "../../store/process/head.ts";

/** Throws if the process is damaged; `what` names the work that it cannot do. */
export function refuseDamaged(
  pid: string,
  { state, damagedIn }: Pick<Head, "state" | "damagedIn">,
  what: string,
): void {
  if (state !== "error") return;
  throw new SysError("EIO", `${pid} cannot ${what}: its database is damaged`, [
    ...(damagedIn === null ? [] : [`its files are in ${damagedIn}`]),
    `to start over: gsv proc reset --pid ${pid}`,
    "to go back to a backup: gsv restore --force FILE",
  ]);
}
