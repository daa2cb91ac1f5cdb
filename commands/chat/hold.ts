// Reports of approvals and holds during a chat, each once, whatever run it belongs to.

import { ENDED_BY } from "../../src/abi/errno.ts";
import type { ProcessInfo, WaitsFor } from "../../src/abi/process/process.ts";
import type { SignalOf } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { waitAtMost } from "../../src/lib/wait.ts";
import { waitsForText } from "../../src/syscalls/format.ts";
import type { Aborted } from "../../src/syscalls/services.ts";
import { openApproval } from "../approvals/decision.ts";
import type { Io } from "../command.ts";
import { type Ending, endingOfHold } from "./ending.ts";
import type { ChatRequest } from "./request.ts";
import type { ChatView } from "./view.ts";

interface Hold {
  readonly pid: string;
  readonly parent: string | null;
  readonly waitsFor: WaitsFor;
}

export function heldBy({ state, waitsFor }: Pick<ProcessInfo, "state" | "waitsFor">): WaitsFor | null {
  if (waitsFor?.kind === "model") return null;
  return waitsFor ?? (state === "stopped" || state === "paused" ? { kind: "person", reason: `it is ${state}` } : null);
}

export class Holds {
  private readonly approvals = new Set<string>();
  private readonly reported = new Set<string>();

  constructor(
    private readonly sys: Sys,
    private readonly view: ChatView,
    private readonly shown: (asked: SignalOf<"chat.hil">) => Promise<void> | undefined,
  ) {}

  async asked(signal: SignalOf<"chat.hil">): Promise<void> {
    if (this.approvals.has(signal.id)) return;
    this.approvals.add(signal.id);
    await this.view.signal(signal);
    await this.shown(signal);
  }

  /** With --wait: reports what the run waits for. */
  async waiting(state: string, held: Hold): Promise<void> {
    if ("id" in held.waitsFor) return this.show(held.waitsFor.id, held.parent);
    const text = `${held.pid} is ${state}: ${waitsForText(held.waitsFor)}; waiting`;
    if (this.reported.has(text)) return;
    this.reported.add(text);
    await this.view.status(text);
  }

  /** With --input jsonl: prints the request to answer. */
  showRequest(id: string, parent: string | null): Promise<void> {
    return this.show(id, parent);
  }

  async ending({ pid, parent, waitsFor }: Hold): Promise<Ending> {
    if ("id" in waitsFor) await this.show(waitsFor.id, parent);
    const cause = "id" in waitsFor ? "your answer is needed" : waitsForText(waitsFor);
    const hold = `run is on hold: ${cause} (gsv wait --wait ${pid} waits for it)`;
    // The reason of a missing key or model says what to type.
    await this.view.status(waitsFor.kind === "credential" ? waitsFor.reason : hold);
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

/** After this time, the abort counts as failed. */
const ANSWER_MS = 2000;

interface TimedOutRun {
  readonly request: Pick<ChatRequest, "deadline" | "killOnTimeout">;
  /** Undefined until the kernel has accepted the message. */
  readonly pid: string | undefined;
  readonly runId: string | undefined;
}

/** The end after --timeout: the run continues unless --kill-on-timeout is set. */
export async function timedOut(io: Io, view: ChatView, { request, pid, runId }: TimedOutRun): Promise<Ending> {
  const seconds = (request.deadline?.afterMs ?? 0) / 1000;
  if (pid === undefined) await view.status(`no kernel took the message within ${seconds} s`);
  else if (request.killOnTimeout) {
    const ended = await abortedInTime(io, { pid, runId });
    await view.status(`no answer within ${seconds} s${ended ? ": run aborted" : `; the message stays with ${pid}`}`);
  } else await view.status(`no answer within ${seconds} s; the run goes on: gsv wait ${pid}`);
  return { status: "timeout", exit: ENDED_BY.time };
}

async function abortedInTime(
  io: Pick<Io, "sys" | "clock">,
  of: { readonly pid: string; readonly runId: string | undefined },
): Promise<boolean> {
  const asked = io
    .sys()
    .call<Aborted>("proc.abort", of)
    .then(({ aborted }) => aborted);
  return (await waitAtMost(io.clock, ANSWER_MS, asked))?.value ?? false;
}
