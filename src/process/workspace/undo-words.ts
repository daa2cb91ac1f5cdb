// What an undo says that does not come about, and of what is not kept.

import { SysError } from "../../abi/errno.ts";
import type { Change } from "../../store/process/files/changes.ts";

export const SHOWN_MAX = 20;

export function inTheWay(faults: readonly string[]): SysError {
  const [first = ""] = faults;
  const more = faults.length > 1 ? ` and ${faults.length - 1} more` : "";
  return new SysError("ECONFLICT", `nothing was undone: ${first}${more}`, [
    ...faults.slice(1, SHOWN_MAX),
    "--force puts all of it back as it was before, what was changed since included",
  ]);
}

export function nothingToUndo(pid: string, changes: readonly Change[]): SysError {
  const isLost = changes.some(({ after, before }) => after !== before);
  const why = isLost ? "the versions of what it changed are there no more" : `${pid} changed no file that has versions`;
  return new SysError("ENOENT", `there is nothing to undo: ${why}`, [
    ...notKeptOf(changes),
    "files in a workspace, in a directory of this machine and in ~/context.d, skills.d and knowledge have versions",
  ]);
}

export function notKeptOf(changes: readonly Change[]): string[] {
  const said = changes.flatMap(({ tool, leftOut, fault }) => [
    ...leftOut.map((path) => `not kept: ${path}`),
    ...(fault === null ? [] : [`what ${tool} changed is not known: ${fault}`]),
  ]);
  return [...new Set(said)].slice(0, SHOWN_MAX);
}
