// One answer over HTTP, for all formats: sends the request, reads frames, translates them, and turns every error into the last event. A
// silent server times out. Never retries: that is up to the caller.

import type { Reported } from "../abi/process/money.ts";
import type { Failure, StreamEvent } from "../abi/stream.ts";
import type { Clock } from "../lib/clock.ts";
import type { Access } from "./access.ts";
import { fetchWhole } from "./body.ts";
import { publicFailure, statusFailure, thrownFailure, WireFailure } from "./failures.ts";
import { parsed, recordOf } from "./json.ts";
import { answersOver, takesConnections } from "./reach.ts";
import { FRAME_CHARS_MAX, type Frame, type Framer } from "./sse.ts";

/** Translates frames of one format into events. */
export interface Translation {
  /** Appends events to `out`; none after a last event. */
  take(frame: Frame, out: StreamEvent[]): void;
  /** The body ended without a last event. */
  end?(out: StreamEvent[]): void;
  /** Usage reported so far: a cut answer has its price, too. */
  used?(): Reported | null;
}

export type Send = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface AnswerRequest {
  readonly access: Access;
  readonly clock: Clock;
  /** Aborted by the caller. */
  readonly signal: AbortSignal;
  /** Sends the request. SDKs must use the given `fetch`. */
  readonly send: (fetch: Send, signal: AbortSignal) => Promise<Response>;
  readonly type: string;
  readonly framer: Framer;
  readonly translation: Translation;
  /** Limit for the first byte; longer for servers that load models. */
  readonly firstByteMs?: number;
}

/** What a server did that sends bytes, such as pings, but no content. */
const PINGS: Failure = { class: "server", message: "the model server sends pings, but no answer" };
const STOPPED: Failure = {
  class: "timeout",
  message: "the model server stopped in the middle of its answer and sends only pings",
};

/** One half to wait for an answer, the other to test the connection. */
const CONNECT_MS = 10_000;
const FIRST_BYTE_MS = 60_000;
const IDLE_MS = 90_000;
/** An answer that takes longer than this is read 20 times a second: to read and show one token at a time costs ten times as much. */
const STEADY_AFTER_MS = 250;
const FRAME_MS = 50;
const ERROR_BYTES_MAX = 64 * 1024;

export async function* answered(asking: AnswerRequest): AsyncGenerator<StreamEvent> {
  const { signal, access, translation } = asking;
  const watch = new Timeouts(asking.clock, signal);
  const cut = (event: StreamEvent) => withUsed(event, translation.used?.() ?? null);
  const connected = watchConnection(asking, watch);
  let begun = false;
  try {
    if (signal.aborted) return yield { type: "aborted" };
    watch.totalWithin(access.totalMs);
    watch.contentWithin(Math.max(access.silenceMs, asking.firstByteMs ?? 0), PINGS);
    watch.expect(asking.firstByteMs ?? FIRST_BYTE_MS, "did not answer");
    const response = await asking.send((url, init) => checkedFetch(asking, url, init), watch.signal);
    begun = true;
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
    yield cut(failed(CUT_OFF));
  } catch (error) {
    yield cut(signal.aborted ? { type: "aborted" } : failed(await failureOf(asking, watch, { error, begun })));
  } finally {
    connected();
    watch.over();
  }
}

/** The server was there, so it is retried like one that is overloaded. */
const CUT_OFF: Failure = { class: "outage", message: "the model server cut off its answer" };

async function failureOf(
  { access, clock }: AnswerRequest,
  watch: Timeouts,
  { error, begun }: { readonly error: unknown; readonly begun: boolean },
): Promise<Failure> {
  const failure = watch.failure ?? thrownFailure(error);
  if (begun && failure.class === "network" && !failure.isOffline) return CUT_OFF;
  const mayBeOther = !begun && (failure.class === "server" || failure.message.includes("ECONNRESET"));
  const other = mayBeOther ? await otherProtocol(access.baseUrl, clock) : null;
  return other ?? publicFailure(failure, access.apiKey);
}

/** Why a request failed if the address speaks the other of HTTP and HTTPS. */
async function otherProtocol(address: string, clock: Clock): Promise<Failure | null> {
  const { protocol, host } = new URL(address);
  const [other, name] = protocol === "https:" ? (["http:", "plain HTTP"] as const) : (["https:", "TLS"] as const);
  if (!(await answersOver(other, address, clock))) return null;
  return { class: "server", message: `the model server at ${host} speaks ${name}: its address begins with ${other}//` };
}

/** Call the returned function when the server has answered or the request is over. */
function watchConnection({ clock, access }: AnswerRequest, watch: Timeouts): () => void {
  let waits = true;
  const cancel = clock.after(CONNECT_MS / 2, async () => {
    const takes = await takesConnections(access.baseUrl, CONNECT_MS / 2, clock);
    if (waits && !takes) watch.giveUp(`did not accept a connection within ${CONNECT_MS / 1000} s`);
  });
  return () => {
    waits = false;
    cancel();
  };
}

// Events of one read are yielded together, and text pieces joined: a fast stream costs few events.
async function* eventsOf(
  { framer, translation, access, clock }: AnswerRequest,
  body: ReadableStream<Uint8Array>,
  watch: Timeouts,
): AsyncGenerator<readonly StreamEvent[]> {
  const reader = body.getReader();
  const steadyAt = clock.mono() + STEADY_AFTER_MS;
  try {
    for (let readAt = clock.mono(); ; readAt = clock.mono()) {
      const { done, value } = await reader.read();
      if (done) return;
      watch.expect(IDLE_MS, "stopped in the middle of its answer");
      const out: StreamEvent[] = [];
      for (const frame of framer.push(value)) {
        translation.take(frame, out);
        if (out.length > 0 && isLast(out.at(-1)!)) break;
      }
      const events = joined(out);
      if (events.length > 0) watch.contentWithin(access.silenceMs, STOPPED);
      yield events;
      const early = readAt + FRAME_MS - clock.mono();
      if (readAt >= steadyAt && early > 0) await clock.sleep(early, watch.signal);
    }
  } finally {
    // Tells the server that no more is wanted.
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

/** Errors must not reach an SDK, which would read bodies of any size. */
async function checkedFetch(
  { type, clock, access }: AnswerRequest,
  url: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetchWhole(url, { ...init });
  const said = response.headers.get("content-type") ?? "";
  if (response.ok && (said === "" || said.startsWith(type))) return response;
  const body = await beginning(response);
  if (!response.ok) {
    const { status, headers } = response;
    // Some servers answer plain HTTP on a TLS port so.
    const other = status === 400 && !said.includes("json") ? await otherProtocol(access.baseUrl, clock) : null;
    throw new WireFailure(other ?? statusFailure({ status, headers, body, now: clock.now() }));
  }
  // Some servers send errors as one JSON object; anything else is not a model server.
  const told = said.includes("json") ? recordOf(parsed(body))?.error : undefined;
  const message =
    told === undefined
      ? `not a model server: it sent ${said.split(";")[0]} instead of ${type}`
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
    // Use what was read.
  } finally {
    await reader?.cancel().catch(() => {});
  }
  return text.slice(0, ERROR_BYTES_MAX);
}

/** Fetches one JSON document of limited size. Throws WireFailure. */
export async function readJson(
  { access, clock, signal }: Pick<AnswerRequest, "access" | "clock" | "signal">,
  url: string,
  init: RequestInit,
  waitMs: number,
): Promise<unknown> {
  const watch = new Timeouts(clock, signal);
  watch.expect(waitMs, "did not answer");
  try {
    const response = await fetchWhole(url, { ...init, signal: watch.signal });
    if (!response.ok) {
      const body = await beginning(response);
      const { status, headers } = response;
      throw new WireFailure(statusFailure({ status, headers, body, now: clock.now() }));
    }
    const text = await response.text();
    if (text.length > FRAME_CHARS_MAX) throw new WireFailure({ class: "protocol", message: "the answer is too long" });
    const value = parsed(text);
    if (value === undefined) throw new WireFailure({ class: "network", message: "not a model server" });
    return value;
  } catch (error) {
    throw new WireFailure(publicFailure(watch.failure ?? thrownFailure(error), access.apiKey));
  } finally {
    watch.over();
  }
}

function isLast({ type }: StreamEvent): boolean {
  return type === "done" || type === "error" || type === "aborted";
}

function shown(event: StreamEvent, { apiKey }: Access): StreamEvent {
  return event.type === "error" ? failed(publicFailure(event.failure, apiKey)) : event;
}

function withUsed(event: StreamEvent, usage: Reported | null): StreamEvent {
  return usage !== null && (event.type === "error" || event.type === "aborted") ? { ...event, usage } : event;
}

function failed(failure: Failure): StreamEvent {
  return { type: "error", failure };
}

/** Timeouts of one answer. One timer, rearmed only if it fired too early. */
class Timeouts {
  failure: Failure | null = null;
  private readonly abort = new AbortController();
  private dueAt = Number.POSITIVE_INFINITY;
  private silentAt = Number.POSITIVE_INFINITY;
  private overAt = Number.POSITIVE_INFINITY;
  private why = "";
  private silence: Failure = PINGS;
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

  /** Limit for the next byte. */
  expect(ms: number, why: string): void {
    this.dueAt = this.clock.mono() + ms;
    this.why = why;
    this.arm();
  }

  /** Limit for the next content: bytes such as pings do not count. */
  contentWithin(ms: number, otherwise: Failure): void {
    this.silentAt = this.clock.mono() + ms;
    this.silence = otherwise;
  }

  /** Limit for the whole answer. */
  totalWithin(ms: number): void {
    this.overAt = this.clock.mono() + ms;
  }

  giveUp(why: string): void {
    this.fail({ class: "timeout", message: `the model server ${why}` });
  }

  over(): void {
    this.isOver = true;
    this.cancel?.();
    this.cancel = null;
    this.outer.removeEventListener("abort", this.onAbort);
  }

  private fail(failure: Failure): void {
    if (this.isOver || this.failure !== null) return;
    this.failure = failure;
    this.abort.abort();
  }

  private arm(): void {
    if (this.cancel !== null) return;
    this.cancel = this.clock.after(this.nextAt() - this.clock.mono(), () => {
      this.cancel = null;
      const now = this.clock.mono();
      if (this.nextAt() > now) return this.arm();
      if (this.overAt <= now) this.giveUp("took longer than ai.generation.timeoutMs");
      else if (this.dueAt <= now) this.giveUp(`${this.why} in time`);
      else this.fail(this.silence);
    });
  }

  private nextAt(): number {
    return Math.min(this.dueAt, this.silentAt, this.overAt);
  }
}
