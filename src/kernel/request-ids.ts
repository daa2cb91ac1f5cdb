// Remembers the latest request ids with a checksum of their arguments, so that one id for two different calls is refused. A retry repeats its id;
// the stores keep the answers, across kernels too.

const KEPT_MAX = 10_000;

export class RequestIds {
  /** Oldest first. */
  private readonly bodies = new Map<string, string>();

  /** Whether the id stood for another call. */
  isOther(key: string, bodyHash: string): boolean {
    const known = this.bodies.get(key);
    return known !== undefined && known !== bodyHash;
  }

  used(key: string, bodyHash: string): void {
    this.bodies.delete(key);
    this.bodies.set(key, bodyHash);
    const [oldest] = this.bodies.keys();
    if (this.bodies.size > KEPT_MAX && oldest !== undefined) this.bodies.delete(oldest);
  }
}
