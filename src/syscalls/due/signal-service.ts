// The service behind signal.*, as types.

import type { Caller } from "../../abi/identity.ts";
import type { Watch } from "../../abi/watch.ts";
import type { CallContext } from "../define.ts";

export interface WatchRequest {
  readonly signal: string;
  readonly pid?: string;
  readonly where?: string;
  readonly once?: boolean;
  /** Such as `24h`. */
  readonly ttl?: string;
  readonly key?: string;
  /** Handed over with each event. */
  readonly state?: object;
  /** The process that gets `text`. */
  readonly send?: string;
  readonly text?: string;
  readonly exec?: string;
  readonly notify?: string;
}

export interface WatchedSignals {
  watch(context: CallContext, request: WatchRequest): Promise<Watch>;
  unwatch(context: CallContext, key: string): Promise<{ readonly key: string }>;
  list(caller: Caller): Promise<{ readonly watches: readonly Watch[] }>;
}
