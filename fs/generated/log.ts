// /var/log/gsv: what the kernel wrote down, for root and for the human whose home this is. It is handed in without secrets.

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
