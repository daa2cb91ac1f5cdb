// One model call: streams the answer, sends deltas, stores nothing. Returns a turn, a failure with its class, or an abort.

import type { Failure, ModelRequest, Provider } from "../../abi/stream.ts";
import { failureText } from "../../kernel/models/failure-text.ts";
import type { Model } from "../../kernel/models/model.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Folded, Folder } from "../../providers/fold.ts";

export interface TurnOptions {
  readonly provider: Provider;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Null if no client listens: then deltas are not collected. */
  readonly onDelta: ((kind: "text" | "thinking", text: string) => void) | null;
  /** Called once with a function that returns the answer so far. */
  readonly onBegin?: (said: () => string) => void;
  readonly onLife?: () => void;
}

/** Deltas of one kind are sent together at this interval, so that a fast stream needs few signals. */
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

/** Without an empty turn, which history must not contain, and with a failure as people read it. */
export function usable(answer: Folded, model: Model): Folded {
  if (answer.kind === "failure")
    return { ...answer, failure: { ...answer.failure, message: failureText(answer.failure, model) } };
  if (answer.kind !== "turn" || answer.text.trim() !== "" || answer.calls.length > 0) return answer;
  const failure: Failure =
    answer.stop === "refusal"
      ? { class: "content", message: "the model refused to answer" }
      : { class: "protocol", message: "the model returned an empty answer" };
  return { ...answer, kind: "failure", failure };
}

class Gather {
  private text = "";
  private kind: "text" | "thinking" = "text";
  private flushAt = 0;
  /** Flushes collected deltas if the stream pauses. */
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
