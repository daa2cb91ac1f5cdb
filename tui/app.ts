// gsv on a terminal. Straight: event → reduce → {state, effects} → draw(state). The screen is the only writer; other programs have the terminal
// while a line of the shell runs.

import type { Io } from "../commands/command.ts";
import { pidNamed } from "../commands/proc/process-names.ts";
import { COMMANDS } from "../commands/table.ts";
import { messageOf } from "../src/abi/errno.ts";
import { initPid } from "../src/abi/ids.ts";
import { processName } from "../src/abi/process/process-name.ts";
import { reveal, sanitize } from "../src/lib/text/sanitize.ts";
import type { DockView } from "./draw/dock.tsx";
import { Effects } from "./effects.ts";
import { Leaving } from "./leaving.ts";
import { Keyboard } from "./line/keyboard.ts";
import { CTRL_C, type Typed } from "./line/keys.ts";
import { SLASHES } from "./line/slash.ts";
import type { AppPorts } from "./ports.ts";
import { withAsciiGlyphs } from "./screen/abilities.ts";
import { Attention } from "./screen/attention.ts";
import { desktopNotifier } from "./screen/desktop.ts";
import { Frame } from "./screen/frame.ts";
import { greeting } from "./screen/greeting.ts";
import { Lending } from "./screen/lending.ts";
import { Links, linkPlace } from "./screen/links.ts";
import { type Live, Screen } from "./screen/screen.ts";
import { readSettings } from "./settings.ts";
import { LineShell } from "./shell/line-shell.ts";
import { startedAt, startOf } from "./start.ts";
import type { AppEvent } from "./state/event.ts";
import { type KeyContext, keyContext } from "./state/key-context.ts";
import { reduce } from "./state/reduce.ts";
import { initialState, type State, type Who } from "./state/state.ts";
import { tickMs } from "./state/tick.ts";
import { SPIN_MS } from "./talk/activity.ts";
import { type Attached, adopted, attachTo } from "./talk/attach.ts";
import { Presence } from "./talk/presence.ts";
import { Transcript } from "./talk/transcript.ts";
import type { Route } from "./verdict/route.ts";
import { ViewPainter } from "./views/view-painter.ts";

const SIGNALS = ["chat.*", "process.*", "notification.created", "notification.updated"];

export async function terminalShell(io: Io, ports: AppPorts): Promise<number> {
  const [who, start] = await Promise.all([io.sys().call<Who>("system.whoami", {}), startOf(io, ports)]);
  const shell = await LineShell.open(io, start.cwd ?? who.home);
  if (start.leaves) return 0;
  const { name: remote } = io.remotes;
  return new App(io, startedAt(ports, start), { ...who, here: start.here, remote }, shell).run();
}

class App {
  private state: State;
  private readonly screen: Screen;
  private readonly frame = new Frame();
  private readonly transcript: Transcript;
  private readonly keyboard: Keyboard;
  private readonly effects: Effects;
  private readonly attention: Attention;
  private readonly leaving = new Leaving();
  private readonly presence: Presence;
  private readonly painter: ViewPainter;
  private readonly lending: Lending;
  private readonly links: Links;
  private readonly context: KeyContext;
  private drawDock: (view: DockView) => readonly string[] = ({ status }) => [status];
  private isTicking = false;
  private changedAt = Number.NEGATIVE_INFINITY;
  /** The last shown message of each process that was attached before. */
  private readonly seen = new Map<string, number>();
  private readonly programs = (word: string) => this.shell.isProgram(word);

  constructor(
    private readonly io: Io,
    private readonly ports: AppPorts,
    who: Who,
    private readonly shell: LineShell,
  ) {
    const { terminal, theme, history, abilities } = ports;
    const route: KeyContext["route"] = (text, pinned) => this.route(text, pinned);
    const dispatch = (event: AppEvent) => this.dispatch(event);
    const tty = abilities.unicode ? terminal : withAsciiGlyphs(terminal);
    const { pid = initPid(who.uid), readOnly = false } = ports.to ?? {};
    this.state = initialState({ who, pid, readOnly, cwd: shell.cwd, past: history.past });
    this.context = keyContext({ io, terminal, route });
    this.attention = new Attention({
      write: (text) => void (this.lending.isLent || tty.write(text)),
      notifies: abilities.notifies,
      desktop: desktopNotifier(io),
      hasTitle: abilities.osc,
      clock: io.clock,
      claim: (news) =>
        io
          .sys()
          .call<{ first: boolean }>("notify.claim", { news })
          .then(
            ({ first }) => first,
            () => true,
          ),
    });
    this.screen = new Screen(tty, io.clock, () => this.live());
    this.keyboard = new Keyboard(
      io.clock,
      (key) => this.type(key),
      () => this.show({ now: true }),
    );
    this.lending = new Lending({
      terminal,
      screen: this.screen,
      clock: io.clock,
      read: (bytes) => this.keyboard.read(bytes),
      back: () => {
        this.attention.forget();
        this.show();
        this.painter.paint();
      },
      notice: (text) => dispatch({ type: "notice", text, at: this.now() }),
      continues: (text) => void io.stdout.write(`${theme.ok(theme.glyphs.run)} ${theme.bold(reveal(text))}\n`),
    });
    this.painter = new ViewPainter({
      screen: this.screen,
      clock: io.clock,
      state: () => (this.lending.isLent ? null : this.state),
      size: terminal,
      theme,
    });
    this.links = new Links({
      ...{ clock: io.clock, host: ports.hostname, home: io.env.HOME, changed: () => this.screen.changed() },
      realOf: async (path) => (await (await io.host()).look(path, { follow: true }))?.real ?? null,
    });
    this.transcript = new Transcript({
      theme,
      columns: () => terminal.columns,
      commit: (lines) => this.screen.commit(lines),
      marked: abilities.osc,
      linked: (line) => this.links.line(line),
    });
    const print: Transcript["add"] = (entry) => this.transcript.add(entry);
    const pidNow = () => this.state.process.pid;
    this.presence = new Presence({ io, pid: pidNow, dispatch, print, seen: ports.seen ?? null });
    const { screen, lending, leaving, keyboard, attention } = this;
    this.effects = new Effects({
      ...{ io, shell, dispatch, print, route, history, terminal, theme, screen, lending, leaving, keyboard, attention },
      state: () => this.state,
      attach: (to, isReadOnly) => void this.attach(to, isReadOnly),
    });
  }

  async run(): Promise<number> {
    const { terminal, early } = this.ports;
    const stop = this.io.sys().on({ names: SIGNALS }, (signal) => this.presence.onSignal(signal));
    const stopWatching = this.io.remotes.onLine((line) => this.dispatch({ type: "line", isCut: line === "lost" }));
    const stopAwaitingEnd = this.io.remotes.onSignedOut(({ message, hints }) =>
      this.dispatch({ type: "signed-out", text: [message, ...hints].join("; "), at: this.io.clock.now() }),
    );
    terminal.onResize(() => {
      this.screen.resized();
      this.show();
      this.painter.paint();
    });
    terminal.onGone(() => this.leaving.hungUp());
    terminal.onAside(() => this.effects.carryOut({ do: "suspend" }));
    // A command with the terminal handles ctrl-c itself.
    const stopListening = this.leaving.listen(this.io, () => {
      if (!this.lending.isLent) this.keyboard.type([CTRL_C]);
    });
    try {
      await this.begin();
      terminal.take((bytes) => this.keyboard.read(bytes));
      for (const bytes of early()) this.keyboard.read(bytes);
      this.screen.findPlace();
      void this.loadBoxes();
      const status = await this.leaving.over;
      await this.lending.over();
      await this.effects.farewell();
      await this.screen.questions.settled();
      return status;
    } finally {
      this.presence.keep();
      stop();
      stopWatching();
      stopAwaitingEnd();
      stopListening();
      this.restore();
      terminal.give();
    }
  }

  private restore(): void {
    try {
      this.screen.release();
    } catch {
      // Drawing may have caused the error.
      this.screen.abandon();
    }
  }

  private now(): number {
    return this.io.clock.now();
  }

  private async begin(): Promise<void> {
    const { theme, version, terminal, words } = this.ports;
    const { process, who } = this.state;
    const { pid } = process;
    const { columns, rows } = terminal;
    this.presence.delaySignals();
    const [attached, settings] = await Promise.all([attachTo(this.io.sys(), pid, rows), readSettings(this.io)]);
    this.dispatch({ type: "settings", settings });
    const { hyperlinks } = settings;
    // The paths are those of another computer.
    this.links.isOn =
      who.remote == null && (hyperlinks === "auto" ? this.ports.abilities.links : hyperlinks === "always");
    // Loading takes longer than a lookup.
    if (this.links.isOn) void this.io.host();
    const { model, page, info } = attached;
    const name = processName(info);
    const isNew = page.messageCount === 0;
    const { remote = null } = who;
    const about = {
      version,
      username: who.username,
      remote,
      name,
      model,
      isNew,
      isHere: who.here != null,
      columns,
      rows,
    };
    const lines = words.map((word) => theme.dim(sanitize(word)));
    this.transcript.add({ kind: "lines", lines: [...lines, ...greeting(about, theme)] });
    this.adopt(attached);
    this.presence.releaseSignals();
    this.effects.carryOut({ do: "count-news" });
  }

  private async attach(named: string, readOnly: boolean): Promise<void> {
    this.presence.delaySignals();
    try {
      const pid = await pidNamed(this.io, named);
      const attached = await attachTo(this.io.sys(), pid, this.ports.terminal.rows);
      this.presence.keep();
      this.seen.set(this.state.process.pid, this.presence.seq);
      const { directory, info } = attached;
      const facts = [info.label, directory].flatMap((each) => (each === null ? [] : [reveal(each)]));
      const about = `Switched to ${[reveal(pid), ...facts].join(" · ")}`;
      this.dispatch({ type: "attached", pid, readOnly, about });
      this.adopt(attached);
    } catch (error) {
      this.dispatch({ type: "notice", text: messageOf(error), at: this.now() });
    } finally {
      this.presence.releaseSignals();
    }
  }

  private adopt(attached: Attached): void {
    const { info, page } = attached;
    const now = this.now();
    this.links.place = linkPlace(attached.directory, info);
    const event = adopted(attached, { seenSeq: this.seen.get(info.pid), now });
    this.presence.begin(info.pid, page.messages.at(-1)?.id ?? 0);
    this.dispatch({ type: "adopted", ...event });
  }

  /** Ink takes longer to load than everything before. */
  private async loadBoxes(): Promise<void> {
    const { drawDock, drawView } = await import("./draw/draw.tsx");
    const { terminal, theme } = this.ports;
    let drawn: { readonly key: string; readonly lines: readonly string[] } | null = null;
    this.painter.draw = drawView;
    this.drawDock = (view) => {
      const key = JSON.stringify([view, terminal.columns, this.state.theme]);
      if (drawn?.key !== key) drawn = { key, lines: drawDock(view, terminal.columns, theme) };
      return view.card === null ? drawn.lines : drawn.lines.map((line) => this.links.row(line));
    };
    this.show();
    terminal.watch();
  }

  private type(typed: Typed): void {
    if (typed.type === "focus") this.attention.focus(typed.has);
    if (typed.type === "cursor") this.screen.questions.answered(typed);
    this.dispatch({ type: "typed", typed, at: this.now() });
  }

  private dispatch(event: AppEvent): void {
    const { state: before } = this;
    const { state, effects } = reduce(before, event, this.context);
    this.state = state;
    this.presence.observe(event, effects);
    this.attention.look(before, state, this.now());
    for (const effect of effects) this.effects.carryOut(effect);
    this.show();
  }

  private route(text: string, pinned: State["line"]["pinned"]): Route {
    const route = this.shell.route(
      text,
      (word) => SLASHES.has(word) || COMMANDS.has(word) || this.shell.isCommand(word),
    );
    const isPlain =
      route.to === "shell" || route.to === "chat" || (route.to === "host" && !text.trimStart().startsWith("!"));
    return isPlain && pinned !== null ? { to: pinned, text: route.text } : route;
  }

  private live(): Live {
    const { terminal, theme } = this.ports;
    return this.frame.draw({
      state: this.state,
      theme,
      now: this.now(),
      columns: terminal.columns,
      rows: terminal.rows,
      tail: this.transcript.tail(),
      programs: this.programs,
      drawDock: this.drawDock,
    });
  }

  /** Asks for a paint: soon, or now for a key. */
  private show({ now = false } = {}): void {
    if (now && !this.lending.isLent) {
      this.screen.paint();
      this.painter.paint();
      return;
    }
    this.painter.show();
    this.screen.changed();
    this.changedAt = this.io.clock.mono();
    this.tick();
  }

  private tick(): void {
    const ms = this.isTicking ? null : tickMs(this.state, this.ports.theme.glyphs.spinner.length > 1);
    if (ms === null) return;
    this.isTicking = true;
    this.io.clock.after(ms, () => {
      this.isTicking = false;
      // Any other change has turned the spinner, too.
      if (ms === SPIN_MS && this.changedAt + ms > this.io.clock.mono()) this.tick();
      else this.dispatch({ type: "tick", at: this.now() });
    });
  }
}
