// The sum of a process's changes for each file, the conflicts of undoing them, and the errors. Pure: takes versions and current file states.

import { SysError } from "../../abi/errno.ts";
import type { FileState } from "../../abi/process/undo.ts";
import type { Step } from "../../repos/file-steps.ts";
import type { Change } from "../../store/process/files/changes.ts";

export interface Touched {
  readonly path: string;
  /** Before the first of the changes, and after the last. */
  readonly before: FileState;
  readonly after: FileState;
  /** Why an undo would also undo the work of others; null if it would not. */
  readonly mixed: string | null;
}

export interface Conflict {
  readonly path: string;
  readonly why: string;
}

/** `steps`: all steps between the versions, in order. Only those of the process count. */
export function touchedBy(pid: string, steps: readonly Step[]): Touched[] {
  const touched = new Map<string, Touched>();
  for (const step of steps) {
    if (!step.by.includes(pid)) continue;
    const known = touched.get(step.path);
    const others = step.by.filter((other) => other !== pid);
    const shared = others.length === 0 ? null : `${others.join(", ")} also changed it`;
    const gap = known !== undefined && !same(known.after, step.before) ? "someone else changed it in between" : null;
    touched.set(step.path, {
      path: step.path,
      before: known === undefined ? step.before : known.before,
      after: step.after,
      mixed: known?.mixed ?? gap ?? shared,
    });
  }
  return [...touched.values()].filter(({ before, after }) => !same(before, after));
}

/** Files that already have their old content are skipped. */
export function conflictsOf(
  touched: readonly Touched[],
  now: ReadonlyMap<string, FileState>,
): { readonly conflicts: readonly Conflict[]; readonly open: readonly Touched[] } {
  const open = touched.filter(({ path, before }) => !same(now.get(path) ?? null, before));
  const conflicts = open.flatMap(({ path, after, mixed }) => {
    if (!same(now.get(path) ?? null, after)) return [{ path, why: "changed since" }];
    return mixed === null ? [] : [{ path, why: mixed }];
  });
  return { conflicts, open };
}

export function same(left: FileState, right: FileState): boolean {
  return left?.oid === right?.oid && left?.mode === right?.mode;
}

/** Deletions first, the deepest paths first, so that directories become empty. */
export function inOrder<F extends { readonly path: string; readonly to: FileState }>(files: readonly F[]): F[] {
  const depth = ({ path }: F) => path.split("/").length;
  const gone = files.filter(({ to }) => to === null).sort((left, right) => depth(right) - depth(left));
  return [...gone, ...files.filter(({ to }) => to !== null)];
}

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
  const notes = changes.flatMap(({ tool, leftOut, fault }) => [
    ...leftOut.map((path) => `no version: ${path}`),
    ...(fault === null ? [] : [`changes by ${tool} are unknown: ${fault}`]),
  ]);
  return [...new Set(notes)].slice(0, SHOWN_MAX);
}
