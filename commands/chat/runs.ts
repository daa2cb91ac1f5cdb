// The runs that a conversation is about: that of its message, and those of what is said meanwhile. A message that enters another run leaves the
// end to that one; of the others the last to end decides, and nothing is over while one is open or expected.

import type { Ending } from "./ending.ts";

export class FollowedRuns {
  private readonly open = new Set<string>();
  private expected = 0;
  private decided: Ending | null = null;
  /** Whose end the end of all is. */
  private last: string | null = null;

  follow(run: string): void {
    this.open.add(run);
    this.last ??= run;
  }

  /** A message was sent whose run is not known yet. */
  expect(): void {
    this.expected++;
  }

  /** It is known now, or there is none; the end of all, should that have been waited for. */
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

  /** The oldest that goes on. */
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
