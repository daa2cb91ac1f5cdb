// The console itself: it holds the state, hears the kernel, and carries out what a person does. Views draw the state and call this.

import { lookAt } from "../../../commands/proc/process-look.ts";
import { messageOf, SysError } from "../../../src/abi/errno.ts";
import { initPid, uuidv7 } from "../../../src/abi/ids.ts";
import type { Approval, ProcessInfo } from "../../../src/abi/process/process.ts";
import type { Signal } from "../../../src/abi/signal.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import type { Answer } from "../../../src/syscalls/approval/hil.ts";
import type { Aborted, Answered, HistoryPage, Sent } from "../../../src/syscalls/services.ts";
import type { Fate } from "../../state/process.ts";
import type { Top } from "../../state/views.ts";
import { toLookAt } from "../../views/top.ts";
import { type Line, type LineOptions, type LineState, openLine } from "../client/line.ts";
import { type Credentials, keepKey, keptKey, signIn, signOut } from "../client/sign-in.ts";
import { hashOf, type Route } from "../route.ts";
import { Gather } from "./gather.ts";
import { NAMES, onSignals } from "./signals.ts";
import { NEW_STATE, type State } from "./state.ts";
import { lastSeq, newTalk, noted, type Talk, withOlder, withPage } from "./talk.ts";

export interface ConsolePorts extends Pick<LineOptions, "clock" | "random" | "isSeen"> {
  readonly socketUrl: string;
  /** Loads the page again, for a kernel of another version. */
  readonly reload: () => void;
  readonly setHash: (hash: string) => void;
}

const PAGE_MESSAGES = 100;
const LIST_MS = 250;

export class Console {
  private state: State = NEW_STATE;
  private readonly listeners = new Set<() => void>();
  private line: Line | null = null;
  private version: string | null = null;
  private readonly signals: Gather<Signal>;
  private stopDeltas: () => void = () => {};
  private cancelList: (() => void) | null = null;
  private isLooking = false;
  private isReading = false;

  constructor(private readonly ports: ConsolePorts) {
    this.signals = new Gather(ports.clock, (signals) => this.heard(signals));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): State => this.state;

  get clock(): Clock {
    return this.ports.clock;
  }

  /** With a code from the address, or with the key of the last sign-in. */
  async begin(code: string | null): Promise<void> {
    if (code !== null) return await this.signIn({ code });
    if (keptKey() === null) this.set({ entry: { kind: "out", why: null } });
    else this.connect();
  }

  async signIn(credentials: Credentials): Promise<void> {
    this.set({ entry: { kind: "entering" } });
    try {
      await signIn(credentials);
      this.connect();
    } catch (error) {
      this.set({ entry: { kind: "out", why: messageOf(error) } });
    }
  }

  async leave(): Promise<void> {
    const ended = signOut();
    this.out(null);
    await ended;
  }

  private refused(error: SysError): void {
    if (error.code === "EAUTH") keepKey(null);
    this.out(error.code === "EAUTH" ? `Signed out: ${error.message}. Sign in again.` : error.message);
  }

  private out(why: string | null): void {
    this.line?.close();
    this.line = null;
    const { route } = this.state;
    const talk = route.view === "talk" ? newTalk(route.pid) : null;
    this.set({ ...NEW_STATE, route, talk, entry: { kind: "out", why } });
  }

  wake(): void {
    this.line?.wake();
  }

  go(route: Route): void {
    this.ports.setHash(hashOf(route));
  }

  /** After the address has changed. */
  show(route: Route): void {
    const pid = route.view === "talk" ? route.pid : null;
    const isSame = this.state.talk?.pid === pid;
    this.set({ route, notice: "", ...(!isSame && { talk: pid === null ? null : newTalk(pid) }) });
    this.followDeltas();
    if (pid !== null && !isSame) void this.readTalk();
  }

  setTop(top: Top): void {
    this.set({ top });
    void this.look();
  }

  notice(text: string): void {
    this.set({ notice: text });
  }

  async send(text: string, fate: Fate): Promise<void> {
    const { clock, random } = this.ports;
    const pid = this.state.talk?.pid;
    if (pid === undefined) return;
    const key = uuidv7(clock.now(), random);
    this.update(pid, (talk) => ({ ...talk, sending: [...talk.sending, { key, text, fate, runId: null }] }));
    const drop = (talk: Talk) => ({ ...talk, sending: talk.sending.filter((each) => each.key !== key) });
    try {
      const args = { pid, message: text, ...(fate === "now" && { interrupt: true }) };
      const { runId, response } = await this.call<Sent | Answered>("proc.send", args, key);
      if (runId === null) this.update(pid, (talk) => noted(drop(talk), { kind: "line", text: response ?? "" }));
      else
        this.update(pid, (talk) => ({
          ...talk,
          isBehind: true,
          sending: talk.sending.map((each) => (each.key === key ? { ...each, runId } : each)),
        }));
      void this.readTalk();
    } catch (error) {
      this.update(pid, drop);
      this.set({ notice: `Not sent: ${messageOf(error)}` });
      throw error;
    }
  }

  async answer(answer: Answer): Promise<void> {
    const ours = { isOurs: true as const, ourAnswer: answer.text ?? answer.message ?? "" };
    this.set({ asks: this.state.asks.map((ask) => (ask.id === answer.id ? { ...ask, ...ours } : ask)) });
    await this.tried("Not answered", () => this.call("hil.answer", answer));
  }

  /** The whole request, if the list has shortened it; null if it is over. */
  async whole(id: string): Promise<Approval | null> {
    let found: Approval | null = null;
    await this.tried("Not shown", async () => {
      const { approvals } = await this.call<{ approvals: readonly Approval[] }>("hil.list", { id });
      found = approvals[0] ?? null;
    });
    return found;
  }

  async abort(pid: string, runId?: string): Promise<void> {
    await this.tried("Not stopped", () => this.call("proc.abort", { pid, ...(runId !== undefined && { runId }) }));
  }

  /** The text of the last queued message, which then is not sent; null if there is none, or if a run has it by now. */
  async takeBack(): Promise<string | null> {
    const { talk } = this.state;
    const last = talk?.sending.findLast(({ runId }) => runId !== null);
    if (talk === null || last?.runId == null) return null;
    let text: string | null = null;
    await this.tried("Not taken back", async () => {
      const { aborted } = await this.call<Aborted>("proc.abort", { pid: talk.pid, runId: last.runId });
      this.update(talk.pid, (now) => ({ ...now, sending: now.sending.filter(({ key }) => key !== last.key) }));
      if (aborted) text = last.text;
    });
    return text;
  }

  async signal(pid: string, signal: "STOP" | "CONT"): Promise<void> {
    await this.tried(`No ${signal} sent`, () => this.call("proc.signal", { pid, signal }));
    this.listSoon();
  }

  async kill(pid: string): Promise<void> {
    await this.tried("Not killed", () => this.call("proc.kill", { pid }));
    this.listSoon();
  }

  async spawn(): Promise<void> {
    await this.tried("No process started", async () => {
      const { pid } = await this.call<{ readonly pid: string }>("proc.spawn", {});
      this.go({ view: "talk", pid });
    });
  }

  async older(): Promise<void> {
    const { talk } = this.state;
    if (talk === null || !talk.hasMoreBefore || this.isReading) return;
    this.isReading = true;
    const beforeSeq = talk.messages[0]?.id ?? 1;
    await this.tried("No older messages", async () => {
      const page = await this.call<HistoryPage>("proc.history", { pid: talk.pid, beforeSeq, limit: PAGE_MESSAGES });
      this.update(talk.pid, (now) => withOlder(now, page));
    });
    this.isReading = false;
  }

  private connect(): void {
    this.line?.close();
    this.line = openLine({
      ...this.ports,
      url: this.ports.socketUrl,
      key: keptKey,
      onState: (line) => this.onLine(line),
      onRefused: (error) => this.refused(error),
    });
    this.line.sys.on({ names: NAMES }, (signal) => this.signals.add(signal));
    this.followDeltas();
    void this.refresh();
  }

  private onLine(line: LineState): void {
    const wasLost = this.state.line.kind === "lost";
    this.set({ line });
    if (line.kind !== "open") return;
    if (this.version !== null && this.version !== line.version) this.ports.reload();
    this.version = line.version;
    this.set({ entry: { kind: "in" } });
    if (wasLost) void this.refresh();
  }

  /** Everything that signals may have missed. */
  private async refresh(): Promise<void> {
    try {
      const [who] = await Promise.all([
        this.call<{ readonly uid: number; readonly username: string }>("system.whoami", {}),
        this.list(),
        this.readAsks(),
        this.readNews(),
        this.readTalk(),
      ]);
      this.set({ who });
    } catch (error) {
      if (!(error instanceof SysError && (error.code === "ECANCELED" || error.code === "EAUTH")))
        this.set({ notice: messageOf(error) });
    }
  }

  private followDeltas(): void {
    const { route } = this.state;
    const names = ["chat.delta"] as const;
    this.stopDeltas();
    this.stopDeltas = () => {};
    if (this.line === null || route.view === "waiting") return;
    const filter = route.view === "talk" ? { pid: route.pid, names } : { names };
    this.stopDeltas = this.line.sys.on(filter, (signal) => this.signals.add(signal));
  }

  private heard(signals: readonly Signal[]): void {
    const next = onSignals(this.state, signals, this.ports.clock.now());
    this.set(next);
    if (signals.some(({ name }) => name.startsWith("process.") || name === "chat.complete")) this.listSoon();
    if (next.talk?.isBehind === true) void this.readTalk();
  }

  private async list(): Promise<void> {
    const { processes } = await this.call<{ processes: readonly ProcessInfo[] }>("proc.list", {});
    this.set({ isListed: true, top: { ...this.state.top, processes } });
    void this.look();
  }

  private listSoon(): void {
    this.cancelList ??= this.ports.clock.after(LIST_MS, () => {
      this.cancelList = null;
      void this.list().catch(() => {});
    });
  }

  /** Models and context of a few processes at a time. */
  private async look(): Promise<void> {
    const sys = this.line?.sys;
    const some = toLookAt(this.state.top);
    if (sys === undefined || this.isLooking || some.length === 0) return;
    this.isLooking = true;
    const looks = await Promise.all(
      some.map(async ({ pid, lastActiveAt: activeAt }) => [pid, { activeAt, ...(await lookAt(sys, pid)) }] as const),
    );
    this.isLooking = false;
    const { top } = this.state;
    this.set({ top: { ...top, looks: { ...top.looks, ...Object.fromEntries(looks) } } });
    void this.look();
  }

  private async readAsks(): Promise<void> {
    const { approvals } = await this.call<{ approvals: readonly Approval[] }>("hil.list", {});
    this.set({ asks: approvals.map((each) => ({ ...each, since: each.createdAt })) });
  }

  private async readNews(): Promise<void> {
    const { unread } = await this.call<{ readonly unread: number }>("notify.list", { limit: 1 });
    this.set({ news: { unread, revision: this.state.news.revision + 1 } });
  }

  /** The newest page first, then only what is new. */
  private async readTalk(): Promise<void> {
    const { talk } = this.state;
    if (talk === null || this.line === null) return;
    const { pid } = talk;
    const after = talk.isRead ? { afterSeq: lastSeq(talk) } : {};
    this.update(pid, (now) => ({ ...now, isBehind: false }));
    await this.tried("Cannot read the conversation", async () => {
      const page = await this.call<HistoryPage>("proc.history", { pid, limit: PAGE_MESSAGES, ...after });
      this.update(pid, (now) => withPage(now, page, this.ports.clock.now()));
    });
    if (this.state.talk?.isBehind === true && this.state.talk.pid === pid) await this.readTalk();
  }

  /** A failure is the notice. */
  async tried(what: string, act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof SysError && error.code === "ECANCELED"))
        this.set({ notice: `${what}: ${messageOf(error)}` });
    }
  }

  readonly call = <Result>(name: string, args: object, requestId?: string): Promise<Result> => {
    if (this.line === null) return Promise.reject(new SysError("ECANCELED", "signed out"));
    return this.line.sys.call<Result>(name, args, requestId === undefined ? {} : { requestId });
  };

  private update(pid: string, change: (talk: Talk) => Talk): void {
    const { talk } = this.state;
    if (talk?.pid === pid) this.set({ talk: change(talk) });
  }

  private set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const listener of [...this.listeners]) listener();
  }
}

export function homePid({ who }: State): string | null {
  return who === null ? null : initPid(who.uid);
}
