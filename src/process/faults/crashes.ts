// Writes a crash file for each run that ends in an error, for its owner: last messages, calls and calls in flight, without secrets, of
// limited size. If the file cannot be written, that is only logged.

import { messageOf } from "../../abi/errno.ts";
import { CORE_VERSION, type CoreMessage, type CrashCore, coreName } from "../../abi/process/crash.ts";
import type { Message, ToolOutcome } from "../../abi/process/message.ts";
import type { RunEnd } from "../../abi/process/process.ts";
import type { Clock } from "../../lib/clock.ts";
import { headAndTail } from "../../lib/text/truncate.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import { lastAsked } from "../run/model-calls.ts";
import { modelOfProcess } from "../run/model-choice.ts";

export interface CrashPorts {
  readonly kernel: KernelStore;
  readonly store: Pick<ProcessStore, "history" | "trace">;
  readonly clock: Clock;
  readonly versions: CrashCore["versions"];
  readonly redact: (text: string) => string;
  readonly keep: (ownerUid: number, name: string, text: string) => void;
  readonly log: (line: string) => void;
}

const MESSAGES = 20;
const CALLS = 50;
const READ_BYTES_MAX = 512 * 1024;
const TEXT_BYTES_MAX = 2 * 1024;
const CORE_BYTES_MAX = 256 * 1024;
const FAULTS_MAX = 64;
const OPEN_ENDED: readonly ToolOutcome[] = ["cancelled", "unknown"];

export class Crashes {
  /** Text of the error that a run met, by pid, until the run ends. */
  private readonly faults = new Map<string, string>();

  constructor(private readonly ports: CrashPorts) {}

  noteError(pid: string, error: unknown): void {
    this.faults.delete(pid);
    this.faults.set(pid, error instanceof Error ? (error.stack ?? error.message) : String(error));
    if (this.faults.size > FAULTS_MAX) this.faults.delete(this.faults.keys().next().value ?? "");
  }

  /** No file for a message that entered another run: that run has its own. */
  async ended(row: ProcessRow, end: RunEnd): Promise<void> {
    const fault = this.faults.get(row.pid) ?? null;
    this.faults.delete(row.pid);
    if (end.status !== "error" || end.mergedInto !== null) return;
    try {
      const core = await this.coreOf(row, end, end.reason === "fault" ? fault : null);
      this.ports.keep(row.ownerUid, coreName(row.pid, core.at), `${textOf(this.clean(core) as CrashCore)}\n`);
    } catch (error) {
      this.ports.log(`no crash file for ${row.pid}: ${messageOf(error)}`);
    }
  }

  private async coreOf(row: ProcessRow, end: RunEnd, fault: string | null): Promise<CrashCore> {
    const { kernel, store, clock, versions } = this.ports;
    const { pid, label, profile, parentPid: parent, ownerUid, uid } = row;
    const { messages } = await store.history(pid, { limit: MESSAGES, bytesMax: READ_BYTES_MAX });
    const [used] = (await kernel.usage.runs({ pid, limit: 1 })).filter(({ run }) => run === end.runId);
    const calls = await store.trace(pid, { limit: CALLS });
    // A failed model call without usage is only in the call log.
    const asked = used?.model ?? (end.reason?.startsWith("model.") ? lastAsked(calls) : null);
    const nameOf = async (number: number) => (await kernel.accounts.byUid(number))?.username ?? String(number);
    return {
      ...{ v: CORE_VERSION, at: clock.now(), pid, label, owner: await nameOf(ownerUid), runAs: await nameOf(uid) },
      ...{ profile, parent, fault, versions },
      run: {
        ...{ id: end.runId, reason: end.reason, error: end.error ?? "", usage: end.usage },
        model: asked ?? (await modelOfProcess(kernel, row)),
      },
      messages: messages.map(unsealed),
      inFlight: inFlightOf(messages, end.runId),
      calls: calls.map(({ id: _, ...call }) => call),
    };
  }

  /** Cuts and redacts every text before it becomes JSON, where an escape may hide a secret. */
  private clean(value: unknown): unknown {
    if (typeof value === "string") return headAndTail(this.ports.redact(value), TEXT_BYTES_MAX).text;
    if (Array.isArray(value)) return value.map((each) => this.clean(each));
    if (typeof value !== "object" || value === null) return value;
    // Redact name and value together: `password: …` is a secret only with its name.
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [this.ports.redact(name), this.cleanNamed(name, each)]),
    );
  }

  private cleanNamed(name: string, value: unknown): unknown {
    if (typeof value !== "string") return this.clean(value);
    const together = this.ports.redact(`${name}: ${value}`);
    return together.startsWith(`${name}: `) ? this.clean(together.slice(name.length + 2)) : this.clean(value);
  }
}

function unsealed(message: Message): CoreMessage {
  const { id: seq, timestamp: at, role, content } = message;
  if (typeof content === "object" && "seal" in content) {
    const { seal: _, ...rest } = content;
    return { seq, at, role, content: rest };
  }
  return { seq, at, role, content };
}

/** Calls that had no result when the run ended; they then got `cancelled` or `unknown`. */
function inFlightOf(messages: readonly Message[], runId: string): CrashCore["inFlight"] {
  const open = new Set(
    messages.flatMap((message) =>
      message.role === "toolResult" && message.runId === runId && OPEN_ENDED.includes(message.content.outcome)
        ? [message.content.toolCallId]
        : [],
    ),
  );
  return messages.flatMap((message) =>
    message.role === "assistant" && message.runId === runId
      ? (message.content.toolCalls ?? [])
          .filter(({ id }) => open.has(id))
          .map(({ id, name: tool, args }) => ({ id, tool, args }))
      : [],
  );
}

/** Drops the oldest messages and calls until the file is small enough. */
function textOf(core: CrashCore): string {
  for (let { messages, calls } = core; ; ) {
    const text = JSON.stringify({ ...core, messages, calls }, null, 2);
    if (Buffer.byteLength(text) <= CORE_BYTES_MAX || messages.length + calls.length === 0) return text;
    if (messages.length >= calls.length) messages = messages.slice(1);
    else calls = calls.slice(1);
  }
}
