// One message from sending to the end of its run: everything that can happen meanwhile comes through one queue, in order.
// The run's end is told by its chat.complete or, when signals were lost, by the answer of proc.wait; a held run is reported with what
// holds it. Leaving never ends a run: only the first INT, and a timeout that was told to, abort it.

import { exitStatusOf, messageOf } from "../src/abi/errno.ts";
import type { ProcessInfo, RunEnd, RunStatus, WaitsFor } from "../src/abi/process.ts";
import type { Signal } from "../src/abi/signal.ts";
import type { Sys } from "../src/abi/sys.ts";
import { inPartText } from "../src/syscalls/format.ts";
import type { Aborted, Answered, Sent, Spawned, WaitResult } from "../src/syscalls/services.ts";
import { abortedInTime } from "./chat-abort.ts";
import { answering } from "./chat-answers.ts";
import { uploaded } from "./chat-attached.ts";
import { answered, type Ending, endingOf, endingOfFailure, endingOfWait, endText, resultOf } from "./chat-ending.ts";
import type { Happening } from "./chat-happenings.ts";
import { Holds } from "./chat-hold.ts";
import { discardUnused, missedTexts } from "./chat-missed.ts";
import { type ChatRequest, HOLD_NAMES, LEAVING, RUN_NAMES, SECOND_INT_MS, SETTLE_MS } from "./chat-request.ts";
import type { ChatResult, ChatView } from "./chat-view.ts";
import type { Interruption, Io } from "./command.ts";
import { Queue } from "./queue.ts";

/** Prints through the view as it goes and returns the exit status; throws when the message could not be sent or the kernel left. */
export async function chatRun(io: Io, request: ChatRequest, view: ChatView): Promise<number> {
  const run = new ChatRun(io, request, view);
  try {
    const ending = await run.follow();
    await view.result(run.resultOf(ending));
    return ending.exit;
  } catch (error) {
    const message = messageOf(error);
    await run.discard(error);
    await view.result(run.resultOf(endingOfFailure(exitStatusOf(error), message)));
    throw error;
  } finally {
    run.leave();
  }
}

class ChatRun {
  private readonly sys: Sys;
  private readonly queue = new Queue<Happening>();
  private readonly stops: (() => void)[] = [];
  private readonly waiting = new AbortController();

  private pid: string | undefined;
  private sent: Sent | null = null;
  private early: Signal[] = [];
  private parent: string | null = null;
  private model: string | null = null;
  private startSeq = 0;
  private readonly seenSeqs = new Set<number>();
  /** What the run said last, whole. */
  private lastText: string | null = null;
  private readonly holds: Holds;
  private held: WaitsFor | null = null;
  private interruptedAt: number | null = null;
  /** Somebody is there who may answer. */
  private answered: boolean;

  constructor(
    private readonly io: Io,
    private readonly request: ChatRequest,
    private readonly view: ChatView,
  ) {
    this.sys = io.sys();
    this.holds = new Holds(this.sys, view);
    this.pid = request.pid;
    this.answered = request.answers;
  }

  async follow(): Promise<Ending> {
    const { fresh, deadline } = this.request;
    this.stops.push(this.io.onSignal((name) => this.queue.push({ kind: "interruption", name })));
    if (deadline !== null) this.later(Math.max(0, deadline.at - this.io.clock.mono()), { kind: "timeout" });
    if (this.answered) this.stops.push(answering(this.io, (fault) => this.queue.push({ kind: "input", fault })));
    if (fresh === null) this.begin();
    else this.ask<Spawned>("proc.spawn", fresh, ({ pid }) => ({ kind: "fresh", pid }));
    for (;;) {
      const ending = await this.handle(await this.queue.next());
      if (ending !== null) return ending;
      // The reader went away: so do we, without a word, and the run goes on.
      if (this.io.stdout.closed) return { status: "detached", exit: 141 };
    }
  }

  resultOf(ending: Ending): ChatResult {
    const { sent, parent, model } = this;
    return resultOf({ pid: this.pid ?? null, parent, run: sent?.runId ?? null, model }, ending);
  }

  /** After a failure: what was made for a message that was not taken goes again. */
  async discard(failure: unknown): Promise<void> {
    if (this.request.fresh === null || this.pid === undefined || this.sent !== null) return;
    await this.say(await discardUnused(this.sys, this.pid, failure));
  }

  leave(): void {
    for (const stop of this.stops) stop();
    this.waiting.abort();
  }

  private begin(): void {
    const { attached } = this.request;
    if (attached.length === 0) {
      this.send([], "");
      return;
    }
    uploaded(this.io, this.pid, attached)
      .then((given) => this.queue.push({ kind: "uploaded", ...given }))
      .catch((error) => this.queue.push({ kind: "failed", error }));
  }

  private send(media: readonly string[], told: string): void {
    const { message, interrupt, deltas, model } = this.request;
    const { pid } = this;
    const names = deltas ? [...RUN_NAMES, "chat.delta"] : RUN_NAMES;
    // Without a pid the process is only known from the answer, and by then its first signals may have come.
    this.listen(pid === undefined ? { mine: true, names } : { pid, names: [...names, ...HOLD_NAMES] });
    const args = {
      pid,
      message: message + told,
      ...(interrupt ? { interrupt } : {}),
      ...(model === undefined ? {} : { model }),
      ...(media.length === 0 ? {} : { media }),
    };
    this.ask<Sent | Answered>("proc.send", args, (sent) => ({ kind: "sent", sent }));
  }

  private listen(filter: Parameters<Sys["on"]>[0]): void {
    this.stops.push(this.sys.on(filter, (signal) => this.queue.push({ kind: "signal", signal })));
  }

  /** The answer of a call takes its turn in the queue, like everything else. */
  private ask<Answer>(
    name: string,
    args: object,
    happening: (answer: Answer) => Happening,
    signal?: AbortSignal,
  ): void {
    this.sys
      .call<Answer>(name, args, signal === undefined ? {} : { signal })
      .then((answer) => this.queue.push(happening(answer)))
      .catch((error) => this.queue.push({ kind: "failed", error }));
  }

  private later(ms: number, happening: Happening): void {
    this.stops.push(this.io.clock.after(ms, () => this.queue.push(happening)));
  }

  private async handle(happening: Happening): Promise<Ending | null> {
    switch (happening.kind) {
      case "fresh":
        this.pid = happening.pid;
        await this.view.fresh(happening.pid);
        // Sent afterwards, like any other message, so that nothing of the answer comes before we listen.
        this.begin();
        return null;
      case "uploaded":
        this.pid = happening.pid;
        this.send(happening.media, happening.told);
        return null;
      case "sent":
        return happening.sent.runId === null ? answered(happening.sent) : this.onSent(happening.sent);
      case "signal":
        if (this.sent !== null) return this.onSignal(happening.signal);
        this.early.push(happening.signal);
        return null;
      case "waited":
        this.later(SETTLE_MS, { kind: "settled", result: happening.result });
        return null;
      case "settled":
        return this.onSettled(happening.result);
      case "state":
        return this.onState(happening.state);
      case "held":
        return this.held === null ? null : this.onHeld(this.held);
      case "interruption":
        return this.onInterruption(happening.name);
      case "aborted":
        if (happening.aborted) return null;
        await this.view.status(`the message is not being answered on its own now; it stays with ${this.sent?.pid}`);
        return { status: "detached", exit: 130 };
      case "input":
        return this.onInput(happening.fault);
      case "timeout":
        return this.onTimeout();
      case "failed":
        throw happening.error;
    }
  }

  private async onSent(sent: Sent): Promise<Ending | null> {
    const known = this.pid !== undefined;
    const { pid, runId } = sent;
    this.sent = sent;
    this.pid = pid;
    await this.view.sent(sent);
    if (this.request.detach) return { status: "detached", exit: 0 };
    if (!known) this.listen({ pid, names: HOLD_NAMES });
    if (!known || sent.queued) this.ask<ProcessInfo>("proc.get", { pid }, (state) => ({ kind: "state", state }));
    const wait = { pids: [pid], run: runId, patient: this.request.patient || this.answered };
    this.ask<{ results: [WaitResult] }>(
      "proc.wait",
      wait,
      ({ results }) => ({ kind: "waited", result: results[0] }),
      this.waiting.signal,
    );
    if (this.interruptedAt !== null) this.abort();
    for (const signal of this.early) {
      const ending = await this.onSignal(signal);
      if (ending !== null) return ending;
    }
    this.early = [];
    return null;
  }

  private async onSignal(signal: Signal): Promise<Ending | null> {
    const sent = this.sent!;
    if (signal.pid !== sent.pid) return null;
    this.parent = signal.parent;
    if (signal.name === "resync") return this.catchUp(signal.afterSeq);
    if (signal.name === "process.state") return this.onState(signal);
    if (signal.name === "process.budget" || signal.name === "process.hook")
      return this.view.status(signal.text).then(() => null);
    if (signal.name === "chat.hil") return this.holds.asked(signal).then(() => null);
    // Whoever holds the process holds this message too, so approvals of any of its runs count.
    if (signal.name === "chat.hil_closed") return this.show(signal);
    if (!("run" in signal) || signal.run !== sent.runId) return null;
    switch (signal.name) {
      case "chat.start":
        this.model = signal.model;
        this.startSeq = signal.seq;
        return this.show(signal);
      case "chat.text":
        if (this.seenSeqs.has(signal.seq)) return null;
        this.seenSeqs.add(signal.seq);
        this.lastText = signal.text;
        return this.show(signal);
      case "chat.complete":
        return this.onEnd(signal);
      default:
        return this.show(signal);
    }
  }

  private async show(signal: Signal): Promise<null> {
    await this.view.signal(signal);
    return null;
  }

  /** What holds the process holds this message, whichever run it came from. */
  private async onState({ state, waitsFor }: Pick<ProcessInfo, "state" | "waitsFor">): Promise<null> {
    const still = state === "stopped" || state === "paused";
    this.held =
      waitsFor?.kind === "model" ? null : (waitsFor ?? (still ? { kind: "person", reason: `it is ${state}` } : null));
    if (this.held === null) return null;
    if (this.answered && "id" in this.held) return this.holds.told(this.held.id, this.parent).then(() => null);
    if (!this.request.patient) this.later(SETTLE_MS, { kind: "held" });
    else await this.holds.waiting(state, { pid: this.pid ?? "", parent: this.parent, waitsFor: this.held });
    return null;
  }

  private async onInput(fault: string | null): Promise<Ending | null> {
    if (fault !== null) {
      await this.view.status(fault);
      return null;
    }
    this.answered = false;
    return this.held === null || this.request.patient ? null : this.onHeld(this.held);
  }

  private async onEnd(end: Omit<RunEnd, "runId">): Promise<Ending> {
    const { status, error, reason, mergedInto } = end;
    if (mergedInto !== null) await this.view.status(`answered together with other messages, in run ${mergedInto}`);
    await this.say(endText(status, error ?? reason));
    return endingOf(end);
  }

  private async onSettled(result: WaitResult): Promise<Ending> {
    const { status, error, waitsFor } = result;
    if (status === "held" && waitsFor !== null) return this.onHeld(waitsFor);
    await this.catchUp(this.startSeq);
    const ending = await this.whole(result);
    await this.say(status === "killed" ? "the process was killed" : endText(ending.status as RunStatus, error));
    return ending;
  }

  // The answer of proc.wait is bounded; history has the rest.
  private async whole(result: WaitResult): Promise<Ending> {
    const ending = endingOfWait(result);
    if (!result.inPart) return ending;
    if (this.lastText !== null) return { ...ending, text: this.lastText };
    await this.view.status(inPartText(result.pid));
    return ending;
  }

  private onHeld(waitsFor: WaitsFor): Promise<Ending> {
    return this.holds.ending({ pid: this.pid ?? "", parent: this.parent, waitsFor });
  }

  private async say(text: string | null): Promise<void> {
    if (text !== null) await this.view.status(text);
  }

  private async onInterruption(name: Interruption): Promise<Ending | null> {
    const { pid } = this;
    if (name !== "INT") {
      await this.view.status(pid === undefined ? "detached" : `detached; the run goes on: gsv logs ${pid}`);
      return { status: "detached", exit: LEAVING[name] };
    }
    const now = this.io.clock.mono();
    if (this.interruptedAt !== null && now - this.interruptedAt <= SECOND_INT_MS)
      return { status: "aborted", exit: 130 };
    this.interruptedAt = now;
    await this.view.status("stopping the run; press again to leave at once");
    if (this.sent !== null) this.abort();
    return null;
  }

  private abort(): void {
    const { pid, runId } = this.sent!;
    this.ask<Aborted>("proc.abort", { pid, runId }, ({ aborted }) => ({ kind: "aborted", aborted }));
  }

  private async onTimeout(): Promise<Ending> {
    const seconds = (this.request.deadline?.afterMs ?? 0) / 1000;
    const pid = this.sent?.pid;
    if (pid === undefined) {
      await this.view.status(`no kernel took the message within ${seconds} s`);
    } else if (this.request.killOnTimeout) {
      const ended = await abortedInTime(this.io, { pid, runId: this.sent?.runId });
      await this.view.status(
        `no answer within ${seconds} s${ended ? ": run aborted" : `; the message stays with ${pid}`}`,
      );
    } else await this.view.status(`no answer within ${seconds} s; the run goes on: gsv wait ${pid}`);
    return { status: "timeout", exit: 124 };
  }

  private async catchUp(afterSeq: number): Promise<null> {
    const { pid, runId: run } = this.sent!;
    const missed = { pid, run, parent: this.parent, afterSeq: Math.max(afterSeq, this.startSeq) };
    for await (const signal of missedTexts(this.sys, missed)) await this.onSignal(signal);
    return null;
  }
}
