// `GET /api/events`: what happens in an account, as server-sent events. `message` events are the stored messages, each once and in order, with
// a cursor as id: after a cut, Last-Event-ID continues there. All other events are signals without an id; a cut or a slow reader loses some,
// and the state of the processes follows.

import { LIMITS } from "../../abi/config/limits.ts";
import { messageOf, SysError } from "../../abi/errno.ts";
import { isPid } from "../../abi/ids.ts";
import type { ProcessInfo } from "../../abi/process/process.ts";
import { namesSignals, type Signal, wantsName } from "../../abi/signal.ts";
import type { Sys } from "../../abi/sys.ts";
import { HEADERS } from "../rest.ts";
import type { ServeHost, Visit } from "../route.ts";
import { Cursor } from "./event-cursor.ts";
import { EventFeed, MESSAGE_SIGNALS, type Waiting } from "./event-feed.ts";
import { Histories } from "./event-messages.ts";

interface Wish {
  /** Null for all processes. */
  readonly pid: string | null;
  /** Null for all events. */
  readonly types: readonly string[] | null;
  readonly cursor: string | null;
}

const PING_MS = 15_000;
/** Pieces of text that come fast are sent together. */
const GATHER_MS = 30;
const CHUNK_CHARS = 64 * 1024;
const RETRY_MS = 1000;
const MESSAGE = "message";

/** Streams of each listener. */
const streams = new WeakMap<ServeHost, number>();

export async function answerEvents(visit: Visit): Promise<Response> {
  const wish = wishIn(visit);
  const { host } = visit;
  if ((streams.get(host) ?? 0) >= LIMITS.connectionsMax)
    throw new SysError("EAGAIN", `${LIMITS.connectionsMax} clients read events, the maximum`);
  visit.unlimited();
  const sys = await visit.open();
  const stream = new EventStream(sys, wish, visit);
  try {
    await stream.begin(wish);
  } catch (error) {
    await stream.close();
    throw error;
  }
  const headers = { ...HEADERS, "content-type": "text/event-stream", "x-accel-buffering": "no" };
  if (visit.request.method === "HEAD") {
    await stream.close();
    return new Response(null, { headers });
  }
  // A generator is asked for more only while the reader takes it.
  return new Response(stream.chunks() as unknown as ReadableStream<string>, { headers });
}

class EventStream {
  private readonly feed: EventFeed;
  private readonly histories: Histories;
  private readonly stopHearing: () => void;
  private readonly wantsState: boolean;
  private readonly wantsMessages: boolean;
  private cursor!: Cursor;
  private resumed = false;
  private isOver = false;
  private hasLeft = false;
  /** Ends the listening to signals that outlive this stream. */
  private readonly closed = new AbortController();
  private wake = () => {};

  constructor(
    private readonly sys: Sys,
    { pid, types }: Wish,
    private readonly visit: Visit,
  ) {
    const { host, request, left, closing, ended } = visit;
    streams.set(host, (streams.get(host) ?? 0) + 1);
    const wants = (name: string) => types === null || wantsName({ names: types }, name as Signal["name"]);
    this.wantsState = wants("process.state");
    this.wantsMessages = types === null || types.includes(MESSAGE);
    this.feed = new EventFeed({ wants, wantsMessages: this.wantsMessages });
    this.histories = new Histories(sys);
    this.stopHearing = sys.on(pid === null ? {} : { pid }, (signal) => this.feed.hear(signal));
    const end = () => {
      this.isOver = true;
      this.wake();
    };
    const { signal } = this.closed;
    for (const each of [closing, ended]) each.addEventListener("abort", end, { signal });
    left.addEventListener("abort", () => this.wake(), { signal });
    request.signal.addEventListener("abort", () => {
      end();
      // A reader that left before it read anything never starts the generator.
      void this.close();
    });
  }

  /** Throws for a process that does not exist, and for a cursor that is none. */
  async begin({ pid, cursor }: Wish): Promise<void> {
    const now = this.visit.host.clock.now();
    // Machines hear nothing, so a stream would stay empty.
    await (pid === null ? this.sys.call("system.whoami", {}) : this.sys.call("proc.get", { pid }));
    this.resumed = cursor !== null;
    if (cursor !== null) this.cursor = Cursor.parse(cursor, pid, now);
    else this.cursor = pid === null ? Cursor.ofAll(now) : Cursor.at(pid, await this.histories.lastOf(pid));
  }

  async *chunks(): AsyncGenerator<string> {
    try {
      // An id without data: a reader that is cut before the first event continues from here.
      yield `retry: ${RETRY_MS}\nid: ${this.cursor.text}\n\n`;
      if (this.resumed) yield* this.missed();
      while (!this.isOver) {
        let chunk = "";
        if (this.visit.left.aborted && !this.hasLeft) {
          this.hasLeft = true;
          chunk = event("bye", JSON.stringify({ why: this.visit.left.reason }));
        }
        for (let item = this.feed.take(); item !== undefined; item = this.feed.take())
          for await (const text of this.textsOf(item)) {
            chunk += text;
            if (chunk.length < CHUNK_CHARS) continue;
            yield chunk;
            chunk = "";
          }
        if (chunk !== "") yield chunk;
        this.cursor.shorten(this.visit.host.clock.now());
        if (!(await this.news()) && !this.isOver) {
          // Another reason than its token may end an account.
          await this.sys.call("system.whoami", {});
          yield ": ping\n\n";
        }
      }
      if (this.visit.ended.aborted) throw this.visit.ended.reason;
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      yield event("error", JSON.stringify({ code: error.code, detail: messageOf(error) }));
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    if (this.closed.signal.aborted) return;
    this.closed.abort();
    const { host } = this.visit;
    streams.set(host, (streams.get(host) ?? 1) - 1);
    this.stopHearing();
    await this.sys.close();
  }

  /** False if nothing came for a while. */
  private async news(): Promise<boolean> {
    const { clock } = this.visit.host;
    if (this.isOver) return true;
    const came = await new Promise<boolean>((resolve) => {
      const cancel = clock.after(PING_MS, () => resolve(false));
      this.wake = () => {
        cancel();
        resolve(true);
      };
      if (this.visit.left.aborted && !this.hasLeft) this.wake();
      this.feed.onNews(() => this.wake());
    });
    this.wake = () => {};
    if (came && !this.isOver && this.feed.hasOnlyDeltas && !this.visit.left.aborted) await clock.sleep(GATHER_MS);
    return came;
  }

  private async *textsOf(item: Waiting): AsyncGenerator<string> {
    switch (item.kind) {
      case "signal":
        return yield event(item.name, item.data);
      case "delta":
        return yield event("chat.delta", JSON.stringify(item.delta));
      case "grown":
        return yield* this.messages(item.pid, item.seq);
      case "gone":
        return this.cursor.forget(item.pid);
      case "dropped":
        yield event("dropped", JSON.stringify({ pids: [...item.pids] }));
        return yield* this.states(item.pids);
    }
  }

  /** After a cut: the messages since, and the states now. */
  private async *missed(): AsyncGenerator<string> {
    const { since } = this.cursor;
    const pids = new Set(this.cursor.pids);
    if (since !== null) for (const pid of await this.histories.activeSince(since)) pids.add(pid);
    for (const pid of pids) yield* this.messages(pid, null);
    yield* this.states(pids);
  }

  private async *messages(pid: string, until: number | null): AsyncGenerator<string> {
    if (!this.wantsMessages) return;
    const known = this.cursor.seqOf(pid);
    if (known !== null && until !== null && known >= until) return;
    const after = known ?? (await this.histories.before(pid, this.cursor.since ?? 0, until));
    for await (const found of this.histories.after(pid, after, until)) {
      if (found.kind === "gap") yield event("gap", JSON.stringify({ pid, afterSeq: found.afterSeq, seq: found.seq }));
      else {
        const { message } = found;
        this.cursor.reached(pid, message.id, message.timestamp);
        yield `id: ${this.cursor.text}\n${event(MESSAGE, JSON.stringify({ pid, ...message }))}`;
      }
    }
  }

  private async *states(pids: Iterable<string>): AsyncGenerator<string> {
    if (!this.wantsState) return;
    for (const pid of pids) {
      const info = await this.histories.process(pid);
      if (info !== null) yield event("process.state", stateText(info, this.visit.host.clock.now()));
    }
  }
}

function stateText({ pid, uid, parentPid: parent, state, queued, waitsFor }: ProcessInfo, at: number): string {
  return JSON.stringify({ name: "process.state", pid, uid, parent, at, state, queued, waitsFor });
}

function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

function wishIn({ url, request }: Visit): Wish {
  const { searchParams: query } = url;
  for (const name of query.keys())
    if (!["pid", "types", "after"].includes(name))
      throw new SysError("EINVAL", `unknown parameter ${name.slice(0, 40)}`, ["valid: pid, types, after"]);
  const pid = query.get("pid");
  if (pid !== null && !isPid(pid)) throw new SysError("ESRCH", `no such process: ${pid.slice(0, 40)}`);
  const types = query.get("types")?.split(",") ?? null;
  const wrong = types?.find((type) => type !== MESSAGE && (!namesSignals(type) || MESSAGE_SIGNALS.has(type)));
  if (wrong !== undefined)
    throw new SysError("EINVAL", `no such type of event: ${wrong.slice(0, 40)}`, [
      "for example: types=message,chat.delta,process.*; texts and results of tools come as message",
    ]);
  return { pid, types, cursor: request.headers.get("last-event-id") ?? query.get("after") };
}
