// Three tasks, as `gsv ps` lists them.

import type { FakeIo } from "./io.ts";
import { processInfo } from "./process-info.ts";

export const LINES = ["one", "two", "three"].map((label, at) => ({
  ...processInfo(),
  pid: `task:abc12${at}`,
  label,
  queued: at,
}));

/** A kernel with three tasks. */
export function listing(of: FakeIo): FakeIo {
  of.fakeSys.answer("proc.list", () => ({ processes: LINES }));
  return of;
}
