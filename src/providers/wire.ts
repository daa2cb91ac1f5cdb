// One answer over HTTP, whatever its format: the request is sent, the body read in frames, each frame translated, and everything that can
// go wrong becomes the last event. A server that says nothing for too long is given up. Nothing is asked twice here: that is for
// whoever wanted the answer to decide.

import type { Reported } from "../abi/process/money.ts";
import type { Failure, StreamEvent } from "../abi/stream.ts";
import type { Clock } from "../lib/clock.ts";
import type { Access } from "./access.ts";
import { statusFailure, tellable, thrownFailure, WireFailure } from "./failures.ts";
import { parsed, recordOf } from "./json.ts";
import { takesConnections } from "./reach.ts";
import { FRAME_CHARS_MAX, type Frame, type Framer } from "./sse.ts";

/** Frames of one wire format, turned into events one after the other. */
export interface Translation {
  /** Puts what the frame means into `out`; nothing comes after a last event. */
  take(frame: Frame, out: StreamEvent[]): void;
  /** The body is over without a last event. */
  end?(out: StreamEvent[]): void;
  /** What the server has said so far that the answer used: an answer that is cut has its price, too. */
  used?(): Reported | null;
}

export type Send = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface Answering {
  readonly access: Access;
  readonly clock: Clock;
  /** Aborted by whoever wanted the answer. */
  readonly signal: AbortSignal;
  /** Sends the request; `fetch` is ours, for the SDK to send with. */
  readonly send: (fetch: Send, signal: AbortSignal) => Promise<Response>;
  readonly type: string;
  readonly framer: Framer;
  readonly translation: Translation;
  /** Until the first byte; a server that loads a model first takes longer. */
  readonly firstByteMs?: number;
}

/** Half of it goes by before anybody asks whether there is a connection, and half to find out. */
const CONNECT_MS = 10_000;
const FIRST_BYTE_MS = 60_000;
const IDLE_MS = 90_000;
const ERROR_BYTES_MAX = 64 * 1024;

export async function* answered(asking: Answering): AsyncGenerator<StreamEvent> {
  const { signal, access, translation } = asking;
  const watch = new Watch(asking.clock, signal);
  const cut = (event: StreamEvent) => withUsed(event, translation.used?.() ?? null);
  const connected = watchConnection(asking, watch);
  try {
    if (signal.aborted) return yield { type: "aborted" };
    watch.within(access.totalMs);
    watch.spoke(Math.max(access.silenceMs, asking.firstByteMs ?? 0));
    watch.expect(asking.firstByteMs ?? FIRST_BYTE_MS, "did not answer");
    const response = await asking.send((url, init) => checkedFetch(asking, url, init), watch.signal);
    connected();
    if (response.body === null) throw new WireFailure({ class: "protocol", message: "the answer has no body" });
    let last = false;
    for await (const events of eventsOf(asking, response.body, watch)) {
      for (const event of events) {
        last = isLast(event);
        yield last ? cut(shown(event, access)) : event;
        if (last) return;
      }
      if (signal.aborted) return yield cut({ type: "aborted" });
    }
    const rest: StreamEvent[] = [];
    translation.end?.(rest);
    for (const event of rest) {
      yield cut(shown(event, access));
      if (isLast(event)) return;
    }
    yield cut(failed({ class: "protocol", message: "the answer stopped without an end" }));
  } catch (error) {
    const failure = () => failed(tellable(watch.failure ?? thrownFailure(error), access.apiKey));
    yield cut(signal.aborted ? { type: "aborted" } : failure());
  } finally {
    connected();
    watch.over();
  }
}

/** Call what it returns once the server has answered, or nobody waits for that any more. */
function watchConnection({ clock, access }: Answering, watch: Watch): () => void {
  let waits = true;
  const cancel = clock.after(CONNECT_MS / 2, async () => {
    const takes = await takesConnections(access.baseUrl, CONNECT_MS / 2, clock);
    if (waits && !takes) watch.giveUp(`cannot be connected to within ${CONNECT_MS / 1000} s`);
  });
  return () => {
    waits = false;
    cancel();
  };
}

// What came in one piece of the body goes on together, and pieces of one text as one: a fast stream costs few events.
async function* eventsOf(
  { framer, translation, access }: Answering,
  body: ReadableStream<Uint8Array>,
  watch: Watch,
): AsyncGenerator<readonly StreamEvent[]> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      watch.expect(IDLE_MS, "broke off in the middle of its answer");
      const out: StreamEvent[] = [];
      for (const frame of framer.push(value)) {
        translation.take(frame, out);
        if (out.length > 0 && isLast(out.at(-1)!)) break;
      }
      const events = joined(out);
      if (events.length > 0) watch.spoke(access.silenceMs);
      yield events;
    }
  } finally {
    // Whether it is over or nobody wants the rest: the server is told.
    await reader.cancel().catch(() => {});
  }
}

function joined(events: readonly StreamEvent[]): readonly StreamEvent[] {
  if (events.length < 2) return events;
  const out: StreamEvent[] = [];
  let open: { readonly type: "text" | "thinking"; pieces: string[] } | null = null;
  const close = () => {
    if (open !== null) out.push({ type: open.type, text: open.pieces.join("") });
    open = null;
  };
  for (const event of events) {
    if (event.type === "text" || event.type === "thinking") {
      if (open === null || open.type !== event.type) {
        close();
        open = { type: event.type, pieces: [] };
      }
      open.pieces.push(event.text);
    } else {
      close();
      out.push(event);
    }
  }
  close();
  return out;
}

/** An answer that is none never gets as far as an SDK, which would read an error of any size. */
async function checkedFetch(
  { type, clock }: Answering,
  url: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: "manual" });
  const said = response.headers.get("content-type") ?? "";
  if (response.ok && (said === "" || said.startsWith(type))) return response;
  const body = await beginning(response);
  if (!response.ok) {
    throw new WireFailure(
      statusFailure({ status: response.status, headers: response.headers, body, now: clock.now() }),
    );
  }
  // A server that streams errors as one object, and everything that is no model server at all.
  const told = said.includes("json") ? recordOf(parsed(body))?.error : undefined;
  const message =
    told === undefined
      ? `what answered is no model server: ${said.split(";")[0]} in the place of ${type}`
      : `the server reported: ${String(recordOf(told)?.message ?? told)}`;
  throw new WireFailure({ class: told === undefined ? "network" : "outage", message });
}

async function beginning(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (reader !== undefined && text.length < ERROR_BYTES_MAX) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // What there is of it has to do.
  } finally {
    await reader?.cancel().catch(() => {});
  }
  return text.slice(0, ERROR_BYTES_MAX);
}

/** One JSON document from a server, bounded. Throws WireFailure. */
export async function readJson(
  { access, clock, signal }: Pick<Answering, "access" | "clock" | "signal">,
  url: string,
  init: RequestInit,
  waitMs: number,
): Promise<unknown> {
  const watch = new Watch(clock, signal);
  watch.expect(waitMs, "did not answer");
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: watch.signal });
    if (!response.ok) {
      const body = await beginning(response);
      const { status, headers } = response;
      throw new WireFailure(statusFailure({ status, headers, body, now: clock.now() }));
    }
    const text = await response.text();
    if (text.length > FRAME_CHARS_MAX) throw new WireFailure({ class: "protocol", message: "the answer is too long" });
    const value = parsed(text);
    if (value === undefined) throw new WireFailure({ class: "network", message: "what answered is no model server" });
    return value;
  } catch (error) {
    throw new WireFailure(tellable(watch.failure ?? thrownFailure(error), access.apiKey));
  } finally {
    watch.over();
  }
}

function isLast({ type }: StreamEvent): boolean {
  return type === "done" || type === "error" || type === "aborted";
}

function shown(event: StreamEvent, { apiKey }: Access): StreamEvent {
  return event.type === "error" ? failed(tellable(event.failure, apiKey)) : event;
}

function withUsed(event: StreamEvent, usage: Reported | null): StreamEvent {
  return usage !== null && (event.type === "error" || event.type === "aborted") ? { ...event, usage } : event;
}

function failed(failure: Failure): StreamEvent {
  return { type: "error", failure };
}

/** Gives a server up that says nothing for too long. One timer, set anew only when it was due too early. */
class Watch {
  failure: Failure | null = null;
  private readonly abort = new AbortController();
  private dueAt = Number.POSITIVE_INFINITY;
  private silentAt = Number.POSITIVE_INFINITY;
  private overAt = Number.POSITIVE_INFINITY;
  private why = "";
  private cancel: (() => void) | null = null;
  private isOver = false;
  private readonly onAbort = () => this.abort.abort();

  constructor(
    private readonly clock: Clock,
    private readonly outer: AbortSignal,
  ) {
    if (outer.aborted) this.abort.abort();
    else outer.addEventListener("abort", this.onAbort);
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Any byte within so long is life. */
  expect(ms: number, why: string): void {
    this.dueAt = this.clock.mono() + ms;
    this.why = why;
    this.arm();
  }

  /** Something was said: bytes alone, such as pings, keep a server alive only for so long from here. */
  spoke(ms: number): void {
    this.silentAt = this.clock.mono() + ms;
  }

  /** The whole of it. */
  within(ms: number): void {
    this.overAt = this.clock.mono() + ms;
  }

  giveUp(why: string): void {
    if (this.isOver || this.failure !== null) return;
    this.failure = { class: "timeout", message: `the model server ${why}` };
    this.abort.abort();
  }

  over(): void {
    this.isOver = true;
    this.cancel?.();
    this.cancel = null;
    this.outer.removeEventListener("abort", this.onAbort);
  }

  private arm(): void {
    if (this.cancel !== null) return;
    this.cancel = this.clock.after(this.nextAt() - this.clock.mono(), () => {
      this.cancel = null;
      const now = this.clock.mono();
      if (this.nextAt() > now) return this.arm();
      this.giveUp(
        this.overAt <= now ? "takes longer for an answer than ai.generation.timeoutMs" : `${this.why} in time`,
      );
    });
  }

  private nextAt(): number {
    return Math.min(this.dueAt, this.silentAt, this.overAt);
  }
}
