// How often a list that is on the screen is read again.

/** Of the time between two readings, at most one part in this many is spent reading: thousands of processes take a third of a second. */
const PARTS = 20;

export class ListPace {
  private next = 0;

  isResting(now: number): boolean {
    return now < this.next;
  }

  /** A reading took this long. */
  took(from: number, until: number): void {
    this.next = until + (until - from) * (PARTS - 1);
  }
}
