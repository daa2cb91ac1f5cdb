// Errors and notes of an undo.

import { SysError } from "../../abi/errno.ts";
import type { Change } from "../../store/process/files/changes.ts";

export const SHOWN_MAX = 20;

export function inTheWay(faults: readonly string[]): SysError {
  const [first = ""] = faults;
  const more = faults.length > 1 ? ` and ${faults.length - 1} more` : "";
  return new SysError("ECONFLICT", `cannot undo: ${first}${more}`, [
    ...faults.slice(1, SHOWN_MAX),
    "to undo anyway and lose later changes: --force",
  ]);
}

export function nothingToUndo(pid: string, changes: readonly Change[]): SysError {
  const isLost = changes.some(({ after, before }) => after !== before);
  const why = isLost ? "the old versions of its files are gone" : `${pid} changed no versioned files`;
  return new SysError("ENOENT", `nothing to undo: ${why}`, [
    ...notKeptOf(changes),
    "versioned: workspaces, attached directories, ~/context.d, ~/skills.d and ~/knowledge",
  ]);
}

export function notKeptOf(changes: readonly Change[]): string[] {
  const said = changes.flatMap(({ tool, leftOut, fault }) => [
    ...leftOut.map((path) => `no version: ${path}`),
    ...(fault === null ? [] : [`changes by ${tool} are unknown: ${fault}`]),
  ]);
  return [...new Set(said)].slice(0, SHOWN_MAX);
}
