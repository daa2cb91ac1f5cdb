// Syscalls of one request, as the account that sent it. Its Idempotency-Key is the request id of the call that changes something: a key that
// came with other content gets 422, one whose first request still runs gets 409, and a stored answer is marked as one.

import { KeyReused, SysError } from "../../abi/errno.ts";
import type { Sys } from "../../abi/sys.ts";
import { either } from "../../lib/wait.ts";
import { json, problem } from "../rest.ts";
import type { Visit } from "../route.ts";

export interface Calls {
  /** Null without the header. */
  readonly key: string | null;
  read<Result>(name: string, args: object): Promise<Result>;
  /** At most once for each request. */
  change<Result>(name: string, args: object): Promise<Result>;
}

const KEY_CHARS_MAX = 128;

/** Opens the kernel for `work`, whose value becomes the answer. */
export async function answered(
  visit: Visit,
  work: (calls: Calls) => Promise<unknown>,
  status = 200,
): Promise<Response> {
  const key = keyOf(visit.request);
  const sys = await visit.open();
  let isReplay = false;
  try {
    const onRepeat = (how: "running" | "answered") => {
      if (how === "running") throw new SysError("EBUSY", `the first request with the key ${key} is still running`);
      isReplay = true;
    };
    const value = await work(callsOf(sys, visit, key, onRepeat));
    return json(status, value ?? null, isReplay ? { "idempotent-replayed": "true" } : {});
  } catch (error) {
    if (error instanceof KeyReused)
      return problem(422, error.code, "this Idempotency-Key came with another request before", ["use a new key"]);
    throw visit.ended.aborted ? visit.ended.reason : error;
  } finally {
    await sys.close();
  }
}

function callsOf(
  sys: Sys,
  { request, ended }: Visit,
  key: string | null,
  onRepeat: (how: "running" | "answered") => void,
): Calls {
  const signal = either(request.signal, ended);
  return {
    key,
    read: (name, args) => sys.call(name, args, { signal }),
    change: (name, args) => sys.call(name, args, { signal, ...(key !== null && { requestId: key, onRepeat }) }),
  };
}

/** Quoted as in the draft of the standard, or bare. */
function keyOf(request: Request): string | null {
  const key = request.headers.get("idempotency-key")?.replace(/^"(.*)"$/, "$1") ?? null;
  if (key !== null && (key === "" || key.length > KEY_CHARS_MAX))
    throw new SysError("EINVAL", `Idempotency-Key must have 1 to ${KEY_CHARS_MAX} characters`);
  return key;
}

/** `POST /api/call/NAME` with the arguments as a JSON object. */
export async function answerCall(visit: Visit): Promise<Response> {
  // Calls that wait have no time limit.
  visit.unlimited();
  const args = await visit.object();
  return await answered(visit, (calls) => calls.change(visit.params.name ?? "", args));
}
