// What a process's changes come to, file by file, and what stands in the way of taking them back. Pure: versions and the state of the files
// now come in.

import type { FileState } from "../../abi/process/undo.ts";
import type { Step } from "../../repos/file-steps.ts";

export interface Touched {
  readonly path: string;
  /** Before the first of the changes, and after the last. */
  readonly before: FileState;
  readonly after: FileState;
  /** Why taking it back would take more back than that, or null. */
  readonly mixed: string | null;
}

export interface Conflict {
  readonly path: string;
  readonly why: string;
}

/** `steps` are all that versions say of those changes, in their order; only those of the process count. */
export function touchedBy(pid: string, steps: readonly Step[]): Touched[] {
  const touched = new Map<string, Touched>();
  for (const step of steps) {
    if (!step.by.includes(pid)) continue;
    const known = touched.get(step.path);
    const others = step.by.filter((other) => other !== pid);
    const shared = others.length === 0 ? null : `${others.join(", ")} was at work there too`;
    const gap = known !== undefined && !same(known.after, step.before) ? "somebody else changed it in between" : null;
    touched.set(step.path, {
      path: step.path,
      before: known === undefined ? step.before : known.before,
      after: step.after,
      mixed: known?.mixed ?? gap ?? shared,
    });
  }
  return [...touched.values()].filter(({ before, after }) => !same(before, after));
}

/** One that stands as it stood before needs nothing. */
export function conflictsOf(
  touched: readonly Touched[],
  now: ReadonlyMap<string, FileState>,
): { readonly conflicts: readonly Conflict[]; readonly open: readonly Touched[] } {
  const open = touched.filter(({ path, before }) => !same(now.get(path) ?? null, before));
  const conflicts = open.flatMap(({ path, after, mixed }) => {
    if (!same(now.get(path) ?? null, after)) return [{ path, why: "it was changed since" }];
    return mixed === null ? [] : [{ path, why: mixed }];
  });
  return { conflicts, open };
}

export function same(left: FileState, right: FileState): boolean {
  return left?.oid === right?.oid && left?.mode === right?.mode;
}

/** What makes room comes first, from the bottom up. */
export function inOrder<F extends { readonly path: string; readonly to: FileState }>(files: readonly F[]): F[] {
  const depth = ({ path }: F) => path.split("/").length;
  const gone = files.filter(({ to }) => to === null).sort((left, right) => depth(right) - depth(left));
  return [...gone, ...files.filter(({ to }) => to !== null)];
}
