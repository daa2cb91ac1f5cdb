// Reports of approvals and holds during a chat, each once, whatever run it belongs to.

import type { ProcessInfo, WaitsFor } from "../../src/abi/process/process.ts";
import type { SignalOf } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { waitsForText } from "../../src/syscalls/format.ts";
import { type Ending, endingOfHold } from "./ending.ts";
import { openApproval } from "./missed.ts";
import type { ChatView } from "./view.ts";

interface Held {
  readonly pid: string;
  readonly parent: string | null;
  readonly waitsFor: WaitsFor;
}

/** The hold of a process in this state. */
export function heldBy({ state, waitsFor }: Pick<ProcessInfo, "state" | "waitsFor">): WaitsFor | null {
  if (waitsFor?.kind === "model") return null;
  return waitsFor ?? (state === "stopped" || state === "paused" ? { kind: "person", reason: `it is ${state}` } : null);
}

export class Holds {
  private readonly approvals = new Set<string>();
  private readonly said = new Set<string>();

  constructor(
    private readonly sys: Sys,
    private readonly view: ChatView,
    /** Called after each approval was shown. */
    private readonly shown: (asked: SignalOf<"chat.hil">) => Promise<void> | undefined,
  ) {}

  async asked(signal: SignalOf<"chat.hil">): Promise<void> {
    if (this.approvals.has(signal.id)) return;
    this.approvals.add(signal.id);
    await this.view.signal(signal);
    await this.shown(signal);
  }

  /** With --wait: reports what the run waits for. */
  async waiting(state: string, held: Held): Promise<void> {
    if ("id" in held.waitsFor) return this.show(held.waitsFor.id, held.parent);
    const text = `${held.pid} is ${state}: ${waitsForText(held.waitsFor)}; waiting`;
    if (this.said.has(text)) return;
    this.said.add(text);
    await this.view.status(text);
  }

  /** With --input jsonl: prints the request to answer. */
  told(id: string, parent: string | null): Promise<void> {
    return this.show(id, parent);
  }

  async ending({ pid, parent, waitsFor }: Held): Promise<Ending> {
    if ("id" in waitsFor) await this.show(waitsFor.id, parent);
    const cause = "id" in waitsFor ? "your answer is needed" : waitsForText(waitsFor);
    await this.view.status(`run is on hold: ${cause} (gsv wait --wait ${pid} waits for it)`);
    return endingOfHold(waitsFor, waitsForText(waitsFor));
  }

  // A request that was open before this message sends no second signal.
  private async show(id: string, parent: string | null): Promise<void> {
    if (this.approvals.has(id)) return;
    const open = await openApproval(this.sys, id);
    if (open === null) return;
    await this.asked({
      name: "chat.hil",
      ...open,
      uid: 0,
      parent,
      run: open.runId,
      at: open.createdAt,
    });
  }
}
