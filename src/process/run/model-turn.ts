// One model call: the request is built from history, the answer comes as a stream, deltas go out as they come and nothing is stored.
// What comes back is a whole turn, a failure with its class, or an abort.

import type { ModelRequest, Provider } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Folded, Folder } from "../../providers/fold.ts";

export interface TurnOptions {
  readonly provider: Provider;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Null when nobody listens: then pieces are not even gathered. */
  readonly onDelta: ((kind: "text" | "thinking", text: string) => void) | null;
  /** Told once whom to ask what was said so far. */
  readonly onBegin?: (said: () => string) => void;
  /** Told at every piece of an answer: whoever speaks is there. */
  readonly onLife?: () => void;
}

/** Pieces of one kind are put together for this long, so that a fast stream costs few signals. */
const GATHER_MS = 16;

export async function modelTurn({
  provider,
  request,
  signal,
  clock,
  onDelta,
  onBegin,
  onLife,
}: TurnOptions): Promise<Folded> {
  const folder = new Folder();
  onBegin?.(() => folder.said);
  const gather = onDelta === null ? null : new Gather(clock, onDelta);
  try {
    for await (const event of provider.stream(request, signal)) {
      const more = folder.push(event);
      if (event.type !== "error" && event.type !== "aborted") onLife?.();
      if (gather !== null && (event.type === "text" || event.type === "thinking")) gather.add(event.type, event.text);
      if (!more) break;
    }
  } finally {
    gather?.flush();
  }
  return folder.end();
}

class Gather {
  private text = "";
  private kind: "text" | "thinking" = "text";
  private flushAt = 0;
  /** A stream that pauses keeps nobody waiting for what it said before. */
  private cancel: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly send: (kind: "text" | "thinking", text: string) => void,
  ) {}

  add(kind: "text" | "thinking", text: string): void {
    if (kind !== this.kind) this.flush();
    this.kind = kind;
    this.text += text;
    const wait = this.flushAt - this.clock.mono();
    if (wait <= 0) this.flush();
    else this.cancel ??= this.clock.after(wait, () => this.flush());
  }

  flush(): void {
    this.cancel?.();
    this.cancel = null;
    if (this.text !== "") this.send(this.kind, this.text);
    this.text = "";
    this.flushAt = this.clock.mono() + GATHER_MS;
  }
}
