// A process manager over a whole kernel in memory, with sessions of any source and everything that was told of them.

import { ROOT_UID } from "../../src/abi/identity.ts";
import type { ClaudeStreamEvent } from "../../src/process/manager/events.ts";
import { ProcessManager } from "../../src/process/manager/manager.ts";
import type { Engine, ManagerPorts } from "../../src/process/manager/ports.ts";
import type { NewSession, SessionRow } from "../../src/store/kernel/processes/sessions.ts";
import { type KernelOptions, TestKernel } from "./kernel.ts";

export const OWNER = 1000;

export class ManagedKernel {
  manager!: ProcessManager;
  /** Everything that was told to a listener of all sessions. */
  events: { readonly id: string; readonly event: ClaudeStreamEvent }[] = [];
  faults: unknown[] = [];
  private made = 0;
  private kernels = 0;

  private constructor(
    readonly home: TestKernel,
    private readonly ports: ManagerPorts,
  ) {}

  static async boot(ports: ManagerPorts = {}, options: KernelOptions = {}): Promise<ManagedKernel> {
    const managed = new ManagedKernel(await TestKernel.boot(options), ports);
    managed.manage();
    await managed.manager.settled();
    return managed;
  }

  /** A manager as after a start of gsv. */
  manage(): void {
    this.manager = new ProcessManager(this.home.kernel.care.database, { ...this.given(), ...this.ports });
    const { kernels } = this;
    this.manager.subscribeAll((id, event) => kernels === this.kernels && this.events.push({ id, event }));
  }

  private given(): ManagerPorts {
    const { home } = this;
    const { kernel } = home;
    const engine: Engine = {
      ...{ kernel: home.stores.kernel, store: home.stores.processes, ledger: kernel.ledger, runners: kernel.runners },
      ...kernel.care,
      random: home.random.bytes,
      sysOf: (uid) => home.person(uid),
      hear: (listener) => kernel.door(ROOT_UID, () => kernel.callers.person(ROOT_UID, "/")).on({}, listener),
    };
    const { kernels } = this;
    // What a dead kernel's manager still tries is nobody's trouble.
    return { engine, clock: home.clock, onFault: (error) => kernels === this.kernels && this.faults.push(error) };
  }

  /** Everything stays as it lies, and the next kernel has a manager of its own. */
  async restart(): Promise<void> {
    // The one before dies with its kernel, and so do its timers.
    Reflect.get(this.manager, "polls").stop();
    this.kernels++;
    await this.home.restart();
    this.manage();
    await this.home.quiet();
  }

  async session(about: Partial<NewSession> = {}): Promise<SessionRow> {
    const id = `session-${++this.made}`;
    const source = about.source ?? "cli";
    const key = source === "cli" ? null : `agent:main:${source}:dm:peer-${this.made}`;
    const { sessions } = this.home.stores.kernel;
    return await sessions.create({ id, ownerUid: OWNER, key, createdAt: this.home.clock.now(), ...about });
  }

  async row({ id }: { readonly id: string }): Promise<SessionRow> {
    const row = await this.home.stores.kernel.sessions.get(id);
    if (row === null) throw new Error(`no session ${id}`);
    return row;
  }

  async pid(session: SessionRow): Promise<string> {
    return (await this.row(session)).pid ?? "none";
  }

  told(session: { readonly id: string }): ClaudeStreamEvent[] {
    return this.events.filter(({ id }) => id === session.id).map(({ event }) => event);
  }

  types(session: { readonly id: string }, ...of: readonly string[]): string[] {
    const types = this.told(session).map((event) => (event.type === "error" ? event.error.type : event.type));
    return of.length === 0 ? types : types.filter((type) => of.includes(type));
  }

  /** Until it was told of the session so often. */
  async until(session: { readonly id: string }, type: string, times = 1): Promise<void> {
    await this.home.until(`${session.id}: ${type}`, () => this.types(session, type).length >= times);
    await this.manager.settled();
  }

  /** Its model is being asked and says nothing until it is let go. */
  async running(about: Partial<NewSession> = {}): Promise<{ readonly session: SessionRow; readonly pid: string }> {
    const session = await this.session(about);
    this.manager.startProcess(session);
    await this.until(session, "session_started");
    const pid = await this.pid(session);
    return { session, pid };
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
