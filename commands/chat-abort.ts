// Ends a run whose time is over.

import type { Aborted } from "../src/syscalls/services.ts";
import type { Io } from "./command.ts";

/** An abort that is not answered is as good as one. */
const ANSWER_MS = 2000;

/** Whether the run was ended, as far as is known in time. */
export async function abortedInTime(
  io: Pick<Io, "sys" | "clock">,
  of: { readonly pid: string; readonly runId: string | undefined },
): Promise<boolean> {
  const asked = io
    .sys()
    .call<Aborted>("proc.abort", of)
    .then(({ aborted }) => aborted);
  return await Promise.race([asked, io.clock.sleep(ANSWER_MS).then(() => false)]);
}
