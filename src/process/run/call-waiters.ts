// Who waits for the next call of a process is told that there is one; what it was stands in the log. A hint and no more: after a wait, whoever
// waited reads the log.

export class CallsHeard {
  private readonly waiting = new Map<string, PromiseWithResolvers<void>>();

  /** A call of this process is in its log now. */
  heard(pid: string): void {
    this.waiting.get(pid)?.resolve();
    this.waiting.delete(pid);
  }

  /** Asked for before the log is read, so that nothing comes between the two. */
  next(pid: string): Promise<void> {
    const known = this.waiting.get(pid);
    if (known !== undefined) return known.promise;
    const waiting = Promise.withResolvers<void>();
    this.waiting.set(pid, waiting);
    return waiting.promise;
  }
}
