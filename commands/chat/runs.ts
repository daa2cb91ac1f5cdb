// The runs of a chat: that of its message and those of messages sent meanwhile. A message that entered another run ends with that run. The last
// run to end decides the result.

import type { Ending } from "./ending.ts";

export class FollowedRuns {
  private readonly open = new Set<string>();
  private expected = 0;
  private decided: Ending | null = null;
  /** The run that decides the result. */
  private last: string | null = null;

  follow(run: string): void {
    this.open.add(run);
    this.last ??= run;
  }

  /** A message was sent, and its run is not known yet. */
  expect(): void {
    this.expected++;
  }

  /** The run of a message, or null; returns the result if that was the last open question. */
  came(run: string | null): Ending | null {
    this.expected--;
    if (run !== null) this.follow(run);
    return this.end;
  }

  has(run: string): boolean {
    return this.open.has(run);
  }

  get isExpecting(): boolean {
    return this.expected > 0;
  }

  get all(): readonly string[] {
    return [...this.open];
  }

  /** The oldest open run. */
  get current(): string | null {
    return this.all[0] ?? null;
  }

  get deciding(): string | null {
    return this.last;
  }

  /** The end of all, when this was the last. */
  ended(run: string, ending: Ending): Ending | null {
    const into = ending.mergedInto ?? null;
    const isLeft = into !== null && (this.has(into) || this.last === into);
    this.open.delete(run);
    if (this.decided === null || !isLeft) {
      this.decided = ending;
      this.last = run;
    }
    return this.end;
  }

  private get end(): Ending | null {
    return this.open.size === 0 && this.expected === 0 ? this.decided : null;
  }
}
