// Placeholders for absent parts of a git repository, in place while commands run: only what exists can be mounted read-only. git reads
// each of them as if it were absent, so one that a killed gsv leaves behind changes nothing.

import { mkdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import type { GitGuard, Placeholder } from "./git-guard.ts";

export class Placeholders {
  private readonly inUse = new Map<string, { readonly placeholder: Placeholder; count: number }>();

  /** The guard without what could not be created. `release` ends a use; the last one removes the placeholders. */
  place(guard: GitGuard): { readonly guard: GitGuard; readonly release: () => void } {
    const missing = new Set<string>();
    for (const placeholder of guard.placeholders) {
      if (this.inUse.has(placeholder.path)) continue;
      const created = create(placeholder);
      if (created === "made") this.inUse.set(placeholder.path, { placeholder, count: 0 });
      else if (created === "no") missing.add(placeholder.path);
    }
    const isHere = (path: string) => !missing.has(path);
    const [held, readOnly] = [guard.held.filter(isHere), guard.readOnly.filter(isHere)];
    // Placeholders of other commands count, too.
    const uses = [...held, ...readOnly].flatMap((path) => this.inUse.get(path) ?? []);
    for (const use of uses) use.count++;
    return {
      guard: { ...guard, held, readOnly },
      release: () => this.release(uses.map(({ placeholder }) => placeholder)),
    };
  }

  /** Children first. */
  private release(placeholders: readonly Placeholder[]): void {
    for (const placeholder of placeholders.toSorted((left, right) => right.path.length - left.path.length)) {
      const use = this.inUse.get(placeholder.path);
      if (use === undefined || --use.count > 0) continue;
      this.inUse.delete(placeholder.path);
      remove(placeholder);
    }
  }
}

function create({ path, text }: Placeholder): "made" | "there" | "no" {
  try {
    if (text === null) mkdirSync(path);
    else writeFileSync(path, text, { flag: "wx" });
    return "made";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST" ? "there" : "no";
  }
}

/** Only if it is still empty: the person may have put something there. */
function remove({ path, text }: Placeholder): void {
  try {
    if (text === null) rmdirSync(path);
    else if (readFileSync(path, "utf8") === text) unlinkSync(path);
  } catch {
    // Gone, or not empty any more.
  }
}
