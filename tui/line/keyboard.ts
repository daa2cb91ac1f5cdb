// Bytes of the terminal as keys, in order: a lone escape counts once nothing follows it, and keys wait while an effect changes the line that
// they are typed on.

import type { Clock } from "../../src/lib/clock.ts";
import { KeyReader, type Typed } from "./keys.ts";

const ESCAPE_MS = 40;
/** Longer than a completion takes on a busy machine: keys that do not wait for it would lose it. */
const HOLD_MS = 5000;
/** More than three lines at once are a paste of a terminal that does not bracket it: nobody types them. */
const PASTED = /^(?:[^\r\n]*(?:\r\n?|\n)){3}[^\r\n]/;
const CONTROL = /[^\P{Cc}\r\n\t]/u;
const PASTE_MS = 50;

export class Keyboard {
  private readonly reader = new KeyReader();
  private settle: (() => void) | null = null;
  private queued: Typed[] | null = null;
  private pasting: { readonly chunks: readonly Uint8Array[]; readonly over: () => void } | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly typed: (key: Typed) => void,
    /** Called after the last key that came together with others. */
    private readonly drained: () => void,
  ) {}

  read(bytes: Uint8Array): void {
    if (this.takesPaste(bytes)) return;
    this.endPaste();
    this.settle?.();
    this.settle = null;
    this.type(this.reader.push(bytes));
    if (this.reader.isWaiting) this.settle = this.clock.after(ESCAPE_MS, () => this.type(this.reader.settle()));
  }

  /** The rest of such a paste comes within a moment. */
  private takesPaste(bytes: Uint8Array): boolean {
    if (this.reader.isInside) return false;
    const text = Buffer.from(bytes).toString();
    if (CONTROL.test(text) || (this.pasting === null && !PASTED.test(text))) return false;
    this.pasting?.over();
    const chunks = [...(this.pasting?.chunks ?? []), bytes];
    this.pasting = { chunks, over: this.clock.after(PASTE_MS, () => this.endPaste()) };
    return true;
  }

  private endPaste(): void {
    if (this.pasting === null) return;
    const { chunks, over } = this.pasting;
    this.pasting = null;
    over();
    const text = Buffer.concat(chunks).toString().replace(/\r\n?/g, "\n");
    this.type([{ type: "paste", text }]);
  }

  type(keys: readonly Typed[]): void {
    // A key may call `queueDuring`.
    for (const key of keys) {
      if (this.queued === null) this.typed(key);
      else this.queued.push(key);
    }
    if (keys.length > 0) this.drained();
  }

  /** Keys wait for `work`, but not for long. */
  async queueDuring(work: Promise<void>): Promise<void> {
    this.queued = [];
    await Promise.race([work, this.clock.sleep(HOLD_MS)]);
    const keys = this.queued;
    this.queued = null;
    this.type(keys);
  }
}
