// Stands in front of the current driver, so that whoever holds the store keeps it when the bytes move from disk to a bucket or back. During
// the move writers wait; readers do not.

import type { Bytes, Lying, NewObject, ObjectMeta, Receipt, StoredObjects } from "./objects.ts";

export class SwitchedObjects implements StoredObjects {
  private under: number = 0;
  private quiet: (() => void) | null = null;
  private held: Promise<void> | null = null;

  constructor(private now: StoredObjects) {}

  get bytes(): Bytes {
    return this.now.bytes;
  }

  head(key: string): Promise<ObjectMeta | null> {
    return this.now.head(key);
  }

  page(prefix: string, after: string | null, limit: number): Promise<readonly ObjectMeta[]> {
    return this.now.page(prefix, after, limit);
  }

  read(key: string, range: { readonly offset: number; readonly bytesMax: number }): Promise<Uint8Array> {
    return this.now.read(key, range);
  }

  put(object: NewObject, bytes: Uint8Array | AsyncIterable<Uint8Array>, receipt?: Receipt): Promise<ObjectMeta> {
    return this.change((store) => store.put(object, bytes, receipt));
  }

  setMeta(meta: ObjectMeta): Promise<void> {
    return this.change((store) => store.setMeta(meta));
  }

  remove(key: string, receipt?: Receipt): Promise<void> {
    return this.change((store) => store.remove(key, receipt));
  }

  rename(from: string, to: string, receipt?: Receipt): Promise<void> {
    return this.change((store) => store.rename(from, to, receipt));
  }

  discard(lying: Lying, beforeMs: number): Promise<boolean> {
    return this.change((store) => store.discard(lying, beforeMs));
  }

  recover(): Promise<number> {
    return this.now.recover();
  }

  /** Waits for the changes under way, holds those that come, and goes on with the driver that `work` returns; with this one if it throws. */
  async switch(work: () => Promise<StoredObjects>): Promise<void> {
    while (this.held !== null) await this.held;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.held = promise;
    try {
      if (this.under > 0) await new Promise<void>((done) => (this.quiet = done));
      this.now = await work();
    } finally {
      this.held = null;
      resolve();
    }
  }

  private async change<T>(work: (store: StoredObjects) => Promise<T>): Promise<T> {
    while (this.held !== null) await this.held;
    this.under++;
    try {
      return await work(this.now);
    } finally {
      if (--this.under === 0) this.quiet?.();
    }
  }
}
