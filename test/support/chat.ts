// A conversation as the kernel would signal it: one process, one run, each signal with typical content.

import type { ProcessInfo, RunStatus, WaitsFor } from "../../src/abi/process/process.ts";
import { NO_USAGE } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { WaitResult } from "../../src/syscalls/services.ts";
import { SHOWN } from "./asking.ts";
import { FakeIo, runs, until } from "./io.ts";

export const PID = "init:1000";
export const RUN = "0190a1b2-0000-7000-8000-000000000001";
export const OTHER_RUN = "0190a1b2-0000-7000-8000-000000000002";

type Of<Name extends Signal["name"]> = Extract<Signal, { name: Name }>;

const base = { pid: PID, uid: 1000, parent: null, at: 0, run: RUN };

export const said = {
  start: (more: Partial<Of<"chat.start">> = {}): Signal => ({
    ...base,
    name: "chat.start",
    model: "script",
    seq: 1,
    ...more,
  }),
  delta: (text: string, more: Partial<Of<"chat.delta">> = {}): Signal => {
    return { ...base, name: "chat.delta", turn: 1, kind: "text", text, ...more };
  },
  text: (text: string, more: Partial<Of<"chat.text">> = {}): Signal => {
    return { ...base, name: "chat.text", turn: 1, seq: 2, text, ...more };
  },
  call: (tool: string, args: object): Signal => {
    return { ...base, name: "chat.tool_call", callId: "c1", tool, call: "fs.read", args };
  },
  result: (ok: boolean, output: string): Signal => {
    return { ...base, name: "chat.tool_result", callId: "c1", tool: "Read", call: "fs.read", ok, seq: 3, output };
  },
  hil: (more: Partial<Of<"chat.hil">> = {}): Signal => {
    const about = { id: "k3x9", tool: "Delete", call: "fs.delete", args: { path: "~/x" }, why: "deletes ask first" };
    return { ...base, name: "chat.hil", label: null, ...SHOWN, ...about, ...more };
  },
  closed: (): Signal => ({ ...base, name: "chat.hil_closed", id: "k3x9", decision: "approve", by: "sam" }),
  restart: (more: Partial<Of<"chat.restart">> = {}): Signal => {
    const why = { reason: "the connection broke", class: "network", until: null, putAside: false } as const;
    return { ...base, name: "chat.restart", turn: 1, attempt: 2, ...why, ...more };
  },
  state: (state: Of<"process.state">["state"], waitsFor: WaitsFor | null = null): Signal => {
    return { pid: PID, uid: 1000, parent: null, at: 0, name: "process.state", state, queued: 0, waitsFor };
  },
  resync: (afterSeq: number): Signal => ({ pid: PID, uid: 1000, parent: null, at: 0, name: "resync", afterSeq }),
  complete: (status: RunStatus, text: string | null = null, more: Partial<Of<"chat.complete">> = {}): Signal => {
    const nothing = { error: null, mergedInto: null, label: null, usage: NO_USAGE, queued: 0, reason: "end" };
    return { ...base, name: "chat.complete", status, text, ...nothing, ...more };
  },
};

export const APPROVAL_WAIT: WaitsFor = { kind: "approval", id: "k3x9", tool: "Delete", summary: "Delete ~/x" };

export function waited(more: Partial<WaitResult>): WaitResult {
  return {
    pid: PID,
    runId: RUN,
    status: "ok",
    usage: null,
    exit: 0,
    text: null,
    inPart: false,
    error: null,
    waitsFor: null,
    ...more,
  };
}

/** A kernel that accepts the message; the test decides what happens next. */
export class Chat {
  readonly io = new FakeIo();
  /** Lets proc.wait answer. */
  readonly wait = Promise.withResolvers<{ results: WaitResult[] }>();

  constructor() {
    const { fakeSys } = this.io;
    fakeSys.answer("proc.send", ({ pid = PID }: { pid?: string }) => {
      return { pid, runId: RUN, status: "started", queued: false };
    });
    fakeSys.answer("proc.wait", () => this.wait.promise);
    fakeSys.answer("proc.abort", () => ({ pid: PID, aborted: true }));
    this.finds({ state: "running", waitsFor: null });
  }

  finds(state: Pick<ProcessInfo, "state" | "waitsFor">): void {
    this.io.fakeSys.answer("proc.get", () => state);
  }

  /** Starts `gsv chat` and returns when it has sent its message and waits. */
  async begin(...args: string[]): Promise<{ exit: Promise<number> }> {
    let over = false;
    const exit = runs(this.io, "chat", ...args).finally(() => {
      over = true;
    });
    await until(() => over || this.io.fakeSys.asked("proc.send").length > 0);
    await this.settle();
    return { exit };
  }

  settle(ms = 0): Promise<void> {
    return this.io.clock.advance(ms);
  }

  /** Plays signals in order, each one processed before the next. */
  async play(...signals: Signal[]): Promise<void> {
    for (const signal of signals) {
      this.io.fakeSys.emit(signal);
      await this.settle();
    }
  }

  get out(): string {
    return this.io.stdout.text;
  }

  get err(): string {
    return this.io.stderr.text;
  }

  get events(): { type: string; [key: string]: unknown }[] {
    return this.io.stdout.lines.map((line) => JSON.parse(line));
  }
}
