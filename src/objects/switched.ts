// Wraps the current driver, so that users of the store keep it when bytes move from disk to a bucket or back. Writers wait during the move,
// readers do not.

import type { Bytes, NewObject, ObjectMeta, Receipt, StoredItem, StoredObjects } from "./objects.ts";

export class SwitchedObjects implements StoredObjects {
  private inProgress = 0;
  private onIdle: (() => void) | null = null;
  private switching: Promise<void> | null = null;

  constructor(private current: StoredObjects) {}

  get bytes(): Bytes {
    return this.current.bytes;
  }

  head(key: string): Promise<ObjectMeta | null> {
    return this.current.head(key);
  }

  heads(keys: readonly string[]): Promise<readonly ObjectMeta[]> {
    return this.current.heads(keys);
  }

  page(prefix: string, after: string | null, limit: number): Promise<readonly ObjectMeta[]> {
    return this.current.page(prefix, after, limit);
  }

  read(key: string, range: { readonly offset: number; readonly bytesMax: number }): Promise<Uint8Array> {
    return this.current.read(key, range);
  }

  put(object: NewObject, bytes: Uint8Array | AsyncIterable<Uint8Array>, receipt?: Receipt): Promise<ObjectMeta> {
    return this.change((store) => store.put(object, bytes, receipt));
  }

  putEmpty(objects: readonly NewObject[]): Promise<void> {
    return this.change((store) => store.putEmpty(objects));
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

  discard(item: StoredItem, beforeMs: number): Promise<boolean> {
    return this.change((store) => store.discard(item, beforeMs));
  }

  recover(): Promise<number> {
    return this.current.recover();
  }

  /** Waits for changes in progress, blocks new ones, and continues with the driver that `work` returns; with the old one if it throws. */
  async switch(work: () => Promise<StoredObjects>): Promise<void> {
    while (this.switching !== null) await this.switching;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.switching = promise;
    try {
      if (this.inProgress > 0) await new Promise<void>((done) => (this.onIdle = done));
      this.current = await work();
    } finally {
      this.switching = null;
      resolve();
    }
  }

  private async change<T>(work: (store: StoredObjects) => Promise<T>): Promise<T> {
    while (this.switching !== null) await this.switching;
    this.inProgress++;
    try {
      return await work(this.current);
    } finally {
      if (--this.inProgress === 0) this.onIdle?.();
    }
  }
}
