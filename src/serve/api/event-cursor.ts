// How far a reader of events has come: the number of the last message of each process, as `init:1000:42`. For all processes of an account the
// cursor would grow for ever, so it lists only those with recent messages, and a time that the messages of all others are older than:
// `init:1000:42,task:abc123:7@1764279000000`.

import { SysError } from "../../abi/errno.ts";
import { isPid } from "../../abi/ids.ts";

/** Processes without messages for longer are left out. */
const LISTED_MS = 60_000;
/** A message may become visible that much later than its time says. */
const LATE_MS = 30_000;
const CHARS_MAX = 8000;

interface Place {
  seq: number;
  /** Time of that message. */
  at: number;
}

export class Cursor {
  private constructor(
    private readonly places: Map<string, Place>,
    /** Null if it is the cursor of one process. */
    private base: number | null,
  ) {}

  static at(pid: string, seq: number): Cursor {
    return new Cursor(new Map([[pid, { seq, at: 0 }]]), null);
  }

  static ofAll(now: number): Cursor {
    return new Cursor(new Map(), now);
  }

  /** Throws EINVAL. `pid` is the only process that is followed, if it is one. */
  static parse(text: string, pid: string | null, now: number): Cursor {
    const [list = "", base, ...rest] = text.slice(0, CHARS_MAX + 1).split("@");
    const places = new Map(list === "" ? [] : list.split(",").map((each) => placeIn(each, now)));
    const isOne = pid !== null && places.size === 1 && places.has(pid) && base === undefined;
    const isAll = pid === null && rest.length === 0 && /^[0-9]{1,15}$/.test(base ?? "");
    if (text.length > CHARS_MAX || !(isOne || isAll)) throw notOne(pid);
    return new Cursor(places, isAll ? Number(base) : null);
  }

  get text(): string {
    const list = [...this.places].map(([pid, { seq }]) => `${pid}:${seq}`).join(",");
    return this.base === null ? list : `${list}@${this.base}`;
  }

  get pids(): readonly string[] {
    return [...this.places.keys()];
  }

  /** The time that messages of unlisted processes are older than; null for one process. */
  get since(): number | null {
    return this.base;
  }

  /** Null for a process that is not listed. */
  seqOf(pid: string): number | null {
    return this.places.get(pid)?.seq ?? null;
  }

  reached(pid: string, seq: number, at: number): void {
    this.places.set(pid, { seq, at });
  }

  forget(pid: string): void {
    this.places.delete(pid);
  }

  /** Only while the reader has everything: otherwise messages between would be lost. */
  shorten(now: number): void {
    if (this.base === null || now - LISTED_MS <= this.base) return;
    this.base = Math.max(this.base, now - LATE_MS);
    for (const [pid, { at }] of this.places) if (at < now - LISTED_MS) this.places.delete(pid);
  }
}

function placeIn(text: string, now: number): readonly [string, Place] {
  const at = text.lastIndexOf(":");
  const [pid, seq] = [text.slice(0, at), text.slice(at + 1)];
  if (!isPid(pid) || !/^[0-9]{1,15}$/.test(seq)) throw notOne(null);
  return [pid, { seq: Number(seq), at: now }];
}

function notOne(pid: string | null): SysError {
  return new SysError("EINVAL", "Last-Event-ID is not a cursor of this stream", [
    pid === null ? "send the id of an event of a stream of all processes" : `for example: ${pid}:42`,
  ]);
}
