// One message, from sending to the end of its run. All events come through one queue, in order. The end comes from chat.complete or, if signals
// were lost, from proc.wait. Quitting never ends a run: only the first INT, or --kill-on-timeout, aborts it.

import { ENDED_BY, exitStatusOf, messageOf } from "../../src/abi/errno.ts";
import type { ProcessInfo, RunEnd, RunStatus, WaitsFor } from "../../src/abi/process/process.ts";
import { lineText } from "../../src/abi/remote.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Aborted, Answered, Sent, Spawned, WaitResult } from "../../src/syscalls/services.ts";
import type { Interruption, Io } from "../command.ts";
import { answering } from "./answers.ts";
import { Asking } from "./asking.ts";
import { type Uploads, uploaded } from "./attached.ts";
import { answered, type Ending, endingOf, endingOfFailure, endText, resultOf } from "./ending.ts";
import { FollowedRuns, Steered } from "./followed-runs.ts";
import { discardUnused, missedTexts, wholeEnding } from "./missed.ts";
import { PauseReports, pauseOf } from "./pause-reports.ts";
import { type ChatRequest, PAUSE_NAMES, runNames, SECOND_INT_MS, SETTLE_MS, sendArguments } from "./request.ts";
import { type RunEvent, RunEvents } from "./run-events.ts";
import { timedOut } from "./timeout.ts";
import type { ChatResult, ChatView } from "./view.ts";

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
  private readonly events: RunEvents;
  private readonly waiting = new AbortController();

  private pid: string | undefined;
  private sent: Sent | null = null;
  private parent: string | null = null;
  private model: string | null = null;
  private startSeq = 0;
  private readonly runs = new FollowedRuns();
  private readonly steered: Steered;
  private readonly early: Signal[] = [];
  private readonly seenSeqs = new Set<number>();
  private lastText: string | null = null;
  private readonly pauses: PauseReports;
  private readonly asking: Asking | null;
  private readonly view: ChatView;
  private pause: WaitsFor | null = null;
  private interruptedAt: number | null = null;
  private answered: boolean;

  constructor(
    private readonly io: Io,
    private readonly request: ChatRequest,
    view: ChatView,
  ) {
    this.sys = io.sys();
    this.events = new RunEvents(io);
    this.asking = request.asks ? new Asking(io, () => this.events.push({ kind: "input", fault: null })) : null;
    this.view = this.asking?.withRoom(view) ?? view;
    this.pauses = new PauseReports(this.sys, this.view, (asked, print) => this.asking?.ask(asked, print) ?? print());
    this.steered = new Steered({
      sys: this.sys,
      runs: this.runs,
      push: (event) => this.events.push(event),
    });
    this.pid = request.pid;
    this.answered = request.answers || request.asks;
  }

  async follow(): Promise<Ending> {
    const { fresh, deadline } = this.request;
    const { io, events } = this;
    events.atEnd(io.onSignal((name) => events.push({ kind: "interruption", name })));
    const { remotes } = io;
    events.atEnd(remotes.onLine((state) => void this.view.status(lineText(remotes.name, state))));
    if (deadline !== null) events.later(Math.max(0, deadline.at - io.clock.mono()), { kind: "timeout" });
    if (this.request.answers) events.atEnd(answering(io, this.steered.listener()));
    if (fresh === null) this.begin();
    else this.ask<Spawned>("proc.spawn", fresh, ({ pid }) => ({ kind: "fresh", pid }));
    for (;;) {
      const ending = await this.handle(await events.next());
      if (ending !== null) return ending;
      // stdout is closed: quit silently; the run continues.
      if (io.stdout.closed) return { status: "detached", exit: ENDED_BY.PIPE };
    }
  }

  resultOf(ending: Ending): ChatResult {
    const { pid = null, parent, model } = this;
    return resultOf({ pid, parent, run: this.runs.deciding, model }, ending);
  }

  /** After a failure: removes the process that was made for a refused message. */
  async discard(failure: unknown): Promise<void> {
    if (this.request.fresh === null || this.pid === undefined || this.sent !== null) return;
    await this.say(await discardUnused(this.sys, this.pid, failure));
  }

  leave(): void {
    this.events.end();
    this.waiting.abort();
  }

  private begin(): void {
    const { attached } = this.request;
    if (attached.length === 0) this.send({ media: [], references: "" });
    else this.events.answer(uploaded(this.io, this.pid, attached), (given) => ({ kind: "uploaded", ...given }));
  }

  private send(brought: Uploads): null {
    const { pid } = this;
    const names = runNames(this.request);
    // Without a pid, the process is only known from the answer, which may come after its first signals.
    this.events.signals(pid === undefined ? { mine: true, names } : { pid, names: [...names, ...PAUSE_NAMES] });
    const args = sendArguments(this.request, pid, brought);
    this.ask<Sent | Answered>("proc.send", args, (sent) => ({ kind: "sent", sent }));
    return null;
  }

  private ask<Answer>(name: string, args: object, event: (answer: Answer) => RunEvent, signal?: AbortSignal): void {
    this.events.answer(this.sys.call<Answer>(name, args, signal === undefined ? {} : { signal }), event);
  }

  private async handle(event: RunEvent): Promise<Ending | null> {
    switch (event.kind) {
      case "fresh":
        this.pid = event.pid;
        await this.view.fresh(event.pid);
        // Sent after the spawn, so that no signal comes before we listen.
        this.begin();
        return null;
      case "uploaded":
        this.pid = event.pid;
        return this.send(event);
      case "sent":
        return event.sent.runId === null ? answered(event.sent) : this.onSent(event.sent);
      case "signal":
        if (this.sent !== null) return this.onSignal(event.signal);
        this.early.push(event.signal);
        return null;
      case "waited":
        this.events.later(SETTLE_MS, { ...event, kind: "settled" });
        return null;
      case "settled":
        return this.runs.has(event.run) ? this.onSettled(event.run, event.result) : null;
      case "steering":
        this.steered.steer(event.steering);
        return null;
      case "steered":
        return this.onSteered(event.run, event.fault);
      case "state":
        return this.onState(event.state);
      case "paused":
        return this.pause === null ? null : this.onPaused(this.pause);
      case "interruption":
        return this.onInterruption(event.name);
      case "aborted":
        if (event.aborted) return null;
        await this.view.status(`the message stays in the queue of ${this.sent?.pid}`);
        return { status: "detached", exit: ENDED_BY.INT };
      case "input":
        return this.onInput(event.fault);
      case "timeout":
        return timedOut(this.io, this.view, {
          request: this.request,
          pid: this.sent?.pid,
          runId: this.runs.current ?? undefined,
        });
      case "failed":
        throw event.error;
    }
  }

  private async onSent(sent: Sent): Promise<Ending | null> {
    const known = this.pid !== undefined;
    const { pid, runId } = sent;
    this.sent = sent;
    this.pid = pid;
    this.parent = sent.parent ?? null;
    await this.view.sent(sent);
    if (this.request.detach) return { status: "detached", exit: 0 };
    if (!known) this.events.signals({ pid, names: PAUSE_NAMES });
    if (!known || sent.queued) this.ask<ProcessInfo>("proc.get", { pid }, (state) => ({ kind: "state", state }));
    this.wait(pid, runId);
    if (this.interruptedAt !== null) this.abort();
    this.steered.begin(pid);
    return this.replayed();
  }

  private wait(pid: string, run: string): void {
    this.runs.follow(run);
    const wait = { pids: [pid], run, wait: this.request.wait || this.answered };
    const waited = ({ results: [result] }: { results: [WaitResult] }): RunEvent => ({ kind: "waited", run, result });
    this.ask("proc.wait", wait, waited, this.waiting.signal);
  }

  private async onSteered(run: string | null, fault: string | null): Promise<Ending | null> {
    await this.say(fault);
    if (run !== null) this.wait(this.sent!.pid, run);
    return this.runs.came(run) ?? this.replayed();
  }

  private async replayed(): Promise<Ending | null> {
    for (const signal of this.early.splice(0)) {
      const ending = await this.onSignal(signal);
      if (ending !== null) return ending;
    }
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
    if (signal.name === "chat.hil") return this.pauses.asked(signal).then(() => null);
    // This message waits while the process waits, so approvals of all its runs count.
    if (signal.name === "chat.hil_closed") {
      if (!this.asking?.closed(signal.id)) await this.show(signal);
      return this.asking?.askNext().then(() => null) ?? null;
    }
    if (!("run" in signal) || signal.run === null) return null;
    if (!this.runs.has(signal.run)) {
      if (this.runs.isExpecting) this.early.push(signal);
      return null;
    }
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
        return this.onEnd(signal.run, signal);
      default:
        return this.show(signal);
    }
  }

  private show(signal: Signal): Promise<null> {
    return this.view.signal(signal).then(() => null);
  }

  /** This message waits while the process is stopped, paused or asks. */
  private async onState(status: Pick<ProcessInfo, "state" | "waitsFor">): Promise<null> {
    this.pause = pauseOf(status);
    if (this.pause === null) return null;
    if (this.answered && "id" in this.pause)
      return this.pauses.showRequest(this.pause.id, this.parent).then(() => null);
    if (!this.request.wait) this.events.later(SETTLE_MS, { kind: "paused" });
    else await this.pauses.waiting(status.state, { pid: this.pid ?? "", parent: this.parent, waitsFor: this.pause });
    return null;
  }

  private async onInput(fault: string | null): Promise<Ending | null> {
    await this.say(fault);
    if (fault !== null) return null;
    this.answered = false;
    return this.pause === null || this.request.wait ? null : this.onPaused(this.pause);
  }

  private async onEnd(run: string, end: Omit<RunEnd, "runId">): Promise<Ending | null> {
    const { status, error, reason, mergedInto } = end;
    if (mergedInto !== null && !this.runs.has(mergedInto))
      await this.view.status(`answered together with other messages in run ${mergedInto}`);
    await this.say(endText(status, error ?? reason));
    return this.runs.ended(run, endingOf(end));
  }

  private async onSettled(run: string, result: WaitResult): Promise<Ending | null> {
    const { status, error, waitsFor } = result;
    if (status === "held" && waitsFor !== null) return this.onPaused(waitsFor);
    await this.catchUp(this.startSeq);
    const ending = await wholeEnding(result, { lastText: this.lastText, view: this.view });
    await this.say(status === "killed" ? "the process was killed" : endText(ending.status as RunStatus, error));
    return this.runs.ended(run, ending);
  }

  private onPaused(waitsFor: WaitsFor): Promise<Ending> {
    return this.pauses.ending({ pid: this.pid ?? "", parent: this.parent, waitsFor });
  }

  private async say(text: string | null): Promise<void> {
    if (text !== null) await this.view.status(text);
  }

  private async onInterruption(name: Interruption): Promise<Ending | null> {
    const { sent } = this;
    if (name !== "INT") {
      await this.view.status(sent === null ? "detached" : `detached; the run continues: gsv logs ${sent.pid}`);
      return { status: "detached", exit: ENDED_BY[name] };
    }
    const now = this.io.clock.mono();
    if (this.interruptedAt !== null && now - this.interruptedAt <= SECOND_INT_MS)
      return { status: "aborted", exit: ENDED_BY.INT };
    this.interruptedAt = now;
    await this.view.status("aborting the run; press ctrl-c again to quit now");
    if (this.sent !== null) this.abort();
    return null;
  }

  private abort(): void {
    const of = { pid: this.sent?.pid, runId: this.runs.current ?? undefined };
    this.ask<Aborted>("proc.abort", of, ({ aborted }) => ({ kind: "aborted", aborted }));
  }

  private async catchUp(afterSeq: number): Promise<null> {
    const { pid } = this.sent!;
    for (const run of this.runs.all) {
      const missed = { pid, run, parent: this.parent, afterSeq: Math.max(afterSeq, this.startSeq) };
      for await (const signal of missedTexts(this.sys, missed)) await this.onSignal(signal);
    }
    return null;
  }
}
