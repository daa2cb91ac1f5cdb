// A process manager over a whole kernel in memory, with sessions of any source and all of their events.

import { uuidv7 } from "../../src/abi/ids.ts";
import type { ClaudeStreamEvent } from "../../src/process/manager/events.ts";
import { ProcessManager } from "../../src/process/manager/manager.ts";
import type { Session } from "../../src/process/manager/session.ts";
import type { SessionRow } from "../../src/store/kernel/processes/sessions.ts";
import type { SessionLine } from "../../src/syscalls/session/session-service.ts";
import type { PlannedAnswer } from "./answers.ts";
import { type KernelOptions, TestKernel } from "./kernel.ts";

export const OWNER = 1000;

export class ManagedKernel {
  manager!: ProcessManager;
  /** All events for a listener of all sessions. */
  events: { readonly id: string; readonly event: ClaudeStreamEvent }[] = [];
  faults: unknown[] = [];
  private made = 0;
  private kernels = 0;

  private constructor(readonly home: TestKernel) {}

  static async boot(options: KernelOptions = {}): Promise<ManagedKernel> {
    const managed = new ManagedKernel(await TestKernel.boot(options));
    managed.manage();
    await managed.manager.settled();
    return managed;
  }

  /** A manager as after a start of gsv. */
  manage(): void {
    const { home, kernels } = this;
    const onFault = (error: unknown) => kernels === this.kernels && this.faults.push(error);
    const { clock } = home;
    this.manager = new ProcessManager({ filename: home.paths.kernelDb }, { sys: home.person(OWNER), clock, onFault });
    this.manager.subscribeAll((id, event) => kernels === this.kernels && this.events.push({ id, event }));
  }

  /** Everything stays in place, and the next kernel has a manager of its own. */
  async restart(): Promise<void> {
    // The one before dies with its kernel, and so do its timers.
    Reflect.get(this.manager, "polls").stop();
    this.kernels++;
    await this.home.restart();
    this.manage();
    await this.manager.settled();
    await this.home.quiet();
  }

  /** A session of another channel has an address; one of a terminal is known by its id. */
  session(about: Partial<Session> = {}): Session {
    const source = about.source ?? "cli";
    const id = uuidv7(this.home.clock.now(), this.home.random.bytes);
    const key = source === "cli" ? {} : { sender: `peer-${++this.made}` };
    return { id, source, ...key, ...about };
  }

  /** A session with one answer behind it. */
  async talked(about: Partial<Session> = {}): Promise<{ readonly session: Session; readonly pid: string }> {
    const session = this.session(about);
    this.manager.startProcess(session, "hello");
    await this.until(session, "session_exited");
    return { session, pid: await this.pid(session) };
  }

  /** The same, resumed, with these answers of its model. */
  async resumed(about: Partial<Session>, ...answers: readonly PlannedAnswer[]) {
    const found = await this.talked(about);
    this.home.model.will(found.pid, ...answers);
    this.manager.resumeProcess(found.session, "and now");
    await this.manager.settled();
    return found;
  }

  /** Until the process is held; only the time of its quick attempts passes. Returns the ms that it waits, or -1. */
  async held(pid: string): Promise<number> {
    const { home } = this;
    await home.until(`${pid} is held`, async () => {
      const { state, waitsFor } = await home.get(pid);
      if (waitsFor?.kind === "model") await home.clock.advance(Math.max(0, waitsFor.until - home.clock.now()));
      return state === "paused";
    });
    await this.manager.settled();
    const { waitsFor } = await home.get(pid);
    return waitsFor !== null && "until" in waitsFor ? (waitsFor.until ?? 0) - home.clock.now() : -1;
  }

  async row({ id }: { readonly id: string }): Promise<SessionRow> {
    const row = await this.home.stores.kernel.sessions.get(id);
    if (row === null) throw new Error(`no session ${id}`);
    return row;
  }

  async pid(session: { readonly id: string }): Promise<string> {
    return (await this.home.stores.kernel.sessions.get(session.id))?.pid ?? "none";
  }

  async status({ id: key }: { readonly id: string }): Promise<string> {
    return (await this.home.sys.call<SessionLine>("session.get", { key })).status;
  }

  /** Number of restarts of its run after faults. */
  async restarts(pid: string): Promise<number> {
    return (await this.home.stores.processes.head(pid)).restarts?.count ?? 0;
  }

  told(session: { readonly id: string }): ClaudeStreamEvent[] {
    return this.events.filter(({ id }) => id === session.id).map(({ event }) => event);
  }

  types(session: { readonly id: string }, ...of: readonly string[]): string[] {
    const types = this.told(session).map((event) => (event.type === "error" ? event.error.type : event.type));
    return of.length === 0 ? types : types.filter((type) => of.includes(type));
  }

  /** Waits until the session had so many events. */
  async until(session: { readonly id: string }, type: string, times = 1): Promise<void> {
    await this.home.until(`${session.id}: ${type}`, () => this.types(session, type).length >= times);
    await this.manager.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.manager.shutdown();
    await this.manager.settled();
    await this.home[Symbol.asyncDispose]();
    if (this.faults.length === 0) return;
    console.error(this.faults);
    throw new Error("the manager reported faults");
  }
}
