// A queue with one reader.

export class Queue<T> {
  private readonly items: T[] = [];
  private wake: () => void = () => {};

  push(item: T): void {
    this.items.push(item);
    this.wake();
  }

  async next(): Promise<T> {
    for (;;) {
      const item = this.items.shift();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
