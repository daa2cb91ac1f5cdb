// A request id stands for one call with its arguments. What was carried out under an id is remembered as a checksum, the latest of them
// only: the verbs behind the calls keep their own answers, across kernels too; this keeps one id from meaning two things in between.

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
