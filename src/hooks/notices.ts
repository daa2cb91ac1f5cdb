// Runs hooks that only get notices: events of one hook in order, a few hooks at once, and a limited queue for each. Events beyond it are
// counted and dropped. Output goes to the log.

import { LIMITS } from "../abi/config/limits.ts";
import { messageOf } from "../abi/errno.ts";
import type { HookEvent } from "../abi/hook.ts";
import { reveal } from "../lib/text/sanitize.ts";
import { eventOf, type Hooks } from "./hooks.ts";
import type { About, HookEnd, Runs } from "./run.ts";

export interface NoticesPorts {
  readonly hooks: Hooks;
  readonly run: Runs;
  readonly log: (line: string) => void;
}

interface Waiting {
  readonly hook: string;
  readonly about: About;
  readonly event: string;
}

export class Notices {
  private readonly waiting: Waiting[] = [];
  private lost = 0;
  private readonly running = new Map<string, Promise<void>>();
  private readonly ending = new AbortController();

  constructor(private readonly ports: NoticesPorts) {}

  get busy(): boolean {
    return this.running.size > 0;
  }

  notify(event: HookEvent, about: About, body: object): void {
    if (this.ending.signal.aborted) return;
    const allowed = this.ports.hooks.allowed(about.ownerUid, event);
    if (allowed.length === 0) return;
    const json = eventJson(event, about, body);
    for (const { hook } of allowed) this.put({ hook, about, event: json });
    this.next();
  }

  async settled(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.values());
  }

  close(): void {
    this.ending.abort();
    this.waiting.length = 0;
  }

  // One queue per hook, so that a stuck hook does not block the others.
  private put(item: Waiting): void {
    const own = this.waiting.filter(({ hook }) => hook === item.hook);
    const bytes = own.reduce((sum, { event }) => sum + event.length, item.event.length);
    if (own.length < LIMITS.hooksQueuedMax && bytes <= LIMITS.hooksQueuedBytesMax) this.waiting.push(item);
    else this.lost++;
  }

  private next(): void {
    while (this.running.size < LIMITS.hooksRunningMax) {
      const at = this.waiting.findIndex(({ hook }) => !this.running.has(hook));
      if (at === -1) break;
      const [item] = this.waiting.splice(at, 1) as [Waiting];
      // Later: a hook that ends at once would end before it is registered.
      this.running.set(
        item.hook,
        Promise.resolve().then(() => this.carryOut(item)),
      );
    }
    if (this.lost === 0 || this.waiting.length > 0) return;
    this.ports.log(`hooks: ${this.lost} events dropped: their hooks are too slow`);
    this.lost = 0;
  }

  private async carryOut({ hook, about, event }: Waiting): Promise<void> {
    const { hooks, log } = this.ports;
    // Check again: the hook may have changed while the event waited.
    const now = hooks.allowed(about.ownerUid, eventOf(hook)).find((each) => each.hook === hook);
    try {
      if (now === undefined) return;
      if (now.fault !== null) return log(`hook ${hook} is not run: ${now.fault}`);
      const line = logLine(hook, await this.ports.run(now, about, event, this.ending.signal));
      if (line !== null) log(line);
    } catch (error) {
      log(`hook ${hook}: ${messageOf(error)}`);
    } finally {
      this.running.delete(hook);
      this.next();
    }
  }
}

export function eventJson(event: HookEvent, { pid, run, parent, at }: About, body: object): string {
  return JSON.stringify({ event, at, pid, parent, ...(run === undefined ? {} : { run }), ...body });
}

const LOGGED_CHARS_MAX = 500;

function logLine(hook: string, { how, status, stdout, stderr, ms }: HookEnd): string | null {
  const output = reveal([stdout, stderr].filter((text) => text !== "").join("\n")).slice(0, LOGGED_CHARS_MAX);
  if (how === "exited" && status === 0 && output === "") return null;
  const end = how === "exited" ? `status ${status}` : how;
  return `hook ${hook}: ${end} after ${ms} ms${output === "" ? "" : `: ${output}`}`;
}
