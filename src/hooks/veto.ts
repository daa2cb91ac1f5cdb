// Hooks that may refuse a tool call. They run one after the other before the call, until one refuses. Status 0 allows; status 2 refuses, with
// stderr as the reason for the model. A hook that fails, hangs or has changed also refuses, unless hooks.onFault is `allow`.

import { LIMITS } from "../abi/config/limits.ts";
import { VETO, VETO_STATUS } from "../abi/hook.ts";
import { sanitize } from "../lib/text/sanitize.ts";
import type { Allowed, Hooks } from "./hooks.ts";
import { eventJson } from "./notices.ts";
import type { About, HookEnd, Runs } from "./run.ts";

export interface VetoPorts {
  readonly hooks: Hooks;
  readonly run: Runs;
  readonly log: (line: string) => void;
  /** Redacts secrets, because a model reads the text. */
  readonly conceal: (text: string) => string;
  readonly onFault: (ownerUid: number) => Promise<"refuse" | "allow">;
}

export class Vetoes {
  private asking = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly ports: VetoPorts) {}

  get busy(): boolean {
    return this.asking > 0;
  }

  /** Why the call is refused, as text for the model; null if it is not, or after an abort. */
  async objection(about: About, call: object, signal: AbortSignal): Promise<string | null> {
    const allowed = this.ports.hooks.allowed(about.ownerUid, VETO);
    if (allowed.length === 0) return null;
    const event = eventJson(VETO, about, call);
    for (const each of allowed) {
      const why =
        each.fault === null ? await this.ask(each, about, event, signal) : await this.faulty(each, about, each.fault);
      if (signal.aborted) return null;
      if (why !== null) return why;
    }
    return null;
  }

  private async ask(hook: Allowed, about: About, event: string, signal: AbortSignal): Promise<string | null> {
    const end = await this.inTurn(() => this.ports.run(hook, about, event, signal));
    if (end.how === "cut") return null;
    if (end.how === "exited" && end.status === 0) return null;
    const reason = this.reasonIn(end);
    if (end.how === "exited" && end.status === VETO_STATUS)
      return `refused by the hook ${hook.hook}: ${reason || "it gave no reason"}; do not try another way.`;
    return await this.faulty(hook, about, faultOf(end, reason));
  }

  private async faulty({ hook }: Allowed, { ownerUid }: About, fault: string): Promise<string | null> {
    this.ports.log(`hook ${hook}: ${fault}`);
    if ((await this.ports.onFault(ownerUid)) === "allow") return null;
    return `nothing was done: hook ${hook} must agree first, but gave no answer: ${fault}. A person can fix that: gsv hooks list`;
  }

  private reasonIn({ stderr }: HookEnd): string {
    const reason = sanitize(this.ports.conceal(stderr)).trim();
    return reason.slice(0, LIMITS.hookReasonCharsMax).toWellFormed();
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.asking >= LIMITS.hooksAskedMax) await new Promise<void>((go) => this.waiting.push(go));
    else this.asking++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.asking--;
      else next();
    }
  }
}

function faultOf({ how, status, ms }: HookEnd, reason: string): string {
  const detail = reason === "" ? "" : `: ${reason}`;
  if (how === "timeout") return `it did not end within ${Math.max(1, Math.round(ms / 1000))} s${detail}`;
  return how === "exited" ? `it failed with status ${status}${detail}` : `it cannot be started${detail}`;
}
