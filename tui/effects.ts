// What the reducer asks for, done: calls to the kernel, lines of the shell, the editor, the pager. Nothing here decides; what comes of it goes
// back as something that happened.

import type { Output } from "../commands/command.ts";
import { allProcesses } from "../commands/proc/top.ts";
import { isPid } from "../src/abi/ids.ts";
import type { ProcessInfo } from "../src/abi/process/process.ts";
import { quoted } from "../src/lib/text/quote.ts";
import { reveal } from "../src/lib/text/sanitize.ts";
import { shortText } from "../src/lib/text/truncate.ts";
import type { HistoryPage, Spawned } from "../src/syscalls/services.ts";
import { CHOSEN_MS } from "./cards/chosen-answer.ts";
import type { EffectPorts } from "./effect-ports.ts";
import type { Editing } from "./line/editor.ts";
import { elsewhere } from "./line/elsewhere.ts";
import { plainText } from "./line/host-output.ts";
import { ioWith } from "./line/io-with.ts";
import { simpleWords } from "./line/simple.ts";
import { worded } from "./screen/worded.ts";
import type { Effect, Entry } from "./state/effect.ts";
import { realPlace } from "./state/state.ts";
import { SHOWN_MESSAGES } from "./talk/attach.ts";
import { ChatEffects } from "./talk/chat-effects.ts";
import { killJobs, LABEL_CHARS, listJobs, startBehind } from "./talk/job-effects.ts";
import { recent } from "./views/picker.ts";
import { ViewEffects } from "./views/view-effects.ts";

/** What they print is read and not kept: where it is taller than the screen it is paged. */
const READ = new Set(["help", "man", "diff", "history", "prompt"]);

export class Effects {
  private readonly views: ViewEffects;
  private readonly chat: ChatEffects;

  constructor(private readonly options: EffectPorts) {
    this.views = new ViewEffects(options);
    this.chat = new ChatEffects(options);
  }

  carryOut(effect: Effect): void {
    const { print, withTerminal, suspend, pushUp, remember, leave, attach, hold, state } = this.options;
    const { pid } = state();
    if (effect.do === "print") print(effect.entry);
    else if (effect.do === "send") this.chat.send(effect);
    else if (effect.do === "withdraw") void this.chat.withdraw(pid, effect.runId);
    else if (effect.do === "stop") void this.call("proc.abort", { pid });
    else if (effect.do === "answer") void this.chat.answer(effect.answer);
    else if (effect.do === "let-stand") this.letStand(effect.since);
    else if (effect.do === "measure") void this.chat.measure(pid);
    else if (effect.do === "remember") remember(effect.entry);
    else if (effect.do === "catch-up") void this.catchUp(effect.afterSeq);
    else if (effect.do === "push-up") pushUp();
    else if (effect.do === "leave") leave(0);
    else if (effect.do === "complete") hold(this.complete(effect.of));
    else if (effect.do === "attach") attach(effect.pid, effect.readOnly === true);
    else if (effect.do === "go") void this.go(effect.nth);
    else if (effect.do === "new") this.spawn(effect.rest ?? "");
    else if (effect.do === "background") void startBehind(this.options, effect.text);
    else if (effect.do === "jobs") void listJobs(this.options, (text) => this.runBehind(text));
    else if (effect.do === "kill-jobs") killJobs(this.options, effect.text, (text) => this.runBehind(text));
    else if (effect.do === "signal") void this.call("proc.signal", { pid: effect.pid, signal: effect.signal });
    else if (effect.do === "stop-run") void this.call("proc.abort", { pid: effect.pid });
    else if (effect.do === "end") void this.call("proc.kill", { pid: effect.pid });
    else if (effect.do === "suspend") withTerminal(suspend);
    else if (effect.do === "run") withTerminal(() => this.runLine(effect));
    else if (effect.do === "edit") withTerminal(() => this.edit(effect.text));
    else if (effect.do === "show-ask") void this.chat.showAsk(effect.id);
    else if (effect.do === "edit-ask") withTerminal(() => this.chat.editAsk(effect.id));
    else void this.views.carryOut(effect).catch((error: unknown) => this.tell(error));
  }

  farewell(): Promise<void> {
    return this.chat.farewell();
  }

  /** A line that another one stands for. */
  private runBehind(text: string): void {
    this.options.withTerminal(() => this.runLine({ do: "run", text, host: false, entry: null }));
  }

  private letStand(since: number): void {
    const { io, happen } = this.options;
    io.clock.after(CHOSEN_MS, () => happen({ type: "unfollowed", since }));
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
    const { complete } = await import("./line/complete.ts");
    try {
      happen({ type: "completed", of, ...(await complete(before, this.options.route(before, pinned).to, place)) });
    } catch (error) {
      happen({ type: "told", text: worded(error), at: io.clock.now() });
    }
  }

  /** Flags are for `spawn`, which may ask something before; other words are the first that is said. */
  private spawn(rest: string): void {
    if (rest.startsWith("-")) {
      void this.spawnWith(rest).catch((error: unknown) => this.tell(error));
      return;
    }
    const asked = rest === "" ? {} : { prompt: rest, label: shortText(rest, LABEL_CHARS) };
    const start = async () => this.options.attach((await this.sys<Spawned>("proc.spawn", asked)).pid, false);
    void start().catch((error: unknown) => this.tell(error));
  }

  private async spawnWith(rest: string): Promise<void> {
    const { io, shell, attach, print, withTerminal } = this.options;
    const { spawnOf } = await import("./line/new-process.ts");
    const made = await spawnOf(rest);
    if (made === null) throw new Error("/new takes the flags of spawn, as they stand, and then plain words");
    print({ kind: "ran", text: made.shown.map(quoted).join(" "), host: false });
    withTerminal(async () => {
      const kept = new KeptOutput(io.stdout);
      await shell.commandHere(made.argv, ioWith(io, { stdout: kept }));
      if (isPid(kept.text.trim())) attach(kept.text.trim(), false);
      else await io.stdout.write(kept.text);
    });
  }

  private sys<Answer>(name: string, args: object): Promise<Answer> {
    return this.options.io.sys().call<Answer>(name, args);
  }

  private async go(nth: number): Promise<void> {
    const { io, state, attach } = this.options;
    try {
      const there = recent(await allProcesses(io))[nth - 1];
      if (there !== undefined && there.pid !== state().pid) attach(there.pid, false);
    } catch (error) {
      this.tell(error);
    }
  }

  private tell(error: unknown): void {
    const { io, happen } = this.options;
    happen({ type: "told", text: worded(error), at: io.clock.now() });
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
    const { io, shell, happen, leave, remember, print, state } = this.options;
    const { cwd } = shell;
    try {
      const over = await (host ? this.runOnHost(text) : this.readOrRun(text));
      const ended = entry === null ? null : { ...entry, status: shell.status };
      if (ended !== null) remember(ended);
      happen({ type: "stood", cwd: shell.cwd, entry: ended });
      const { status } = shell;
      const hint = host || over !== null ? null : await elsewhere({ text, status, cwd, pid: state().pid }, io);
      if (hint !== null) print({ kind: "note", text: hint });
      if (over !== null) leave(over);
    } catch (error) {
      await io.stderr.write(`gsv: ${reveal(worded(error))}\n`);
    }
  }

  /** The line has the terminal; without one its output is printed as it comes. */
  private async runOnHost(text: string): Promise<number | null> {
    const { io, shell } = this.options;
    const { who } = this.options.state();
    const ran = await io.hostLine(text, realPlace(who.here, shell.cwd)?.real);
    if (ran === null) return await shell.command(["sh", "--host", "-c", text]);
    shell.status = ran.status;
    this.chat.noteCommand({ line: text, status: ran.status, output: plainText(ran.output) });
    return await shell.tellOfJobs();
  }

  /** A long text to read is paged here, unless somebody has a pager they like better. */
  private async readOrRun(text: string): Promise<number | null> {
    const { io, shell, happen } = this.options;
    const [first = "", ...rest] = (simpleWords(text) ?? []).filter((word) => word !== "gsv");
    const isRead = READ.has(first) || rest.includes("--help");
    if (!isRead || !io.stdout.isTTY || io.env.GSV_PAGER || io.env.PAGER) return shell.run(text);
    const kept = new KeptOutput(io.stdout);
    const over = await shell.run(text, ioWith(io, { stdout: kept, env: { ...io.env, GSV_PAGER: "cat" } }));
    if (kept.isTall()) happen({ type: "paged", title: text, text: kept.text });
    else await io.stdout.write(kept.text);
    return over;
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

/** A terminal's output that is held back until it is known how much it is. */
class KeptOutput implements Output {
  text = "";

  constructor(private readonly terminal: Output) {}

  async write(text: string | Uint8Array): Promise<void> {
    this.text += typeof text === "string" ? text : Buffer.from(text).toString();
  }

  isTall(): boolean {
    return this.text.split("\n").length > this.rows - 2;
  }

  get closed() {
    return this.terminal.closed;
  }

  get failure() {
    return this.terminal.failure;
  }

  get isTTY() {
    return this.terminal.isTTY;
  }

  get columns() {
    // As wide as the pager that may show it.
    return this.terminal.columns - 1;
  }

  get rows() {
    return this.terminal.rows;
  }
}
