// What the reducer asks for, done: calls to the kernel, lines of the shell, the editor, the pager. Nothing here decides; what comes of it goes
// back as something that happened.

import type { Io } from "../commands/command.ts";
import { allProcesses } from "../commands/top.ts";
import { messageOf, SysError } from "../src/abi/errno.ts";
import type { Approval, ProcessInfo } from "../src/abi/process.ts";
import { reveal, sanitize } from "../src/lib/sanitize.ts";
import type { Answer } from "../src/syscalls/approval-service.ts";
import type { HistoryPage, Sent, Spawned } from "../src/syscalls/services.ts";
import { SHOWN_MESSAGES } from "./attach.ts";
import type { Editing } from "./editor.ts";
import type { Past } from "./history.ts";
import type { LineShell } from "./line-shell.ts";
import type { Route } from "./route.ts";
import type { Context, Effect, Entry, Happening, State } from "./state.ts";

export interface EffectsOptions {
  readonly io: Io;
  readonly shell: LineShell;
  readonly state: () => State;
  readonly happen: (happening: Happening) => void;
  readonly print: (entry: Entry) => void;
  /** Work that has the terminal, one after the other. */
  readonly route: (text: string, pinned: State["pinned"]) => Route;
  readonly withTerminal: (work: () => Promise<void>) => void;
  readonly suspend: () => Promise<void>;
  readonly pushUp: () => void;
  readonly remember: (entry: Past) => void;
  readonly leave: (status: number) => void;
  /** Keys wait until this is over: they are typed on what it makes. */
  readonly hold: (work: Promise<void>) => void;
  /** Talks to this process from now on. */
  readonly attach: (pid: string) => void;
}

export class Effects {
  /** Messages that the kernel has not taken yet. */
  private readonly sending = new Set<Promise<void>>();

  constructor(private readonly options: EffectsOptions) {}

  carryOut(effect: Effect): void {
    const { print, withTerminal, suspend, pushUp, remember, leave, attach, hold, state } = this.options;
    const { pid } = state();
    if (effect.do === "print") print(effect.entry);
    else if (effect.do === "send") this.send(effect);
    else if (effect.do === "withdraw") void this.call("proc.abort", { pid, runId: effect.runId });
    else if (effect.do === "stop") void this.call("proc.abort", { pid });
    else if (effect.do === "answer") void this.answer(effect.answer);
    else if (effect.do === "measure") void this.measure(pid);
    else if (effect.do === "remember") remember(effect.entry);
    else if (effect.do === "catch-up") void this.catchUp(effect.afterSeq);
    else if (effect.do === "push-up") pushUp();
    else if (effect.do === "leave") void Promise.all(this.sending).finally(() => leave(0));
    else if (effect.do === "complete") hold(this.complete(effect.of));
    else if (effect.do === "list") void this.list();
    else if (effect.do === "attach") attach(effect.pid);
    else if (effect.do === "new") void this.spawn();
    else if (effect.do === "signal") void this.call("proc.signal", { pid: effect.pid, signal: effect.signal });
    else if (effect.do === "end") void this.call("proc.kill", { pid: effect.pid });
    else if (effect.do === "suspend") withTerminal(suspend);
    else if (effect.do === "run") withTerminal(() => this.runLine(effect));
    else if (effect.do === "edit") withTerminal(() => this.edit(effect.text));
    else if (effect.do === "show-ask") withTerminal(() => this.showAsk(effect.id));
    else if (effect.do === "edit-ask") withTerminal(() => this.editAsk(effect.id));
    else withTerminal(() => this.page(effect.text, effect.where));
  }

  private send(effect: Effect & { readonly do: "send" }): void {
    const sending = this.sent(effect).finally(() => this.sending.delete(sending));
    this.sending.add(sending);
  }

  private async sent({ pid, key, text, interrupt }: Effect & { readonly do: "send" }): Promise<void> {
    const { io, happen } = this.options;
    const args = { pid, message: text, ...(interrupt ? { interrupt } : {}) };
    try {
      const { runId } = await io.sys().call<Sent>("proc.send", args);
      happen({ type: "sent", key, runId });
    } catch (error) {
      happen({ type: "refused", key, message: text, why: worded(error) });
    }
  }

  /** Where it cannot be told there is no meter, and nothing else is lost. */
  private async measure(pid: string): Promise<void> {
    const { io, state, happen } = this.options;
    const view = await io
      .sys()
      .call<{ readonly context: Context }>("proc.history.policy", { pid })
      .catch(() => null);
    if (state().pid === pid) happen({ type: "filled", context: view?.context ?? null });
  }

  /** What was not taken is told where it stays: the card is still there. */
  private async answer(given: Answer): Promise<void> {
    const { io, print } = this.options;
    try {
      await io.sys().call("hil.answer", given);
    } catch (error) {
      print({ kind: "note", text: `not answered: ${worded(error)}` });
    }
  }

  /** As it is stored: what a list shows may be cut. */
  private async asked(id: string): Promise<Approval | null> {
    const { approvals } = await this.options.io.sys().call<{ approvals: readonly Approval[] }>("hil.list", { id });
    return approvals[0] ?? null;
  }

  private async showAsk(id: string): Promise<void> {
    const { io, happen } = this.options;
    try {
      const [ask, { approvalText }] = await Promise.all([this.asked(id), import("../commands/approval-text.ts")]);
      if (ask !== null) await this.paged(approvalText(ask));
      happen({ type: "seen" });
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    }
  }

  private async editAsk(id: string): Promise<void> {
    const { io, happen } = this.options;
    try {
      const [ask, { editedArgs }] = await Promise.all([this.asked(id), import("../commands/edited-call.ts")]);
      if (ask === null) return;
      const args = await editedArgs(io, ask);
      await io
        .sys()
        .call("hil.answer", { id, decision: "approve", args, ...(ask.hash === "" ? {} : { hash: ask.hash }) });
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    } finally {
      happen({ type: "seen" });
    }
  }

  private async call(name: string, args: object): Promise<void> {
    const { io, happen } = this.options;
    try {
      await io.sys().call(name, args);
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    }
  }

  private async complete(of: Editing): Promise<void> {
    const { io, shell, state, happen } = this.options;
    const { pid, pinned, who } = state();
    const before = of.text.slice(0, of.at);
    const place = { io, cwd: shell.cwd, home: who.home, pid, programs: () => shell.programs() };
    const { complete } = await import("./complete.ts");
    try {
      happen({ type: "completed", of, ...(await complete(before, this.options.route(before, pinned).to, place)) });
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    }
  }

  private async spawn(): Promise<void> {
    const { io, happen, attach } = this.options;
    try {
      const { pid } = await io.sys().call<Spawned>("proc.spawn", {});
      attach(pid);
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    }
  }

  private async list(): Promise<void> {
    const { io, happen } = this.options;
    try {
      happen({ type: "listed", processes: await allProcesses(io) });
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    }
  }

  /** Signals were lost: what was stored meanwhile is read. */
  private async catchUp(afterSeq: number): Promise<void> {
    const { io, state, happen, print } = this.options;
    const { pid } = state();
    const sys = io.sys();
    try {
      const query = afterSeq > 0 ? { pid, afterSeq } : { pid, limit: SHOWN_MESSAGES };
      const [page, info] = await Promise.all([
        sys.call<HistoryPage>("proc.history", query),
        sys.call<ProcessInfo>("proc.get", { pid }),
      ]);
      for (const entry of entriesOf(page)) if (entry.kind !== "said") print(entry);
      const { state: now, waitsFor, costUsd } = info;
      happen({ type: "known", state: now, waitsFor, costUsd, model: null });
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    }
  }

  private async runLine({ text, host, entry }: Effect & { readonly do: "run" }): Promise<void> {
    const { io, shell, happen, leave, remember } = this.options;
    try {
      const over = await (host ? shell.command(["sh", "--host", "-c", text]) : shell.run(text));
      const ended = entry === null ? null : { ...entry, status: shell.status };
      if (ended !== null) remember(ended);
      happen({ type: "stood", cwd: shell.cwd, entry: ended });
      if (over !== null) leave(over);
    } catch (error) {
      await io.stderr.write(`gsv: ${reveal(worded(error))}\n`);
    }
  }

  private async edit(text: string): Promise<void> {
    const { io, happen } = this.options;
    try {
      const edited = await io.person.edit({ text, name: "message.md", onDraft: async () => {} });
      edited.done();
      happen({ type: "written", text: edited.text.replace(/\n$/, "") });
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    }
  }

  private async page(text: string, where: string): Promise<void> {
    const { io, happen } = this.options;
    await this.paged(text);
    happen({ type: "seen" });
    happen({ type: "told", text: where, at: io.clock.now() });
  }

  private async paged(text: string): Promise<void> {
    const { page } = await import("../commands/pager.ts");
    await page(this.options.io, sanitize(text), { never: false });
  }
}

/** What was said before, as if it had just been. */
export function entriesOf({ messages }: HistoryPage): readonly Entry[] {
  const called = new Map(
    messages.flatMap((message) =>
      message.role === "assistant" ? (message.content.toolCalls ?? []).map(({ id, args }) => [id, args] as const) : [],
    ),
  );
  return messages.flatMap((message): Entry[] => {
    if (message.role === "user") return [{ kind: "said", text: message.content }];
    if (message.role === "assistant") {
      const { text, thinking = "" } = message.content;
      return [
        ...(thinking === "" ? [] : [{ kind: "thought", tookMs: null } as const]),
        ...(text === "" ? [] : [{ kind: "text", turn: -1, text } as const]),
      ];
    }
    if (message.role !== "toolResult") return [];
    const { toolName: tool, toolCallId, isError, output } = message.content;
    return [{ kind: "result", tool, args: called.get(toolCallId) ?? {}, ok: !isError, output, tookMs: null }];
  });
}

function worded(error: unknown): string {
  if (!(error instanceof SysError)) return messageOf(error);
  return [error.message, ...error.hints].join("; ");
}
