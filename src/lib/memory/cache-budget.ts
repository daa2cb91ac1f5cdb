// One limit for the caches of a kernel. Each cache counts itself. When all together exceed the limit, they shrink, the last one added first:
// it costs least to fill again.

/** Estimated, of a Worker that has run and is idle. */
export const IDLE_WORKER_BYTES = 12 * 1024 * 1024;

export interface Cache {
  readonly name: string;
  /** Estimated. */
  bytes(): number;
  /** Drops what is not in use until at most so many bytes are left, if that is possible. */
  shrink(bytesMax: number): void;
}

export class CacheBudget {
  private readonly caches: Cache[] = [];
  private bytesMax = Number.POSITIVE_INFINITY;
  private isFitting = false;

  add(cache: Cache): void {
    this.caches.push(cache);
  }

  limit(bytesMax: number): void {
    this.bytesMax = bytesMax;
    this.fit();
  }

  get used(): number {
    return this.caches.reduce((sum, cache) => sum + cache.bytes(), 0);
  }

  /** To be called when a cache has grown. */
  fit(): void {
    // A cache may change while it shrinks.
    if (this.isFitting) return;
    this.isFitting = true;
    try {
      let excess = this.used - this.bytesMax;
      for (const cache of this.caches.toReversed()) {
        if (excess <= 0) return;
        const before = cache.bytes();
        cache.shrink(Math.max(0, before - excess));
        excess -= before - cache.bytes();
      }
    } finally {
      this.isFitting = false;
    }
  }
}
