// Reads one text at a time, sentence by sentence. Each sentence is prepared while the one before it is heard, so there is no gap.

/** A voice: the browser's own, or one whose assets the server has. */
export interface Mouth {
  /** Prepares a sentence; the function that it returns says it, and resolves at its end or when the signal aborts. */
  prepare(sentence: string, signal: AbortSignal): Promise<() => Promise<void>>;
}

export type Reading =
  | { readonly kind: "quiet" }
  /** `key`: of the text. */
  | { readonly kind: "reading"; readonly key: string; readonly at: number; readonly of: number }
  | { readonly kind: "failed"; readonly key: string; readonly text: string };

export class Reader {
  private readonly listeners = new Set<() => void>();
  private reading: Reading = { kind: "quiet" };
  private stopped = new AbortController();

  /** `mouth` finds a voice; null if there is none. Called for each text: voices come and go. */
  constructor(
    private readonly mouth: () => Promise<Mouth | null>,
    private readonly missing: string,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): Reading => this.reading;

  /** Stops the text before. Resolves when it has ended or was stopped. */
  async read(key: string, sentences: readonly string[]): Promise<void> {
    this.stop();
    const { signal } = this.stopped;
    this.become({ kind: "reading", key, at: 0, of: sentences.length });
    try {
      const mouth = await this.mouth();
      if (signal.aborted) return;
      if (mouth === null) return this.become({ kind: "failed", key, text: this.missing });
      await this.readAll(mouth, key, { sentences, signal });
      if (!signal.aborted) this.become({ kind: "quiet" });
    } catch (error) {
      if (!signal.aborted) this.become({ kind: "failed", key, text: `The voice failed: ${String(error)}` });
    }
  }

  stop(): void {
    this.stopped.abort();
    this.stopped = new AbortController();
    this.become({ kind: "quiet" });
  }

  private async readAll(
    mouth: Mouth,
    key: string,
    { sentences, signal }: { readonly sentences: readonly string[]; readonly signal: AbortSignal },
  ): Promise<void> {
    const prepare = (at: number) => {
      const sentence = sentences[at];
      const prepared = sentence === undefined ? null : mouth.prepare(sentence, signal);
      // Awaited later, or never if the reading stops.
      prepared?.catch(() => undefined);
      return prepared;
    };
    let next = prepare(0);
    for (let at = 0; next !== null; at++) {
      const say = await next;
      if (signal.aborted) return;
      next = prepare(at + 1);
      this.become({ kind: "reading", key, at, of: sentences.length });
      await say();
      if (signal.aborted) return;
    }
  }

  private become(reading: Reading): void {
    this.reading = reading;
    for (const listener of this.listeners) listener();
  }
}
