// /var/log/gsv: the kernel's log, for root and the home's owner. Secrets are redacted before.

import type { Clock } from "../../src/lib/clock.ts";
import type { FileSystem } from "../filesystem.ts";
import { syntheticFs } from "./synthetic.ts";

export interface LogOptions {
  readonly text: () => Promise<string>;
  readonly reader: () => Promise<{ readonly uid: number; readonly gid: number }>;
  readonly clock: Clock;
}

export function logFs({ text, reader, clock }: LogOptions): FileSystem {
  return syntheticFs([{ path: "/kernel.log", mode: 0o400, owner: reader, text }], clock);
}
