// Tool calls whose server may ask a person before it answers. Questions of a process's call are stored with the call; a call of a person or of
// a process without a person is answered with no. Servers of the newer protocol hold nothing meanwhile: the answer is a new call. With older
// ones the call waits in memory and is lost with the kernel.

import type { Caller } from "../../../abi/identity.ts";
import { reveal } from "../../../lib/text/sanitize.ts";
import type { HeldCall } from "../../../store/process/approvals.ts";
import type { CallContext } from "../../../syscalls/define.ts";
import type { ServerAnswer } from "../../../syscalls/run/server-tools.ts";
import type { CallOptions } from "../link.ts";
import type { CallEnd } from "../results.ts";
import type { LinkedTool } from "../servers.ts";
import { advance, type Held, type QuestionPorts, type Step } from "./questions.ts";
import { type Root, Talk } from "./talk.ts";

export interface ConversationPorts {
  readonly begin: (linked: LinkedTool, args: Args, options: CallOptions) => Promise<CallEnd>;
  readonly log: (linked: LinkedTool, line: string) => void;
  readonly held: (pid: string, call: string) => Promise<HeldCall | null>;
  /** Whether a person can answer the process. */
  readonly hasPerson: (pid: string) => Promise<boolean>;
  readonly sample: (caller: Caller, signal: AbortSignal) => QuestionPorts["sample"];
  readonly roots: (caller: Caller) => Promise<readonly Root[]>;
  readonly progress: (caller: Caller, text: string) => void;
}

type Args = { readonly [name: string]: unknown };
type Context = Pick<CallContext, "caller" | "signal">;

interface Place extends Context {
  readonly linked: LinkedTool;
  readonly args: Args;
  /** The same for the same call of a process. */
  readonly key: string;
  readonly mayAsk: boolean;
}

export interface Conversation {
  readonly end: CallEnd;
  readonly notes: readonly string[];
  readonly asks?: ServerAnswer["asks"];
}

const PROGRESS_CHARS = 200;
const FRESH = { answers: {}, form: null } as const;
const LOST: CallEnd = {
  kind: "unknown",
  text: "gsv was restarted while its server waited for an answer; it may have run",
};

export class Conversations {
  private readonly talks = new Map<string, Talk>();
  private ownCalls = 0;

  constructor(private readonly ports: ConversationPorts) {}

  async call(context: Context, linked: LinkedTool, args: Args): Promise<Conversation> {
    const { pid, doing } = context.caller;
    // Nothing is stored for calls of a person.
    if (pid === undefined || doing === undefined) {
      const place = { ...context, linked, args, key: `own ${++this.ownCalls}`, mayAsk: false };
      return await this.ended(place, await this.begin(place), null);
    }
    const mayAsk = await this.ports.hasPerson(pid);
    const place = { ...context, linked, args, key: `${pid} ${doing.call}`, mayAsk };
    const stored = await this.ports.held(pid, doing.call);
    if (stored === null) return await this.ended(place, await this.begin(place), null);
    const held = JSON.parse(stored.held) as Held;
    const step = await this.advanced(place, held, stored.said);
    return "end" in step ? step : await this.ended(place, await this.goOn(place, step), step.held);
  }

  /** Calls that wait in memory. */
  get isWaiting(): boolean {
    return this.talks.size > 0;
  }

  /** The run is over, so nobody answers its calls any more. */
  drop(pid: string): void {
    for (const [key, talk] of this.talks) if (key.startsWith(`${pid} `)) talk.leave.abort();
  }

  private async begin(place: Place, answers: CallOptions["answers"] = null): Promise<CallEnd> {
    const { caller, signal, linked, args, key } = place;
    const talk = new Talk(
      () => this.ports.roots(caller),
      (text) => this.ports.progress(caller, reveal(text).slice(0, PROGRESS_CHARS)),
    );
    this.talks.set(key, talk);
    const forget = () => void (this.talks.get(key) === talk && this.talks.delete(key));
    talk.begin(this.ports.begin(linked, args, { signal: talk.leave.signal, talk, answers }).finally(forget));
    return await talk.next(signal);
  }

  /** Goes on until the call has ended or a person is needed. `before`: what its server asked earlier. */
  private async ended(place: Place, first: CallEnd, before: Held | null): Promise<Conversation> {
    let [end, last] = [first, before];
    while (end.kind === "asks") {
      const { how, requests, state } = end;
      const [rounds, notes] = [(last?.rounds ?? 0) + 1, last?.notes ?? []];
      const held = { ...FRESH, how, requests, state, rounds, notes };
      const step = await this.advanced(place, held, place.mayAsk ? undefined : null);
      if ("end" in step) return step;
      last = step.held;
      end = await this.goOn(place, step);
    }
    return { end, notes: last?.notes ?? [] };
  }

  /** The answers to all that the server asked; a conversation if a person is needed first. */
  private async advanced(
    { caller, signal, linked, mayAsk }: Place,
    given: Held,
    said: string | null | undefined,
  ): Promise<Conversation | Exclude<Step, { kind: "ask" }>> {
    const ports = { server: linked.row.name, sample: this.ports.sample(caller, signal) };
    let step = await advance(ports, given, said);
    while (step.kind === "ask" && !mayAsk) step = await advance(ports, step.held, null);
    const { notes } = step.held;
    for (const note of notes.slice(given.notes.length)) this.ports.log(linked, note);
    if (step.kind === "refused") this.ports.log(linked, step.why);
    if (step.kind !== "ask") return step;
    const { question, choices, held } = step;
    const asks = { question, ...(choices !== undefined && { choices }), held: JSON.stringify(held) };
    return { end: { kind: "unknown", text: "its server waits for an answer; it may have run" }, notes, asks };
  }

  private async goOn(place: Place, step: Exclude<Step, { kind: "ask" }>): Promise<CallEnd> {
    const { held } = step;
    const why = step.kind === "refused" ? step.why : null;
    if (held.how === "live") {
      const talk = this.talks.get(place.key);
      if (talk === undefined) return LOST;
      if (why === null) talk.answer(held.answers.live ?? {});
      else talk.refuse(why);
      return await talk.next(place.signal);
    }
    if (why !== null) return { kind: "failed", text: `not finished: ${why}` };
    if (held.how === "stored") return await this.begin(place, { responses: held.answers, state: held.state });
    const isAccepted = Object.values(held.answers).every((each) => (each as { action?: string }).action === "accept");
    return isAccepted ? await this.begin(place) : { kind: "failed", text: "not run: what it needs was declined" };
  }
}
