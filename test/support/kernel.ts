// A whole kernel in this process, on a home of its own in a temporary directory, with a clock that stands still and a model with planned
// answers. `restart` leaves everything in place, as a kill would, and starts the next kernel on the same home. A fault in the
// kernel's log fails the test that closes it, unless the test expected it.

import { rmSync } from "node:fs";
import type { Config } from "../../src/abi/config/config.ts";
import type { SysError } from "../../src/abi/errno.ts";
import type { Arrival, Caller, Credentials } from "../../src/abi/identity.ts";
import type { Message } from "../../src/abi/process/message.ts";
import type { ProcessInfo, State } from "../../src/abi/process/process.ts";
import type { Signal, SignalName, SignalOf } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { bootKernel, type Kernel } from "../../src/boot/boot.ts";
import type { Machine, Ports } from "../../src/boot/core.ts";
import type { Models } from "../../src/kernel/models/models.ts";
import { realClock } from "../../src/lib/clock.ts";
import { homePaths, prepareHome } from "../../src/paths.ts";
import type { HistoryPage, SendRequest, Sent, Spawned, SpawnRequest, WaitResult } from "../../src/syscalls/services.ts";
import { PlannedModel } from "./answers.ts";
import { FakeClock } from "./clock.ts";
import { LaidHome } from "./first-home.ts";
import { keepingOf } from "./keeping.ts";
import { seeded } from "./random.ts";
import { rejection } from "./refusal.ts";
import { scratchDirectory } from "./scratch.ts";
import { lentShellRunner } from "./shell-runners.ts";

export function arrivalAt(address: string, more: Partial<Arrival> = {}): Arrival {
  return { address, network: address, program: "test/1", purpose: "account", ...more };
}

export const INIT = "init:1000";
const DEADLINE_MS = 15_000;
const PATIENT_TURNS = 200;
const UNTOLD_TURNS_MAX = 10;
/** The seed for a home with more history than a first start. */
const LIVED_IN = 14;

export interface KernelOptions {
  /** Starts with nothing: the first start of a home is part of the test. */
  readonly fresh?: true;
  readonly config?: Partial<Config>;
  readonly ports?: (ports: Ports) => Ports;
  /** The real providers, in place of the planned model. */
  readonly realProviders?: true;
  /** A backup to start with. */
  readonly restore?: string;
  readonly retention?: Machine["retention"];
  /** Variables that the first client sends to the kernel. */
  readonly env?: { readonly [name: string]: string };
  /** Time passes as it does outside: for events of the host. */
  readonly realTime?: true;
  /** The working directory of its clients. */
  readonly cwd?: string;
  /** The sandbox of the host; none when left out, whatever the host has. */
  readonly sandbox?: string;
  /** Even if the host has it. */
  readonly noRipgrep?: boolean;
  /** The login of the person at the computer. */
  readonly osUser?: string;
  readonly hostEnv?: Machine["hostEnv"];
  readonly lookUp?: Machine["lookUp"];
}

export class TestKernel {
  readonly directory = scratchDirectory("kernel");
  readonly paths = homePaths(this.directory);
  readonly clock = new FakeClock();
  readonly model = new PlannedModel();
  readonly random: ReturnType<typeof seeded>;
  /** Signals to the first client of each kernel, in order. */
  signals: Signal[] = [];
  faults: string[] = [];
  kernel!: Kernel;
  stores!: Ports;
  /** The first client's. */
  sys!: Sys;
  private clients = 0;

  private constructor(
    private readonly options: KernelOptions,
    seed = options.fresh ? 12 : options.restore === undefined ? 11 : 13,
  ) {
    // The seed has the random values of an earlier start of this home; no later one makes them again.
    this.random = seeded(seed);
  }

  static async boot(options: KernelOptions = {}): Promise<TestKernel> {
    const kernel = new TestKernel(options);
    prepareHome(kernel.paths, process.getuid?.() ?? 0);
    if (options.restore !== undefined)
      await keepingOf(kernel.directory, kernel.clock).restore(options.restore, { force: false });
    else if (!options.fresh) await FIRST_HOME.layAt(kernel.directory);
    await kernel.start();
    return kernel;
  }

  /** No kernel is started yet. */
  static async atRest(laid: LaidHome): Promise<TestKernel> {
    const kernel = new TestKernel({}, LIVED_IN);
    prepareHome(kernel.paths, process.getuid?.() ?? 0);
    await laid.layAt(kernel.directory);
    return kernel;
  }

  async start(): Promise<void> {
    const faults: string[] = [];
    this.faults = faults;
    this.kernel = await bootKernel(this.machine((line) => faults.push(line)));
    this.sys = await this.client();
    const signals: Signal[] = [];
    this.signals = signals;
    this.sys.on({}, (signal) => signals.push(signal));
  }

  private ripgrep(): string | null {
    return this.options.noRipgrep ? null : Bun.which("rg");
  }

  /** No drain: work in flight stays, and the next kernel resumes it. */
  async restart(): Promise<void> {
    this.model.forget();
    await this.kernel.close();
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Work that a test left running ends first, except calls that never end on purpose.
    const drained = this.kernel.runners.drain(0);
    await this.clock.advance(1);
    await Promise.race([drained, this.quiet()]);
    await this.kernel.close();
    rmSync(this.directory, { recursive: true, force: true });
    if (this.faults.length === 0) return;
    // Printed as well, because the test's own error would hide it.
    console.error(this.faults.join("\n"));
    throw new Error("the kernel logged faults");
  }

  /** Another client of the home's own person. */
  client(): Promise<Sys> {
    const clientId = `client-${++this.clients}`;
    const env = { OLLAMA_HOST: "none", ...this.options.env };
    return this.kernel.accept({ clientId, version: "0", cwd: this.options.cwd ?? "/somewhere", env });
  }

  login(credentials: Credentials, peer?: string, more: Partial<Arrival> = {}): Promise<Sys> {
    const clientId = `client-${++this.clients}`;
    const client = { clientId, version: "0", cwd: "/somewhere", env: {} };
    return this.kernel.accept(client, credentials, peer === undefined ? undefined : arrivalAt(peer, more));
  }

  /** The door of a process, with its agent as caller, and the approvals of a person for this call. */
  async insideOf(pid: string, seen: Partial<Pick<Caller, "approved" | "allowed">> = {}): Promise<Sys> {
    const row = await this.stores.kernel.processes.get(pid);
    if (row === null) throw new Error(`no process ${pid}`);
    // A caller is at work.
    await this.kernel.ledger.open(row);
    return this.kernel.sysFor(row.ownerUid, async () => ({ ...(await this.kernel.callers.process(row)), ...seen }));
  }

  person(uid: number): Sys {
    return this.kernel.sysFor(uid, () => this.kernel.callers.person(uid, "/"));
  }

  send(message: string, request: Partial<SendRequest> = {}): Promise<Sent> {
    return this.sys.call("proc.send", { message, ...request });
  }

  spawn(request: Partial<SpawnRequest> = {}): Promise<Spawned> {
    return this.sys.call("proc.spawn", request);
  }

  async task(request: Partial<SpawnRequest> = {}): Promise<string> {
    return (await this.spawn(request)).pid;
  }

  /** Sends and waits for the end of that run. */
  async say(message: string, request: Partial<SendRequest> = {}): Promise<SignalOf<"chat.complete">> {
    return await this.ended((await this.send(message, request)).runId);
  }

  get(pid: string): Promise<ProcessInfo> {
    return this.sys.call("proc.get", { pid });
  }

  async messages(pid: string): Promise<readonly Message[]> {
    return (await this.sys.call<HistoryPage>("proc.history", { pid, limit: 500 })).messages;
  }

  /** History in a few words a message, such as `user: hello`, `assistant: hm [Read]`, `Read: completed`. */
  async outline(pid: string): Promise<string[]> {
    return (await this.messages(pid)).map((message) => {
      if (message.role === "toolResult") return `${message.content.toolName}: ${message.content.outcome}`;
      if (message.role !== "assistant") return `${message.role}: ${message.content}`;
      const calls = (message.content.toolCalls ?? []).map((call) => call.name);
      return `assistant: ${message.content.text}${calls.length === 0 ? "" : ` [${calls.join(", ")}]`}`;
    });
  }

  async wait(pid: string, more: object = {}): Promise<WaitResult> {
    const { results } = await this.sys.call<{ results: [WaitResult] }>("proc.wait", { pids: [pid], ...more });
    return results[0];
  }

  refusal(name: string, args: object, sys: Sys = this.sys): Promise<SysError> {
    return rejection(sys.call(name, args));
  }

  heard<Name extends SignalName>(name: Name, run?: string): SignalOf<Name>[] {
    return this.signals.filter(
      (signal): signal is SignalOf<Name> =>
        signal.name === name && (run === undefined || ("run" in signal && signal.run === run)),
    );
  }

  /** The end of a run, once it was signalled. */
  async ended(run: string): Promise<SignalOf<"chat.complete">> {
    await this.until(`run ${run} ends`, () => this.heard("chat.complete", run).length > 0);
    return this.heard("chat.complete", run)[0]!;
  }

  async inState(pid: string, ...states: State[]): Promise<ProcessInfo> {
    let info = await this.get(pid);
    await this.until(`${pid} is ${states.join(" or ")}`, async () => {
      info = await this.get(pid);
      return states.includes(info.state);
    });
    return info;
  }

  /** The model call waits for `release`. */
  holding(count = 1): Promise<void> {
    return this.until("the model is asked", () => this.model.holding >= count);
  }

  /** Waits for a condition, with a deadline; a test never sleeps for a guessed time. */
  async until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
    const end = performance.now() + DEADLINE_MS;
    for (let looks = 1, turns = 0; ; looks++) {
      const told = this.signals.length;
      const look = isTrue();
      if (await look) return;
      if (performance.now() > end) throw new Error(`never happened: ${what}\n${this.faults.join("\n")}`);
      // A condition that asks the kernel costs a call: check again after a signal, or after a while without signals.
      const untold = typeof look === "boolean" ? 1 : Math.min(looks, UNTOLD_TURNS_MAX);
      for (let turn = 0; turn < untold && this.signals.length === told; turn++)
        // Longer waits are for another thread or process, which needs the core.
        await (turns++ < PATIENT_TURNS ? turned() : Bun.sleep(1));
    }
  }

  /** Resolves when no work can continue without time passing. */
  async quiet(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await turned();
  }

  private machine(log: (line: string) => void): Machine {
    const { model } = this;
    return {
      paths: this.paths,
      clock: this.options.realTime ? realClock : this.clock,
      random: this.random.bytes,
      osUser: this.options.osUser ?? "sam",
      passwordCost: { memoryCost: 8, timeCost: 1 },
      newShellRunner: lentShellRunner,
      pid: process.pid,
      path: process.env.PATH,
      // Five minutes of retries are for the tests that are about them.
      config: { "kernel.modelRetries": 3, ...this.options.config },
      hostEnv: this.options.hostEnv ?? { PATH: "/usr/bin:/bin" },
      findProgram: (name) => (name === "rg" ? this.ripgrep() : (this.options.sandbox ?? null)),
      log,
      ...(this.options.lookUp && { lookUp: this.options.lookUp }),
      ...(this.options.retention && { retention: this.options.retention }),
      ports: (ports) => {
        this.stores = this.options.ports?.(ports) ?? ports;
        return this.stores;
      },
      ...(this.options.realProviders ? {} : { models: (models: Models) => ({ ...models, reach: plannedBy(model) }) }),
    };
  }
}

/** In place of every named model, and of the default one. */
function plannedBy(provider: PlannedModel): Models["reach"] {
  const rate = { price: null, isOwn: false };
  const rest = { provider, model: "planned", missing: null, keyMark: null, keyFrom: null, window: null, rate };
  return async (_asker, named) => [{ ...rest, name: named ?? "offline" }];
}

function turned(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const FIRST_HOME = new LaidHome(async () => {
  const first = await TestKernel.boot({ fresh: true });
  await first.kernel.leave();
  return { directory: first.directory, remove: () => rmSync(first.directory, { recursive: true, force: true }) };
});
