// Shows the signals of a session's process in the editor, and what the editor missed: messages from before a cut, and those that a person typed
// in a terminal.

import { messageOf } from "../../../src/abi/errno.ts";
import type { Message } from "../../../src/abi/process/message.ts";
import type { ProcessInfo, WaitsFor } from "../../../src/abi/process/process.ts";
import type { Signal } from "../../../src/abi/signal.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import { waitsForText } from "../../../src/syscalls/format.ts";
import type { ShownPrompt } from "../../../src/syscalls/proc/prompt.ts";
import type { WaitResult } from "../../../src/syscalls/services.ts";
import { toolCall, toolResult } from "./calls.ts";
import { modesOf, type Options } from "./options.ts";
import type { Requests } from "./requests.ts";
import { ERRORS, type Json, RpcError } from "./rpc.ts";
import type { Prompt, Session } from "./session.ts";
import { chunk, planUpdate, stopReason } from "./translate.ts";

export interface FollowPorts {
  readonly sys: Sys;
  readonly options: Options;
  readonly requests: Requests;
  readonly update: (session: Session, update: Json) => void;
  readonly note: (text: string) => void;
}

type Complete = Extract<Signal, { readonly name: "chat.complete" }>;

const HISTORY_PAGE = 200;
const HELD: ReadonlySet<WaitsFor["kind"]> = new Set(["person", "disk", "credential", "limit", "repair"]);

export class Follower {
  constructor(private readonly ports: FollowPorts) {}

  hear(session: Session, signal: Signal): void {
    if (session.holds(signal)) return;
    if (signal.name === "resync") this.showFirst(session, () => this.catchUp(session, signal.afterSeq));
    else if (signal.name === "chat.start" || signal.name === "chat.entered") this.entered(session, signal);
    else this.show(session, signal);
  }

  /** Signals that arrive during the work come after it. */
  before<T>(session: Session, work: () => Promise<T>): Promise<T> {
    return session.before(work, (signal) => this.hear(session, signal));
  }

  /** All messages of the process after this number that the editor does not have. */
  async replay(session: Session, afterSeq: number): Promise<void> {
    for (let after = afterSeq; ; ) {
      const messages = await this.messages(session, after, HISTORY_PAGE);
      for (const message of messages) this.replayOne(session, message);
      if (messages.length < HISTORY_PAGE) return;
      after = messages.at(-1)!.id;
    }
  }

  /** Mode, model and effort as they are now. */
  async chosen(session: Session): Promise<Json> {
    const { options, sys } = this.ports;
    const { mode } = await sys.call<ProcessInfo>("proc.get", { pid: session.pid });
    const configOptions = await options.of(session.pid, mode);
    session.options = JSON.stringify(configOptions);
    return { modes: modesOf(mode), configOptions };
  }

  private show(session: Session, signal: Signal): void {
    const { update, requests } = this.ports;
    if (signal.name === "chat.delta") this.streamed(session, signal.kind, signal.text);
    else if (signal.name === "chat.text") {
      if (session.isNew(signal.seq)) this.completed(session, signal.text, signal.thinking ?? "");
    } else if (signal.name === "chat.restart") [session.sent, session.thought] = ["", ""];
    else if (signal.name === "chat.tool_call") {
      if (session.isNew(signal.callId)) this.called(session, signal);
    } else if (signal.name === "chat.tool_result") {
      if (session.isNew(signal.seq)) this.resulted(session, signal);
    } else if (signal.name === "process.mode") {
      update(session, { sessionUpdate: "current_mode_update", currentModeId: signal.mode });
      this.showFirst(session, () => this.optionsChanged(session));
    } else if (signal.name === "chat.complete") this.ended(session, signal);
    else if (signal.name === "process.state" && signal.waitsFor !== null) this.paused(session, signal.waitsFor);
    else if (signal.name === "chat.hil_closed") requests.closed(session, signal);
  }

  private showFirst(session: Session, work: () => Promise<void>): void {
    void this.before(session, work).catch((error) => this.ports.note(messageOf(error)));
  }

  /** Messages of others than the editor: a person typed them in a terminal. */
  private entered(session: Session, signal: Extract<Signal, { name: "chat.start" | "chat.entered" }>): void {
    const entered = signal.name === "chat.start" ? [signal] : signal.messages;
    const others = entered.filter(({ run, seq }) => !session.isOwn(run) && session.isNew(seq));
    if (others.length === 0) return;
    this.showFirst(session, async () => {
      for (const { seq } of others) {
        const [message] = await this.messages(session, seq - 1, 1);
        if (message?.role === "user") this.ports.update(session, chunk("user_message_chunk", message.content));
      }
    });
  }

  /** The connection was cut, or the kernel restarted: the end of the prompt may be missing, too. */
  private async catchUp(session: Session, afterSeq: number): Promise<void> {
    await this.replay(session, session.missingAfter(afterSeq));
    const { prompt } = session;
    if (prompt !== null) void this.awaitEnd(session, prompt).catch((error) => this.ports.note(messageOf(error)));
  }

  private async awaitEnd(session: Session, prompt: Prompt): Promise<void> {
    const wanted = { pids: [session.pid], run: prompt.runId, wait: true };
    const { results } = await this.ports.sys.call<{ results: [WaitResult] }>("proc.wait", wanted);
    const [{ status, error, waitsFor }] = results;
    await this.before(session, () => this.replay(session, session.missingAfter(0)));
    if (session.prompt !== prompt) return;
    if (status === "held" && waitsFor !== null) this.paused(session, waitsFor);
    else if (status === "killed" || status === "none" || status === "held") session.finish();
    else this.settle(session, prompt, { status, error: error ?? status });
  }

  /** A run that only a person, a key, a limit or free space lets continue must not keep the editor waiting. */
  private paused(session: Session, waitsFor: WaitsFor): void {
    const { prompt } = session;
    if (prompt === null || "id" in waitsFor) return;
    const text = waitsForText(waitsFor);
    if (HELD.has(waitsFor.kind)) {
      session.prompt = null;
      const code = waitsFor.kind === "credential" ? ERRORS.credential : ERRORS.internal;
      prompt.end.reject(new RpcError(code, `the run is on hold: ${text}`));
    } else if (session.status !== text) this.ports.update(session, chunk("agent_thought_chunk", `\n${text}\n`));
    session.status = text;
  }

  private async messages({ pid }: Session, afterSeq: number, limit: number): Promise<readonly Message[]> {
    const query = { pid, afterSeq, limit };
    return (await this.ports.sys.call<{ messages: readonly Message[] }>("proc.history", query)).messages;
  }

  private replayOne(session: Session, message: Message): void {
    if (message.role === "assistant") {
      const { text, thinking = "", toolCalls = [] } = message.content;
      if (session.isNew(message.id)) this.completed(session, text, thinking);
      for (const { id: callId, name: tool, args } of toolCalls)
        if (session.isNew(callId)) this.called(session, { callId, tool, args });
    } else if (message.role !== "system" && session.isNew(message.id)) {
      if (message.role === "toolResult") {
        const { toolCallId: callId, toolName: tool, isError, output } = message.content;
        this.resulted(session, { callId, tool, ok: !isError, output });
      } else if (!session.isOwn(message.runId))
        this.ports.update(session, chunk("user_message_chunk", message.content));
    }
  }

  private called(session: Session, call: Parameters<typeof toolCall>[0]): void {
    const card = session.cardOf(call);
    const shown = toolCall({ ...call, callId: card ?? call.callId }, "in_progress", session.place);
    this.ports.update(session, { sessionUpdate: card === null ? "tool_call" : "tool_call_update", ...shown });
  }

  private resulted(session: Session, result: Parameters<typeof toolResult>[0]): void {
    this.ports.update(session, toolResult({ ...result, callId: session.shownAs(result.callId) }, session.place));
  }

  private streamed(session: Session, kind: "text" | "thinking", text: string): void {
    if (kind === "text") session.sent += text;
    else session.thought += text;
    this.ports.update(session, chunk(kind === "text" ? "agent_message_chunk" : "agent_thought_chunk", text));
  }

  /** Deltas may be lost: the committed text completes them. */
  private completed(session: Session, text: string, thinking: string): void {
    const rest = (whole: string, sent: string) => (whole.startsWith(sent) ? whole.slice(sent.length) : whole);
    const [thought, answer] = [rest(thinking, session.thought), rest(text, session.sent)];
    [session.sent, session.thought] = ["", ""];
    if (thought !== "") this.ports.update(session, chunk("agent_thought_chunk", thought));
    if (answer !== "") this.ports.update(session, chunk("agent_message_chunk", answer));
  }

  private ended(session: Session, end: Complete): void {
    for (const toolCallId of session.settled())
      this.ports.update(session, { sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
    if (session.plan.length > 0 && end.status === "ok") {
      this.ports.update(session, planUpdate(session.plan, "completed"));
      session.plan = [];
    }
    const { prompt } = session;
    if (prompt === null || (prompt.runId !== end.run && prompt.runId !== end.mergedInto)) return;
    this.settle(session, prompt, { status: end.status, error: end.error ?? end.reason });
  }

  private settle(session: Session, prompt: Prompt, end: Pick<Complete, "status"> & { readonly error: string }): void {
    session.prompt = null;
    const reason = prompt.isCancelled ? "cancelled" : stopReason(end.status);
    const answer = () => {
      if (reason !== null) prompt.end.resolve({ stopReason: reason });
      else prompt.end.reject(new RpcError(ERRORS.internal, end.error));
    };
    void this.used(session)
      .then(() => this.optionsChanged(session))
      .catch((error) => this.ports.note(messageOf(error)))
      .finally(answer);
  }

  /** What the next request would fill of the model's window, and the cost so far. */
  private async used(session: Session): Promise<void> {
    const { sys, update } = this.ports;
    const { tokens, windowTokens } = await sys.call<ShownPrompt>("proc.prompt", { pid: session.pid });
    const { costUsd } = await sys.call<ProcessInfo>("proc.get", { pid: session.pid });
    if (windowTokens === null) return;
    const cost = { amount: costUsd, currency: "USD" };
    update(session, { sessionUpdate: "usage_update", used: tokens, size: windowTokens, cost });
  }

  /** The model or the mode may have been changed in a terminal. */
  private async optionsChanged(session: Session): Promise<void> {
    const before = session.options;
    const { configOptions } = await this.chosen(session);
    if (session.options !== before)
      this.ports.update(session, { sessionUpdate: "config_option_update", configOptions });
  }
}
