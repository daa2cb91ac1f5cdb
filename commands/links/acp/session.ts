// A session of an editor: its process, what the editor has of its history, and signals that wait while something older is shown.

import type { ProcessInfo } from "../../../src/abi/process/process.ts";
import type { WorkspaceInfo } from "../../../src/abi/process/workspace.ts";
import type { Signal } from "../../../src/abi/signal.ts";
import type { Place } from "./calls.ts";
import type { Json } from "./rpc.ts";

export interface Prompt {
  readonly runId: string;
  readonly end: PromiseWithResolvers<Json>;
  isCancelled: boolean;
}

/** A request that the editor shows as a call. The call itself, once it is announced, continues it. */
interface Card {
  readonly id: string;
  readonly tool: string;
  readonly args: string;
}

const RUNS_KEPT = 100;

export class Session {
  /** Text of the open turn that was sent already. */
  sent = "";
  thought = "";
  prompt: Prompt | null = null;
  /** Set from the start of a prompt to its answer. */
  isBusy = false;
  /** A question that the next prompt answers. */
  question: string | null = null;
  /** Steps of the plan that a person has accepted or not answered yet. */
  plan: readonly string[] = [];
  /** The request that presents it. */
  planId: string | null = null;
  /** MCP servers of the editor that wait for approval. */
  readonly servers: string[] = [];
  /** Why the run pauses, as it was shown last. */
  status = "";
  /** Options as the editor has them, as JSON. */
  options = "";
  /** Runs that prompts of the editor started: it knows their messages. */
  private readonly runs = new Set<string>();
  private readonly shown = new Set<string>();
  private cards: Card[] = [];
  /** The card of a call, by the call's id. */
  private readonly continued = new Map<string, string>();
  private newest: number;
  private held: Signal[] | null = null;
  private released = Promise.withResolvers<void>();

  constructor(
    readonly pid: string,
    readonly place: Place,
    /** The editor has the messages up to this number, or does not want them. */
    private floor: number,
  ) {
    this.newest = floor;
  }

  prompted(runId: string): Prompt {
    this.runs.add(runId);
    const [oldest = ""] = this.runs;
    if (this.runs.size > RUNS_KEPT) this.runs.delete(oldest);
    this.prompt = { runId, end: Promise.withResolvers<Json>(), isCancelled: false };
    return this.prompt;
  }

  isOwn(runId: string | null): boolean {
    return runId !== null && this.runs.has(runId);
  }

  /** False if the editor has it already: a message by its number, a call by its id. */
  isNew(of: number | string): boolean {
    if (typeof of === "number") {
      if (of <= this.floor) return false;
      this.newest = Math.max(this.newest, of);
    }
    const key = typeof of === "number" ? `#${of}` : of;
    if (this.shown.has(key)) return false;
    this.shown.add(key);
    return true;
  }

  /** A run has ended: nothing of it can be missing. Returns cards whose calls never came. */
  settled(): readonly string[] {
    const left = this.cards.map(({ id }) => id);
    this.floor = this.newest;
    this.shown.clear();
    this.continued.clear();
    this.cards = [];
    return left;
  }

  asked(id: string, { tool, args }: { readonly tool: string; readonly args: object }): void {
    this.cards.push({ id, tool, args: JSON.stringify(args) });
  }

  unasked(id: string): void {
    this.cards = this.cards.filter((each) => each.id !== id);
  }

  /** The card that a call continues; null if it was not asked for. A person may have changed its arguments. */
  cardOf({
    callId,
    tool,
    args,
  }: {
    readonly callId: string;
    readonly tool: string;
    readonly args: object;
  }): string | null {
    const ofTool = this.cards.filter((each) => each.tool === tool);
    const card = ofTool.find((each) => each.args === JSON.stringify(args)) ?? ofTool[0];
    if (card === undefined) return null;
    this.cards = this.cards.filter((each) => each !== card);
    this.continued.set(callId, card.id);
    return card.id;
  }

  shownAs(callId: string): string {
    return this.continued.get(callId) ?? callId;
  }

  /** From here on messages may be missing. A call has no number: the message before it is read again. */
  missingAfter(seq: number): number {
    return Math.max(this.floor, seq - 1);
  }

  /** True if the signal waits. */
  holds(signal: Signal): boolean {
    this.held?.push(signal);
    return this.held !== null;
  }

  /** Signals that arrive meanwhile come after what the work shows. */
  async before<T>(work: () => Promise<T>, deliver: (signal: Signal) => void): Promise<T> {
    while (this.held !== null) await this.released.promise;
    this.held = [];
    this.released = Promise.withResolvers();
    try {
      return await work();
    } finally {
      const held = this.held;
      this.held = null;
      this.released.resolve();
      for (const signal of held) deliver(signal);
    }
  }

  /** The process is gone, or the editor has closed the session. */
  finish(): void {
    this.prompt?.end.resolve({ stopReason: "cancelled" });
    this.prompt = null;
  }
}

export function placeOf(
  { cwd, workspaceId }: ProcessInfo,
  workspaces: readonly WorkspaceInfo[],
  given: string | undefined,
): Place {
  const { directory = null, path = null } = workspaces.find(({ id }) => id === workspaceId) ?? {};
  return {
    cwd: given ?? directory ?? cwd,
    workspace: directory === null || path === null ? null : { directory, path },
  };
}
