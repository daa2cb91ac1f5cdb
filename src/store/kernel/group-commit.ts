// One FULL commit for the writes that come at nearly the same time: all of them are on disk before the first is answered. A write that
// throws changes nothing, and fails alone.

import { realClock } from "../../lib/clock.ts";
import { type Db, StoreUnavailable } from "../open.ts";
import type { KernelDb } from "./db.ts";

/** A group of a hundred spawns is cut here: the first ones should not wait for the last. */
const GATHER_MS = 3;

interface Waiting {
  readonly attempt: (db: Db, isAlone: boolean) => void;
  readonly answer: () => void;
  readonly fail: (error: unknown) => void;
}

export class GroupCommit {
  private waiting: Waiting[] = [];

  constructor(private readonly kernel: Pick<KernelDb, "write">) {}

  write<T>(body: (db: Db) => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let answer = () => {};
    const attempt = (db: Db, isAlone: boolean) => {
      try {
        const result = isAlone ? body(db) : db.attempt(() => body(db));
        answer = () => resolve(result);
      } catch (error) {
        // The disk is full for all, and one write alone has nobody to spare.
        if (isAlone || error instanceof StoreUnavailable) throw error;
        answer = () => reject(error);
      }
    };
    this.waiting.push({ attempt, answer: () => answer(), fail: reject });
    if (this.waiting.length === 1) this.gather(1, realClock.mono());
    return promise;
  }

  /** Another turn of the loop as long as each brings a write. */
  private gather(seen: number, since: number): void {
    setImmediate(() => {
      const { length } = this.waiting;
      if (length > seen && realClock.mono() - since < GATHER_MS) this.gather(length, since);
      else this.commit(this.waiting.splice(0));
    });
  }

  private commit(group: readonly Waiting[]): void {
    try {
      this.kernel.write("full", (db) => {
        for (const { attempt } of group) attempt(db, group.length === 1);
      });
    } catch (error) {
      for (const { fail } of group) fail(error);
      return;
    }
    for (const { answer } of group) answer();
  }
}
