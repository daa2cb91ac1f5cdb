// Reports of approvals and pauses during a chat, each once, whatever run they belong to.

import type { ProcessInfo, WaitsFor } from "../../src/abi/process/process.ts";
import type { SignalOf } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { waitsForText } from "../../src/syscalls/format.ts";
import { openApproval } from "../approvals/decision.ts";
import { type Ending, endingOfPause } from "./ending.ts";
import type { ChatView } from "./view.ts";

interface PausedRun {
  readonly pid: string;
  readonly parent: string | null;
  readonly waitsFor: WaitsFor;
}

export function pauseOf({ state, waitsFor }: Pick<ProcessInfo, "state" | "waitsFor">): WaitsFor | null {
  if (waitsFor?.kind === "model" || waitsFor?.kind === "call") return null;
  return waitsFor ?? (state === "stopped" || state === "paused" ? { kind: "person", reason: `it is ${state}` } : null);
}

export class PauseReports {
  private readonly approvals = new Set<string>();
  private readonly reported = new Set<string>();

  constructor(
    private readonly sys: Sys,
    private readonly view: ChatView,
    /** Prints the request now, or when the ones before it have their answers. */
    private readonly ask: (asked: SignalOf<"chat.hil">, print: () => Promise<void>) => Promise<void>,
  ) {}

  async asked(signal: SignalOf<"chat.hil">): Promise<void> {
    if (this.approvals.has(signal.id)) return;
    this.approvals.add(signal.id);
    await this.ask(signal, () => this.view.signal(signal));
  }

  /** With --wait: reports what the run waits for. */
  async waiting(state: string, paused: PausedRun): Promise<void> {
    if ("id" in paused.waitsFor) return this.show(paused.waitsFor.id, paused.parent);
    const text = `${paused.pid} is ${state}: ${waitsForText(paused.waitsFor)}; waiting`;
    if (this.reported.has(text)) return;
    this.reported.add(text);
    await this.view.status(text);
  }

  /** With --input jsonl: prints the request to answer. */
  showRequest(id: string, parent: string | null): Promise<void> {
    return this.show(id, parent);
  }

  async ending({ pid, parent, waitsFor }: PausedRun): Promise<Ending> {
    if ("id" in waitsFor) await this.show(waitsFor.id, parent);
    const cause = "id" in waitsFor ? "your answer is needed" : waitsForText(waitsFor);
    const text = `run is on hold: ${cause} (gsv wait --wait ${pid} waits for it)`;
    // The reason of a missing key or model says what to type.
    await this.view.status(waitsFor.kind === "credential" ? waitsFor.reason : text);
    return endingOfPause(waitsFor, waitsForText(waitsFor));
  }

  // A request that was open before this message sends no second signal.
  private async show(id: string, parent: string | null): Promise<void> {
    if (this.approvals.has(id)) return;
    const open = await openApproval(this.sys, id);
    if (open === null) return;
    await this.asked({
      name: "chat.hil",
      ...open,
      label: open.label ?? null,
      uid: 0,
      parent,
      run: open.runId,
      at: open.createdAt,
    });
  }
}
