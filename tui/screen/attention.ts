// What the terminal is told besides what stands on it: a title that says how things are, and a call when something waits or a long run ends
// while nobody looks. Only words of our own: a label or a model's text never becomes a title or a notification.

import type { State } from "../state/state.ts";
import { type Abilities, callOf } from "./abilities.ts";

export interface AttentionOptions {
  readonly write: (text: string) => void;
  /** How this terminal calls somebody. */
  readonly notifies: Abilities["notifies"];
  /** Whether it has a title. */
  readonly titled: boolean;
}

/** Nobody is called for a run that took less. */
const LONG_RUN_MS = 10_000;

export class Attention {
  /** As the person wants to be called. */
  calls: "auto" | "bell" | "off" = "auto";
  private focused = true;
  private title = "";

  constructor(private readonly options: AttentionOptions) {}

  /** The window was chosen, or left. */
  focus(has: boolean): void {
    this.focused = has;
  }

  /** Something has changed. */
  look(before: State, after: State, now: number): void {
    const { write, notifies, titled } = this.options;
    const title = titleOf(after);
    if (titled && title !== this.title) write(`\x1b]2;${title}\x1b\\`);
    this.title = title;
    const why = this.focused || this.calls === "off" ? null : calledFor(before, after, now);
    if (why !== null) write(callOf(this.calls === "bell" ? "bell" : notifies, why));
  }

  /** Somebody else had the terminal, and its title. */
  forget(): void {
    this.title = "";
  }
}

function titleOf({ pid, asks, run, state }: State): string {
  if (asks.length > 0) return `? gsv ${pid}: waits for you`;
  if (state === "paused" || state === "stopped") return `gsv ${pid}: ${state}`;
  return run === null ? `gsv ${pid}` : `gsv ${pid}: working`;
}

/** Why somebody who looks elsewhere is called; null when there is no reason. */
function calledFor(before: State, after: State, now: number): string | null {
  const fresh = after.asks.find(({ id }) => !before.asks.some((ask) => ask.id === id));
  if (fresh !== undefined) return `${fresh.pid} waits for your answer`;
  const { run } = before;
  if (run === null || after.run !== null || before.pid !== after.pid || now - run.since < LONG_RUN_MS) return null;
  return after.state === "paused" ? `${after.pid} is paused` : `${after.pid} is done`;
}
