// The loops that run in this kernel. Waking a process is a hint: without work it changes nothing. A failure ends only the loop of its
// process; a full disk is waited out.

import { NO_USAGE } from "../../abi/process/process.ts";
import { KERNEL_LEAVES } from "../../abi/sys.ts";
import { waitAtMost } from "../../lib/wait.ts";
import type { ProcessRow, ProcessRows } from "../../store/kernel/processes/processes.ts";
import { StoreCorrupt, StoreUnavailable } from "../../store/open.ts";
import type { Claimed } from "../../store/process/verbs.ts";
import type { Retries } from "../faults/disk-retry.ts";
import { endSignals, type LedgerPorts } from "../life/ledger.ts";
import type { Timeouts } from "../limits/timeouts.ts";
import { carryOn, type RunPorts } from "./run.ts";

export interface RunnersOptions extends LedgerPorts {
  readonly processes: ProcessRows;
  readonly ports: RunPorts;
  readonly retries: Retries;
  readonly timeouts: Timeouts;
  readonly onFault: (error: unknown) => void;
  readonly noteError: (pid: string, error: unknown) => void;
}

const RESTARTED = { class: null, until: null, putAside: false } as const;

interface Loop {
  /** Woken while running: check for work once more before leaving. */
  again: boolean;
  leave: AbortController;
  abort: AbortController;
  readonly ended: Promise<void>;
}

export class Runners {
  private readonly loops = new Map<string, Loop>();
  private draining = false;

  constructor(private readonly options: RunnersOptions) {}

  wake(pid: string): void {
    if (this.draining) return;
    const loop = this.loops.get(pid);
    if (loop !== undefined) {
      loop.again = true;
      return;
    }
    const started: { -readonly [K in keyof Loop]: Loop[K] } = {
      again: false,
      leave: new AbortController(),
      abort: new AbortController(),
      ended: Promise.resolve(),
    };
    this.loops.set(pid, started);
    started.ended = this.run(pid, started);
  }

  get active(): number {
    return this.loops.size;
  }

  askToLeave(pid: string): void {
    const loop = this.loops.get(pid);
    loop?.leave.abort();
  }

  mayStay(pid: string): void {
    const loop = this.loops.get(pid);
    if (loop?.leave.signal.aborted) loop.leave = new AbortController();
  }

  /** Ends the run at once. The caller must have fenced it. */
  interrupt(pid: string): void {
    this.loops.get(pid)?.abort.abort();
    this.options.ports.runOver(pid);
  }

  /** Waits up to `ms` for the loop to end; true if none runs. */
  async quiet(pid: string, ms: number): Promise<boolean> {
    const loop = this.loops.get(pid);
    if (loop === undefined) return true;
    await waitAtMost(this.options.clock, ms, loop.ended);
    return !this.loops.has(pid);
  }

  /**
   * Claims nothing new, lets turns and effects finish, and aborts what is left after `ms`. Processes that only wait for a reply (`isWaiting`)
   * are aborted at once: the next kernel resumes their calls.
   */
  async drain(ms: number, isWaiting: (pid: string) => boolean = () => false): Promise<void> {
    this.draining = true;
    for (const loop of this.loops.values()) loop.leave.abort();
    for (const [pid, loop] of this.loops) if (isWaiting(pid)) loop.abort.abort(KERNEL_LEAVES);
    await waitAtMost(this.options.clock, ms, this.allEnded());
    for (const loop of this.loops.values()) loop.abort.abort(KERNEL_LEAVES);
    await this.allEnded();
  }

  private async allEnded(): Promise<void> {
    await Promise.all([...this.loops.values()].map((loop) => loop.ended));
  }

  private async run(pid: string, loop: Loop): Promise<void> {
    try {
      do {
        loop.again = false;
        await this.runUntilQuiet(pid, loop);
      } while (loop.again && !this.draining);
    } catch (error) {
      await this.trouble(pid, error);
    } finally {
      this.loops.delete(pid);
      // Woken while it failed.
      if (loop.again) this.wake(pid);
    }
  }

  private async runUntilQuiet(pid: string, loop: Loop): Promise<void> {
    const { processes, store, ledger, clock, ports, timeouts } = this.options;
    const row = await processes.get(pid);
    if (row === null || row.phase !== "live") return;
    await ledger.write(row, async () => {
      while (!this.draining && !loop.leave.signal.aborted) {
        // Before the claim, so that an abort during the claim is not lost. An abort meant for the run before only costs a second claim.
        loop.abort = new AbortController();
        const { signal } = loop.abort;
        const run = await store.claim(pid, { now: clock.now() });
        await ledger.publish(row);
        if (run === null) return;
        await this.announce(row, run);
        await timeouts.begin(row, run);
        await carryOn(ports, { row, run, signal, leaving: loop.leave.signal }).finally(() => timeouts.leave(pid));
        await ledger.publish(row);
      }
    });
  }

  private async announce(row: ProcessRow, run: Claimed): Promise<void> {
    const { store, ledger } = this.options;
    if (!run.resumed) {
      const { nextSeq } = await store.head(row.pid);
      const [{ name: model }] = await this.options.ports.modelsOf(row, run);
      ledger.emit(row, { name: "chat.start", run: run.runId, model, seq: nextSeq - 1 });
    } else if (ledger.wasInterrupted(run.runId)) {
      // The turn that the last kernel did not finish starts again.
      const now = this.options.clock.now();
      await store.waste(row.pid, { runId: run.runId, model: run.model ?? "offline", usage: NO_USAGE, now });
      const reason = "the kernel was restarted";
      ledger.emit(row, { name: "chat.restart", run: run.runId, turn: run.turn + 1, attempt: 2, reason, ...RESTARTED });
    }
  }

  private async trouble(pid: string, error: unknown): Promise<void> {
    const { processes, onFault } = this.options;
    const row = await processes.get(pid).catch(() => null);
    if (row === null) return onFault(error);
    if (error instanceof StoreUnavailable) return this.waitOut(row, error);
    onFault(error);
    // The ledger has already quarantined the database.
    if (error instanceof StoreCorrupt) return;
    this.options.noteError(pid, error);
    await this.giveUp(row).catch(onFault);
  }

  // A broken invariant ends the run, not the kernel.
  private async giveUp(row: ProcessRow): Promise<void> {
    const { store, ledger, clock, ports } = this.options;
    const head = await store.head(row.pid);
    if (head.currentRun === null) return;
    const error = "internal error; see log/kernel.log";
    const fault = { epoch: head.epoch, runId: head.currentRun, reason: error };
    if (await ledger.write(row, () => ports.restarter.after(row, fault))) return;
    const ended = await store.finish(row.pid, head.epoch, {
      runId: head.currentRun,
      status: "error",
      reason: "fault",
      error,
      note: null,
      now: clock.now(),
    });
    await ledger.publish(row, ended.ok ? endSignals(ended.value) : []);
    const loop = this.loops.get(row.pid);
    if (loop !== undefined) loop.again = true;
  }

  private waitOut(row: ProcessRow, error: StoreUnavailable): void {
    const { ledger, retries } = this.options;
    const full = "the disk is full; continues when there is space";
    ledger.pauseInMemory(row, { kind: "disk", reason: error.trouble === "disk" ? full : error.message });
    retries.later(`run ${row.pid}`, () => {
      ledger.pauseInMemory(row, null);
      this.wake(row.pid);
    });
  }
}
