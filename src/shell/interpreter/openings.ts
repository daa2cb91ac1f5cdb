// Opens files for redirections. The interpreter first empties the file, then runs the command, then writes the whole output: an allowed
// opening waits, so that both are one write. Anything else that the script asks of the kernel does it first, and so does time.

import type { Clock } from "../../lib/clock.ts";
import type { ShellStat } from "../../targets/shell.ts";
import type { KernelPort } from "./kernel-port.ts";

/** Another process may look for the file while the command runs. */
const WAIT_MS = 20;

type At = "start" | "end";

export class Openings {
  /** The last answer, while the kernel was asked nothing else. */
  private seen: { readonly path: string; readonly stat: ShellStat | null; readonly writable: boolean } | null = null;
  private asked = -1;
  private waiting: { readonly path: string; readonly at: At; readonly cancel: () => void } | null = null;

  /** A file that is opened with its content, without a look; empty until its name is known. */
  private unseen: string | null = null;

  constructor(
    private readonly kernel: KernelPort,
    private readonly clock: Pick<Clock, "after">,
    private readonly failed: (path: string, error: unknown) => void,
  ) {}

  /** null if nothing stands there. */
  async look(path: string): Promise<ShellStat | null> {
    const answer = await this.kernel.file("standing", path);
    this.seen = { path, ...answer };
    this.asked = this.kernel.asked;
    return answer.stat;
  }

  /** The stat of a path that was just looked at. */
  statOf(path: string): ShellStat | null {
    return this.known(path)?.stat ?? null;
  }

  /** Opens a file that was just looked at. False if it must be written now. */
  open(path: string, at: At): boolean {
    const known = this.known(path);
    if (known === null || !known.writable || (known.stat !== null && known.stat.kind !== "file")) return false;
    this.seen = null;
    if (at === "end" && known.stat !== null) return true;
    this.waiting?.cancel();
    this.waiting = { path, at, cancel: this.clock.after(WAIT_MS, () => void this.kernel.settle()) };
    this.kernel.hold(path, at, (error) => this.failed(path, error));
    return true;
  }

  /** The next file needs no look: its command only prints. */
  expect(): void {
    this.unseen = "";
    this.asked = this.kernel.asked;
  }

  /** False after anything else was asked, such as the names for a pattern. */
  expects(path: string): boolean {
    if (this.unseen !== "" || this.asked !== this.kernel.asked) return false;
    this.unseen = path;
    return true;
  }

  /** Opens the expected file. */
  openUnseen(path: string, at: At): boolean {
    if (this.unseen !== path) return false;
    this.unseen = null;
    this.waiting?.cancel();
    this.waiting = { path, at, cancel: () => {} };
    // The content follows in any case, and its write has the same error.
    this.kernel.hold(path, at, () => {});
    return true;
  }

  /** Before the content is written: its write also opens the file. */
  replace(path: string, at: At): void {
    if (this.waiting?.path !== path || this.waiting.at !== at) return;
    this.waiting.cancel();
    this.waiting = null;
    this.kernel.drop();
  }

  private known(path: string) {
    return this.seen?.path === path && this.asked === this.kernel.asked ? this.seen : null;
  }
}
