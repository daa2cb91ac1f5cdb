// gsv on a terminal: keys and signals go through one reducer, its effects are carried out here, and one screen shows the state.

import type { Io } from "../commands/command.ts";
import { COMMANDS } from "../commands/table.ts";
import { messageOf } from "../src/abi/errno.ts";
import { initPid } from "../src/abi/ids.ts";
import { reveal, sanitize } from "../src/lib/text/sanitize.ts";
import { Effects, entriesOf } from "./effects.ts";
import { handsOf } from "./hands.ts";
import { Leaving } from "./leaving.ts";
import { withLast } from "./line/history.ts";
import { CTRL_C, KeyReader, type Typed } from "./line/keys.ts";
import { LineShell } from "./line/line-shell.ts";
import { SLASHES } from "./line/slash.ts";
import type { AppPorts } from "./ports.ts";
import { inLettersOfAscii } from "./screen/abilities.ts";
import { Attention } from "./screen/attention.ts";
import { frameOf } from "./screen/frame.ts";
import { greeting } from "./screen/greeting.ts";
import { Lending } from "./screen/lending.ts";
import { type Live, Screen } from "./screen/screen.ts";
import { retheme, still, type Theme, type ThemeName } from "./screen/theme.ts";
import { startedAt, startPlace } from "./start.ts";
import type { AppEvent } from "./state/event.ts";
import { reduce } from "./state/reduce.ts";
import type { Hands } from "./state/reduce-keys.ts";
import { initialState, type State, type Who } from "./state/state.ts";
import { isCounting } from "./talk/activity.ts";
import { type Attached, attachTo, pageSince } from "./talk/attach.ts";
import { collapsedOf, openCallsOf } from "./talk/collapsed.ts";
import { plainText } from "./talk/plain-history.ts";
import { Presence } from "./talk/presence.ts";
import { Transcript } from "./talk/transcript.ts";
import type { Route } from "./verdict/route.ts";
import type { DockView } from "./view/dock.tsx";
import { ViewPainter } from "./views/view-painter.ts";
import { type Wishes, wishesOf } from "./wishes.ts";

const ESCAPE_MS = 40;
const TICK_MS = 250;
const STILL_TICK_MS = 1000;
const HOLD_MS = 500;
const LOOK_MS = 1000;

export async function terminalShell(io: Io, ports: AppPorts): Promise<number> {
  const [who, start] = await Promise.all([io.sys().call<Who>("system.whoami", {}), startPlace(io, ports)]);
  const shell = await LineShell.open(io, start.cwd ?? who.home);
  if (start.leaves) return 0;
  return new App(io, startedAt(ports, start), { ...who, here: start.here }, shell).run();
}

class App {
  private state: State;
  private readonly screen: Screen;
  private readonly transcript: Transcript;
  private readonly reader = new KeyReader();
  private readonly effects: Effects;
  private readonly attention: Attention;
  private readonly leaving = new Leaving();
  private drawDock: (view: DockView) => readonly string[] = ({ status }) => [status];
  private readonly theme: Theme;
  private readonly presence: Presence;
  private readonly painter: ViewPainter;
  private settle: (() => void) | null = null;
  private readonly lending: Lending;
  private ticking = false;
  /** How far each process was shown before another one was. */
  private readonly seen = new Map<string, number>();
  /** Keys that wait for what the one before makes of the line. */
  private held: Typed[] | null = null;
  private readonly hands: Hands;
  private readonly lineRoute = () => this.route(withLast(this.state.input.text, this.state.past), this.state.pinned);
  private readonly programs = (word: string) => this.shell.isProgram(word);

  constructor(
    private readonly io: Io,
    private readonly ports: AppPorts,
    who: Who,
    private readonly shell: LineShell,
  ) {
    const { terminal, theme, history, abilities } = ports;
    this.theme = theme;
    this.hands = handsOf({ io, terminal, route: (text, pinned) => this.route(text, pinned) });
    const tty = abilities.unicode ? terminal : inLettersOfAscii(terminal);
    const { pid = initPid(who.uid), readOnly = false } = ports.to ?? {};
    this.state = { ...initialState({ who, pid, past: history.past }), cwd: shell.cwd, readOnly };
    this.attention = new Attention({
      write: (text) => void (this.lending.isLent || tty.write(text)),
      notifies: abilities.notifies,
      titled: abilities.told,
    });
    this.screen = new Screen(tty, io.clock, () => this.frame());
    this.lending = new Lending({
      ...{ terminal, screen: this.screen, clock: io.clock },
      hear: (bytes) => this.hear(bytes),
      back: () => this.paintAnew(),
      tell: (text) => this.happen({ type: "told", text, at: this.now() }),
    });
    this.painter = new ViewPainter({
      screen: this.screen,
      clock: io.clock,
      state: () => (this.lending.isLent ? null : this.state),
      size: terminal,
      theme,
    });
    this.transcript = new Transcript({
      theme,
      columns: () => terminal.columns,
      commit: (lines) => this.screen.commit(lines),
      marked: abilities.told,
    });
    this.presence = new Presence({
      io,
      pid: () => this.state.pid,
      happen: (happening) => this.happen(happening),
      print: (entry) => this.transcript.add(entry),
      seen: ports.seen ?? null,
    });
    this.effects = new Effects({
      io,
      shell,
      state: () => this.state,
      happen: (happening) => this.happen(happening),
      print: (entry) => this.transcript.add(entry),
      withTerminal: (work) => this.lending.lend(work),
      route: (text, pinned) => this.route(text, pinned),
      suspend: () => this.lending.suspend(),
      pushUp: () => this.screen.pushUp(),
      remember: (entry) => history.add(entry),
      leave: (status) => this.leaving.leave(status),
      attach: (pid, readOnly) => void this.attach(pid, readOnly),
      theme: (name) => this.choose(name),
      told: (page) => plainText(page, terminal.columns),
      hold: (work) => void this.hold(work),
    });
  }

  async run(): Promise<number> {
    const { terminal, early } = this.ports;
    const stop = this.io.sys().on({ names: ["chat.*", "process.*"] }, (signal) => this.presence.hear(signal));
    terminal.onResize(() => {
      this.screen.resized();
      this.show();
      this.painter.paint();
    });
    terminal.onGone(() => this.leaving.hungUp());
    terminal.onAside(() => this.effects.carryOut({ do: "suspend" }));
    // What a command that has the terminal is sent is for that one.
    const letGo = this.leaving.hear(this.io, () => {
      if (!this.lending.isLent) this.type([CTRL_C]);
    });
    try {
      await this.begin();
      terminal.take((bytes) => this.hear(bytes));
      for (const bytes of early()) this.hear(bytes);
      void this.withBoxes();
      const status = await this.leaving.over;
      await this.lending.over();
      await this.effects.farewell();
      return status;
    } finally {
      this.presence.keep();
      stop();
      letGo();
      this.putRight();
      terminal.give();
    }
  }

  private putRight(): void {
    try {
      this.screen.release();
    } catch {
      // What cannot be drawn may be why this ends.
      this.screen.abandon();
    }
  }

  private now(): number {
    return this.io.clock.now();
  }

  private async begin(): Promise<void> {
    const { theme, ports, state } = this;
    const { version, terminal, words } = ports;
    const { pid, who } = state;
    this.presence.hold();
    const [attached, wishes] = await Promise.all([attachTo(this.io.sys(), pid, terminal.rows), wishesOf(this.io)]);
    this.heed(wishes);
    const { model, page } = attached;
    const { columns, rows } = terminal;
    const about = { version, username: who.username, pid, model, isNew: page.messageCount === 0, columns, rows };
    const told = words.map((word) => theme.dim(sanitize(word)));
    this.transcript.add({ kind: "lines", lines: [...told, ...greeting(about, theme)] });
    this.know(attached);
    this.presence.release();
  }

  private heed({ theme, calls, isStill }: Wishes): void {
    if (theme !== "auto") this.choose(theme);
    this.attention.calls = calls;
    if (isStill) still(this.theme);
  }

  private async attach(pid: string, readOnly: boolean): Promise<void> {
    this.presence.hold();
    try {
      const attached = await attachTo(this.io.sys(), pid, this.ports.terminal.rows);
      this.presence.keep();
      this.seen.set(this.state.pid, this.presence.seq);
      this.happen({ type: "attached", pid, readOnly });
      const { directory, info } = attached;
      const told = [pid, info.label, directory === null ? null : `works in ${directory}`];
      const text = told.flatMap((each) => (each === null ? [] : [reveal(each)])).join(" · ");
      this.transcript.add({ kind: "note", text: `now talking to ${text}` });
      this.know(attached);
    } catch (error) {
      this.happen({ type: "told", text: messageOf(error), at: this.now() });
    } finally {
      this.presence.release();
    }
  }

  private know({ info, page, approvals, model }: Attached): void {
    const seen = this.seen.get(info.pid);
    for (const entry of entriesOf(seen === undefined ? page : pageSince(page, seen))) this.transcript.add(entry);
    this.presence.begin(info.pid, page.messages.at(-1)?.id ?? 0);
    const { state, waitsFor, costUsd, activeRunId } = info;
    const open = { activeRunId, calls: openCallsOf(page, this.now()) };
    this.happen({ type: "known", state, waitsFor, costUsd, model, collapsed: collapsedOf(page), ...open });
    const asks = approvals.map((each) => ({ ...each, since: each.createdAt }));
    this.happen({ type: "asked", asks });
  }

  /** Boxes are drawn by what takes longer to load than everything before it. */
  private async withBoxes(): Promise<void> {
    const { drawDock, drawView } = await import("./view/draw.tsx");
    const { theme } = this;
    const { terminal } = this.ports;
    let drawn: { readonly key: string; readonly lines: readonly string[] } | null = null;
    this.painter.draw = drawView;
    this.drawDock = (view) => {
      const key = JSON.stringify([view, terminal.columns, this.state.theme]);
      if (drawn?.key !== key) drawn = { key, lines: drawDock(view, terminal.columns, theme) };
      return drawn.lines;
    };
    this.show();
    terminal.watch();
  }

  private hear(bytes: Uint8Array): void {
    this.settle?.();
    this.settle = null;
    this.type(this.reader.push(bytes));
    if (this.reader.isWaiting) this.settle = this.io.clock.after(ESCAPE_MS, () => this.type(this.reader.settle()));
  }

  private type(typed: readonly Typed[]): void {
    for (const each of typed) {
      if (each.type === "focus") this.attention.focus(each.has);
      if (each.type === "place") this.screen.standsAt(each.column);
      if (this.held === null) this.happen({ type: "typed", typed: each, at: this.now() });
      else this.held.push(each);
    }
    // At once: whoever types sees it now.
    if (typed.length === 0 || this.lending.isLent) return;
    this.screen.paint();
    this.painter.paint();
  }

  private async hold(work: Promise<void>): Promise<void> {
    this.held = [];
    await Promise.race([work, this.io.clock.sleep(HOLD_MS)]);
    const typed = this.held;
    this.held = null;
    this.type(typed);
  }

  private happen(happening: AppEvent): void {
    const { state: before } = this;
    const { state, effects } = reduce(before, happening, this.hands);
    this.state = state;
    this.presence.noting(happening, effects);
    this.attention.look(before, state, this.now());
    for (const effect of effects) this.effects.carryOut(effect);
    this.show();
  }

  private route(text: string, pinned: State["pinned"]): Route {
    const route = this.shell.route(
      text,
      (word) => SLASHES.has(word) || COMMANDS.has(word) || this.shell.isCommand(word),
    );
    const isPlain = route.to === "shell" || route.to === "chat";
    return isPlain && pinned !== null ? { to: pinned, text: route.text } : route;
  }

  private frame(): Live {
    const { terminal } = this.ports;
    return frameOf({
      state: this.state,
      route: this.lineRoute,
      theme: this.theme,
      now: this.now(),
      columns: terminal.columns,
      rows: terminal.rows,
      tail: this.transcript.tail(),
      programs: this.programs,
      drawDock: this.drawDock,
    });
  }

  private show(): void {
    this.painter.show();
    this.screen.changed();
    this.tick();
  }

  private get isLooking(): boolean {
    const { view, picker } = this.state;
    return view?.kind === "top" || picker?.kind === "process";
  }

  private choose(name: ThemeName): void {
    retheme(this.theme, name);
    this.happen({ type: "themed", theme: name });
  }

  /** Only while something moves by itself is there anything to draw. */
  private tick(): void {
    const { run, notice, asks } = this.state;
    const counts = asks.length > 0 || isCounting(this.state);
    if (this.ticking || (run === null && notice === null && !counts && !this.isLooking)) return;
    this.ticking = true;
    // A spinner turns faster than a clock counts.
    const turns = run !== null && asks.length === 0 && this.theme.glyphs.spinner.length > 1;
    this.io.clock.after(this.isLooking ? LOOK_MS : turns ? TICK_MS : STILL_TICK_MS, () => {
      this.ticking = false;
      if ((this.state.notice?.until ?? Infinity) <= this.now()) this.state = { ...this.state, notice: null };
      if (this.isLooking) this.effects.carryOut({ do: "list" });
      this.show();
    });
  }

  private paintAnew(): void {
    this.attention.forget();
    this.show();
    this.painter.paint();
  }
}
