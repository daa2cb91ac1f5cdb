// Expected failures: the SysError that a piece of work ends with. Any other end fails the test.

import { SysError } from "../../src/abi/errno.ts";

/** Of work that ends at once. */
export function refusal(work: () => unknown): SysError {
  let answer: unknown;
  try {
    answer = work();
  } catch (error) {
    if (error instanceof SysError) return error;
    throw error;
  }
  throw new Error(`it answered ${JSON.stringify(answer)}`);
}

export async function rejection(promise: Promise<unknown>): Promise<SysError> {
  const answer = await promise.then(
    (value) => ({ value }),
    (reason) => reason,
  );
  if (answer instanceof SysError) return answer;
  throw answer instanceof Error ? answer : new Error(`it answered ${JSON.stringify(answer)}`);
}

/** The error code of some work, or `done`. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof SysError ? error.code : error === null ? "done" : `no SysError: ${error}`;
}
