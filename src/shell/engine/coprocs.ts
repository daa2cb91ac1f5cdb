// Coprocesses of a script. Each runs in a copy of the shell, over two pipes; the script reaches them by descriptors, which only gsv knows.

import { ENDED_BY } from "../../abi/errno.ts";
import type { Clock } from "../../lib/clock.ts";
import { either, waitAtMost } from "../../lib/wait.ts";
import { OWN, SINKS } from "../programs/internal-words.ts";
import { Pipe } from "../programs/pipe.ts";
import { group, type Node, statementOf } from "../rewrite/nodes.ts";
import type { Interpreter, Result, State } from "./interpreter.ts";
import { scriptOutlet } from "./narrowed.ts";
import { pipeOutlet, runStage, stageShell } from "./pipelines.ts";
import { Input, type Outlet, streamsOf } from "./streams.ts";

const READ_TOP = 63;
const WRITE_TOP = 60;
/** Highest descriptor that `exec {fd}>&…` takes. */
const COPY_TOP = 40;
/** Time for a coprocess to end by itself, after the end of the script closed its streams. */
const END_MS = 100;

/** The script's end of a pipe; several descriptors may share it. */
interface End {
  readonly input: Input | null;
  readonly outlet: Outlet | null;
  readonly close: () => void;
}

interface Coproc {
  readonly name: string;
  readonly pid: number;
  readonly parent: number;
  readonly status: Promise<number>;
  readonly kill: (status: number) => void;
  isRunning: boolean;
}

export class Coprocs {
  private readonly ends = new Map<number, End>();
  private readonly all = new Map<number, Coproc>();
  private isInside = false;

  constructor(private readonly clock: Clock) {}

  get isUsed(): boolean {
    return this.all.size > 0;
  }

  endAt(fd: number): End | undefined {
    return this.ends.get(fd);
  }

  /** Pids that `wait` without arguments waits for. */
  childrenOf(parent: number): readonly number[] {
    return [...this.all.values()].filter((each) => each.parent === parent).map(({ pid }) => pid);
  }

  isPid(word: string): boolean {
    return this.all.has(Number(word));
  }

  start(shell: Interpreter, definition: Node): Result {
    const { state } = shell.ctx;
    const name = String(definition.name).slice(OWN.coproc.length);
    const others = [...this.all.values()].filter(({ isRunning }) => isRunning);
    const [toCoproc, fromCoproc] = [new Pipe(() => this.clock.mono()), new Pipe(() => this.clock.mono())];
    const copy = stageShell(shell, 1, false);
    const killed = new AbortController();
    const signal = either(killed.signal, state.signal);
    copy.ctx.state.signal = signal;
    const cut = () => {
      toCoproc.cut();
      fromCoproc.cut();
    };
    signal.addEventListener("abort", cut, { once: true });
    let ended: number | null = null;
    const kill = (status: number) => {
      ended ??= status;
      killed.abort();
    };
    const printed = streamsOf(shell).err ?? scriptOutlet(shell.ctx, SINKS.stderr);
    // Killed without a message.
    const err: Outlet = { ...printed, write: (bytes) => (signal.aborted ? undefined : printed.write(bytes)) };
    const streams = { out: pipeOutlet(fromCoproc), err, input: new Input(toCoproc) };
    const redirections = definition.redirections as readonly Node[];
    const status = runStage(copy, group([statementOf(definition.body as Node)], redirections), streams)
      .catch((error: unknown) => {
        err.write(Buffer.from(`bash: ${(error as Error).message}\n`));
        return 1;
      })
      .then((last) => {
        signal.removeEventListener("abort", cut);
        toCoproc.leave();
        fromCoproc.end();
        coproc.isRunning = false;
        return ended ?? last;
      });
    const { bashPid: pid } = copy.ctx.state;
    const coproc: Coproc = { ...{ name, pid, parent: state.bashPid, status, kill }, isRunning: true };
    this.all.set(pid, coproc);
    const read = this.open({ input: new Input(fromCoproc), outlet: null, close: () => fromCoproc.leave() }, READ_TOP);
    const write = this.open({ input: null, outlet: pipeOutlet(toCoproc), close: () => toCoproc.end() }, WRITE_TOP);
    setVariables(state, coproc, [read, write]);
    const [other] = others;
    if (other !== undefined)
      printed.write(Buffer.from(`bash: warning: execute_coproc: coproc [${other.pid}:${other.name}] still exists\n`));
    return { stdout: "", stderr: "", exitCode: 0 };
  }

  /** `fd` is null for any free one. Returns the descriptor. */
  copy(end: End, fd: number | null): number {
    if (fd === null) return this.open(end, COPY_TOP);
    this.ends.set(fd, end);
    return fd;
  }

  /** As in bash, the element of a closed descriptor becomes -1. */
  close({ arrays }: State, fd: number): void {
    const end = this.ends.get(fd);
    this.ends.delete(fd);
    if (end !== undefined && ![...this.ends.values()].includes(end)) end.close();
    for (const { name } of this.all.values()) {
      const elements = arrays?.get(name)?.elements;
      for (const [at, value] of elements ?? []) if (value === String(fd)) elements?.set(at, "-1");
    }
  }

  /** Waits for a coprocess, forgets it, and returns its status. */
  async ended({ ctx: { state } }: Interpreter, pid: number): Promise<number> {
    const coproc = this.all.get(pid);
    if (coproc === undefined) return 0;
    const status = await coproc.status;
    this.all.delete(pid);
    if (state.env.get(`${coproc.name}_PID`) !== String(pid)) return status;
    for (const value of state.arrays?.get(coproc.name)?.elements.values() ?? []) this.close(state, Number(value));
    state.arrays?.delete(coproc.name);
    state.env.delete(`${coproc.name}_PID`);
    return status;
  }

  kill(pid: number, signal: number): boolean {
    const coproc = this.all.get(pid);
    if (coproc?.isRunning !== true) return false;
    if (signal > 0) coproc.kill(128 + signal);
    return true;
  }

  /** Runs a script; the coprocesses of the outermost one end with it. */
  async within(script: () => Promise<Result>): Promise<Result> {
    if (this.isInside) return script();
    this.isInside = true;
    try {
      return await script();
    } finally {
      await this.end();
      this.isInside = false;
    }
  }

  /** Closes all streams, and stops the coprocesses that do not end. */
  private async end(): Promise<void> {
    for (const end of this.ends.values()) end.close();
    const running = [...this.all.values()].filter(({ isRunning }) => isRunning);
    if (running.length === 0) return;
    const all = Promise.all(running.map(({ status }) => status));
    await waitAtMost(this.clock, END_MS, all);
    for (const { kill } of running) kill(ENDED_BY.TERM);
    await all;
  }

  private open(end: End, top: number): number {
    let fd = top;
    while (this.ends.has(fd)) fd--;
    this.ends.set(fd, end);
    return fd;
  }
}

function setVariables(state: State, { name, pid }: Coproc, fds: readonly number[]): void {
  state.arrays ??= new Map();
  state.arrays.set(name, { kind: "indexed", elements: new Map(fds.map((fd, at) => [String(at), String(fd)])) });
  state.env.set(`${name}_PID`, String(pid));
  state.env.set(OWN.lastJob, String(pid));
}
