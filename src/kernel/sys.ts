// Sys inside the kernel: a caller's own door to dispatch and bus. The socket server holds one per connection, a process one per run.

import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import type { CallOptions, ClientInfo, Sys } from "../abi/sys.ts";
import { either } from "../lib/wait.ts";
import type { Bus, Listener } from "./bus.ts";
import type { Dispatch } from "./dispatch.ts";

export interface SysOptions {
  readonly dispatch: Dispatch;
  readonly bus: Bus;
  /** Read at each call, so that rights are never stale. */
  readonly caller: () => Promise<Caller>;
  readonly client?: ClientInfo | undefined;
  readonly newRequestId: () => string;
  /** Called if the caller cannot be identified. */
  readonly onRefused?: (call: string, error: SysError) => Promise<void>;
  readonly uid: number;
}

export function kernelSys(options: SysOptions): Sys {
  const listening = new Map<Listener, () => void>();
  const gone = new AbortController();
  return {
    async call<Result>(name: string, args: object, { signal, requestId, onRepeat }: CallOptions = {}) {
      if (gone.signal.aborted) throw new SysError("ECANCELED", "the connection is closed");
      if (signal?.aborted) throw new SysError("ECANCELED", `${name} was cancelled`);
      const signals = either(gone.signal, signal);
      const caller = await options.caller().catch(async (error: unknown) => {
        if (error instanceof SysError) await options.onRefused?.(name, error);
        throw error;
      });
      const client = options.client === undefined ? {} : { client: options.client };
      try {
        return (await options.dispatch(name, args, {
          caller,
          requestId: requestId ?? options.newRequestId(),
          signal: signals,
          ...(onRepeat !== undefined && { onRepeat }),
          ...client,
        })) as Result;
      } finally {
        // An answer never overtakes signals from before it.
        for (const listener of listening.keys()) options.bus.catchUp(listener);
      }
    },
    on(filter, hear) {
      const listener = { uid: options.uid, clientId: options.client?.clientId ?? null, filter, hear };
      listening.set(listener, options.bus.listen(listener));
      return () => {
        listening.get(listener)?.();
        listening.delete(listener);
      };
    },
    async close() {
      gone.abort();
      for (const stop of listening.values()) stop();
      listening.clear();
    },
  };
}
