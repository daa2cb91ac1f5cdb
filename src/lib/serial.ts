// Runs work one at a time, in order. A failure does not stop the next one.

export class Serial {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    return result;
  }
}

/** One step at a time per key. Errors are reported, and the next step runs. */
export class Serials<Key> {
  private readonly byKey = new Map<Key, { readonly serial: Serial; steps: number }>();
  private readonly all = new Set<Promise<void>>();

  constructor(private readonly onFault: (error: unknown) => void) {}

  get isIdle(): boolean {
    return this.byKey.size === 0;
  }

  has(key: Key): boolean {
    return this.byKey.has(key);
  }

  run(key: Key, step: () => Promise<void>): void {
    const work = this.byKey.get(key) ?? { serial: new Serial(), steps: 0 };
    this.byKey.set(key, work);
    work.steps++;
    const done = work.serial.run(step).finally(() => {
      if (--work.steps === 0) this.byKey.delete(key);
    });
    this.track(done);
  }

  /** Work outside of any order. */
  track(work: Promise<void>): void {
    const done: Promise<void> = work.catch(this.onFault).finally(() => this.all.delete(done));
    this.all.add(done);
  }

  /** Resolves when all steps are done, including those that they add. */
  async settled(): Promise<void> {
    while (this.all.size > 0) await Promise.all(this.all);
  }
}
