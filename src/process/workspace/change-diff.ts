// The diff of changes in one place, as git prints it.

import type { ChangedFile } from "../../abi/process/undo.ts";
import { EMPTY_TREE } from "../../repos/browse.ts";
import { differenceOf } from "../../repos/file-steps.ts";
import type { Change } from "../../store/process/files/changes.ts";
import type { ChangePlace } from "./change-places.ts";
import type { Touched } from "./undo-plan.ts";

export async function differenceIn(
  place: ChangePlace,
  changes: readonly Change[],
  touched: readonly Touched[],
  bytesMax: number,
) {
  const first = changes.find(({ after, before }) => after !== before);
  const last = changes.findLast(({ after, before }) => after !== before);
  const paths = touched.map(({ path }) => path);
  const range = { from: first?.before ?? EMPTY_TREE, to: last?.after ?? EMPTY_TREE };
  const { counts, text, truncated } = await differenceOf(place.repository, { ...range, paths, bytesMax });
  const files = touched.map(({ path, before, after }): ChangedFile => {
    const what = after === null ? "removed" : before === null ? "added" : "changed";
    return { path: `${place.shown}/${path}`, what, ...(counts.get(path) ?? { added: null, removed: null }) };
  });
  return { files, text, truncated };
}
