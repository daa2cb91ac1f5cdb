// An error and its hints in one line. Pure.

import { messageOf, SysError } from "../../src/abi/errno.ts";

export function worded(error: unknown): string {
  if (!(error instanceof SysError)) return messageOf(error);
  return [error.message, ...error.hints].join("; ");
}
