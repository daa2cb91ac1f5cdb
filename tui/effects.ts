// Carries out effects, one entry for each. Results go back as events.

import { allProcesses } from "../commands/proc/process-names.ts";
import { isPid } from "../src/abi/ids.ts";
import { quoted } from "../src/lib/text/quote.ts";
import { reveal } from "../src/lib/text/sanitize.ts";
import { shortText } from "../src/lib/text/truncate.ts";
import type { Spawned } from "../src/syscalls/services.ts";
import { ANSWER_SETTLES_MS } from "./approval-card/chosen-answer.ts";
import { type EffectPorts, failed, worded } from "./effect-ports.ts";
import type { Editing } from "./line/editor.ts";
import { simpleWords } from "./line/simple.ts";
import { retheme, still, THEME_KEY } from "./screen/theme.ts";
import { elsewhere } from "./shell/elsewhere.ts";
import { HostLines } from "./shell/host-lines.ts";
import { ioWith } from "./shell/line-shell.ts";
import { KeptOutput } from "./shell/output.ts";
import type { Effect, EffectOf } from "./state/effect.ts";
import { inDirectory } from "./state/state.ts";
import { ChatEffects } from "./talk/chat-effects.ts";
import { killJobs, LABEL_CHARS, listJobs, startInBackground } from "./talk/job-effects.ts";
import { recent } from "./views/picker.ts";
import { ViewEffects } from "./views/view-effects.ts";

/** Output for reading: gsv's pager shows it if it is taller than the screen. */
const PAGED = new Set(["help", "man", "diff", "history", "prompt"]);

/** The model of a process depends on settings, keys and its agent too. */
const SETS_MODEL = /\b(?:model|config|auth|agent)\b/;

type Handlers = { readonly [Do in Effect["do"]]: (effect: EffectOf<Do>) => void | Promise<void> };

export class Effects {
  private readonly chat: ChatEffects;
  private readonly hostLines: HostLines;
  private readonly handlers: Handlers;

  constructor(private readonly ports: EffectPorts) {
    this.chat = new ChatEffects(ports);
    this.hostLines = new HostLines(ports, (command) => this.chat.noteCommand(command));
    this.handlers = { ...this.ofTalk(), ...this.ofLine(), ...this.ofTerminal(), ...ofViews(ports) };
  }

  carryOut<Do extends Effect["do"]>(effect: EffectOf<Do>): void {
    const handler = this.handlers[effect.do] as (effect: EffectOf<Do>) => void | Promise<void>;
    const done = handler(effect);
    if (done instanceof Promise) void done.catch((error: unknown) => failed(this.ports, worded(error)));
  }

  farewell(): Promise<void> {
    return this.chat.farewell();
  }

  private ofTalk() {
    const { chat, ports } = this;
    const { print, attach, state, io, dispatch, lending } = ports;
    const pid = () => state().process.pid;
    const call = async (name: string, args: object) => void (await io.sys().call(name, args));
    return {
      print: ({ entry }) => print(entry),
      send: (effect) => chat.send(effect),
      withdraw: ({ runId }) => chat.withdraw(pid(), runId),
      abort: ({ pid }) => call("proc.abort", { pid }),
      kill: ({ pid }) => call("proc.kill", { pid }),
      signal: ({ pid, signal }) => call("proc.signal", { pid, signal }),
      measure: () => chat.measure(pid()),
      "count-news": () => chat.countNews(),
      "read-news": ({ ids }) => call("notify.read", { ids }),
      "learn-names": async () => {
        const processes = await allProcesses(io);
        dispatch({ type: "named", processes: processes.map(({ pid, label }) => ({ pid, label })) });
      },
      "catch-up": ({ afterSeq }) => chat.catchUp(pid(), afterSeq),
      answer: ({ answer }) => chat.answer(answer),
      "settle-answer": ({ since }) =>
        void io.clock.after(ANSWER_SETTLES_MS, () => dispatch({ type: "answer-settled", since })),
      "show-ask": ({ id }) => chat.showAsk(id),
      "edit-ask": ({ id }) => lending.lend(() => chat.editAsk(id)),
      attach: ({ pid, readOnly = false }) => attach(pid, readOnly),
      go: ({ nth }) => this.go(nth),
      new: ({ rest = "" }) => (rest.startsWith("-") ? this.spawnWith(rest) : this.spawn(rest)),
    } satisfies Partial<Handlers>;
  }

  private ofLine() {
    const { ports } = this;
    const { lending, history, keyboard } = ports;
    const runLine = (text: string) => lending.lend(() => this.run({ do: "run", text, host: false, entry: null }));
    return {
      run: (effect) => lending.lend(() => this.run(effect), effect.host ? null : effect.text),
      edit: ({ text }) => lending.lend(() => this.edit(text)),
      complete: ({ of }) => keyboard.queueDuring(this.complete(of)),
      remember: ({ entry }) => history.add(entry),
      background: ({ text }) => startInBackground(ports, text),
      jobs: () => listJobs(ports, runLine),
      "resume-line": ({ stopped }) => lending.lend(() => this.hostLines.resume(stopped)),
      "end-line": ({ stopped }) => this.hostLines.end(stopped),
      "kill-jobs": ({ text }) => killJobs(ports, text, runLine),
    } satisfies Partial<Handlers>;
  }

  private ofTerminal() {
    const { lending, screen, leaving, attention, theme, io, dispatch } = this.ports;
    return {
      suspend: () => lending.lend(() => lending.suspend()),
      "push-up": () => screen.pushUp(),
      leave: () => leaving.leave(0),
      "apply-settings": ({ settings }) => {
        if (settings.theme !== "auto") retheme(theme, settings.theme);
        attention.notify = settings.notify;
        if (settings.isStill) still(theme);
      },
      "apply-theme": ({ name }) => retheme(theme, name),
      theme: async ({ name }) => {
        dispatch({ type: "theme", name });
        await io.sys().call("config.set", { key: THEME_KEY, value: name });
      },
    } satisfies Partial<Handlers>;
  }

  private async go(nth: number): Promise<void> {
    const { io, state, attach } = this.ports;
    const found = recent(await allProcesses(io))[nth - 1];
    if (found !== undefined && found.pid !== state().process.pid) attach(found.pid, false);
  }

  private async spawn(prompt: string): Promise<void> {
    const { io, attach, state } = this.ports;
    const message = prompt === "" ? {} : { prompt, label: shortText(prompt, LABEL_CHARS) };
    const args = { ...message, ...inDirectory(state().who) };
    attach((await io.sys().call<Spawned>("proc.spawn", args)).pid, false);
  }

  /** `/new` with flags runs the command `spawn`, which may ask questions. */
  private async spawnWith(rest: string): Promise<void> {
    const { io, shell, attach, print, lending } = this.ports;
    const { spawnOf } = await import("./shell/new-process.ts");
    const made = await spawnOf(rest);
    if (made === null) throw new Error("/new takes flags of spawn without $, ` or \\, then the prompt");
    print({ kind: "command", text: made.shown.map(quoted).join(" "), host: false });
    lending.lend(async () => {
      const kept = new KeptOutput(io.stdout);
      await shell.commandHere(made.argv, ioWith(io, { stdout: kept }));
      if (isPid(kept.text.trim())) attach(kept.text.trim(), false);
      else await io.stdout.write(kept.text);
    });
  }

  private async complete(of: Editing): Promise<void> {
    const { io, shell, state, dispatch, route } = this.ports;
    const { process, line, who } = state();
    const before = of.text.slice(0, of.at);
    const context = { io, cwd: shell.cwd, home: who.home, pid: process.pid, programs: () => shell.programs() };
    const { complete } = await import("./line/complete.ts");
    try {
      dispatch({ type: "completed", of, ...(await complete(before, route(before, line.pinned).to, context)) });
    } catch (error) {
      failed(this.ports, worded(error));
    }
  }

  private async run({ text, host, entry }: EffectOf<"run">): Promise<void> {
    const { io, shell, dispatch, leaving, history, print, state } = this.ports;
    const { cwd } = shell;
    try {
      const over = await (host ? this.hostLines.run(text) : this.runOrPage(text));
      const ended = entry === null ? null : { ...entry, status: shell.status };
      if (ended !== null) history.add(ended);
      dispatch({ type: "line-done", cwd: shell.cwd, entry: ended });
      const { status } = shell;
      const hint = host || over !== null ? null : await elsewhere({ text, status, cwd, pid: state().process.pid }, io);
      if (hint !== null) print({ kind: "note", text: hint });
      if (over !== null) leaving.leave(over);
      else if (!host && status === 0 && SETS_MODEL.test(text)) await this.chat.nameModel();
    } catch (error) {
      await io.stderr.write(`gsv: ${reveal(worded(error))}\n`);
    }
  }

  /** Long output for reading goes to gsv's pager, unless the person has set one. */
  private async runOrPage(text: string): Promise<number | null> {
    const { io, shell, dispatch } = this.ports;
    const [first = "", ...rest] = (simpleWords(text) ?? []).filter((word) => word !== "gsv");
    const isPaged = PAGED.has(first) || rest.includes("--help");
    if (!isPaged || !io.stdout.isTTY || io.env.GSV_PAGER || io.env.PAGER) return shell.run(text);
    const kept = new KeptOutput(io.stdout);
    const over = await shell.run(text, ioWith(io, { stdout: kept, env: { ...io.env, GSV_PAGER: "cat" } }));
    if (kept.isTall()) dispatch({ type: "paged", title: text, text: kept.text });
    else await io.stdout.write(kept.text);
    return over;
  }

  private async edit(text: string): Promise<void> {
    const { io, dispatch } = this.ports;
    try {
      const edited = await io.person.edit({ text, name: "message.md", onDraft: async () => {} });
      edited.done();
      dispatch({ type: "edited", text: edited.text.replace(/\n$/, "") });
    } catch (error) {
      failed(this.ports, worded(error));
    }
  }
}

function ofViews(ports: EffectPorts) {
  const views = new ViewEffects(ports);
  return {
    list: ({ byTime = false }) => views.list(byTime),
    look: ({ processes }) => views.look(processes),
    trace: ({ pid, after }) => views.trace(pid, after),
    log: ({ pid }) => views.log(pid),
    "offer-models": () => views.offerModels(),
    "offer-schedules": () => views.offerSchedules(),
    "offer-mcp": () => views.offerMcp(),
  } satisfies Partial<Handlers>;
}
