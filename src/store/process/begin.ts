// The first transaction of a process database: who it is and which numbers it begins with. Done again it changes nothing.

import type { Db } from "../open.ts";
import { HeadRow, outboxSeqBefore } from "./head.ts";

export interface Beginning {
  readonly pid: string;
  readonly profile: string;
  readonly identity: object;
  readonly now: number;
  /** In the place of one that was set aside. */
  readonly damaged?: boolean;
}

interface Start {
  readonly kernelGeneration: number;
  /** How many databases this start of the kernel set aside. */
  readonly quarantined: number;
}

export function begin(db: Db, { pid, profile, identity, now, damaged }: Beginning, start: Start): void {
  db.write("full", () => {
    const values = {
      pid,
      profile,
      identity,
      kernel_generation: start.kernelGeneration,
      outbox_seq: outboxSeqBefore(start.kernelGeneration, start.quarantined),
      created_at: now,
      // Numbers never restart: these are above any that was given before.
      ...(damaged ? { next_seq: Math.floor(now / 1000) } : {}),
    };
    for (const [key, value] of Object.entries(values)) {
      db.run(
        "INSERT INTO process_kv (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
        key,
        JSON.stringify(value),
      );
    }
    if (!damaged) return;
    const head = new HeadRow(db);
    head.move("fail");
    head.save();
  });
}
