// What a call says about itself, as the store keeps it: whose it is and under which key.

import type { Origin } from "../abi/message.ts";
import type { CallContext } from "../syscalls/define.ts";

export function originOf({ caller, client }: CallContext): Origin {
  if (caller.pid !== undefined) return { kind: "process", uid: caller.uid, pid: caller.pid };
  return {
    kind: "client",
    uid: caller.uid,
    clientId: client?.clientId ?? "kernel",
    ...(client === undefined ? {} : { cwd: client.cwd }),
  };
}

/** Request ids are the client's own choice; the account in front keeps two accounts from meeting. */
export function keyOf({ caller, requestId }: CallContext): string {
  return `${caller.uid}:${requestId}`;
}
