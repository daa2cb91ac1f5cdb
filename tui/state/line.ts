// The line that is being typed, and the history behind it.

import { type Editing, EMPTY } from "../line/editor.ts";
import type { Past } from "../line/history.ts";
import type { Search } from "../line/search.ts";
import type { Route } from "../verdict/route.ts";

/** Completions of the word at the cursor, until the next key. */
export interface Menu {
  readonly from: number;
  readonly candidates: readonly Candidate[];
  readonly at: number | null;
}

export interface Candidate {
  readonly text: string;
  readonly note: string;
}

export type Pin = "chat" | "shell" | "host";

export interface Line {
  readonly cwd: string;
  readonly input: Editing;
  readonly route: Route;
  /** shift-tab: the line is a message or a command, whatever it looks like. */
  readonly pinned: Pin | null;
  /** The same for this line alone. */
  readonly turned: Pin | null;
  /** The last line that was entered, for esc to give back. */
  readonly last: { readonly text: string; readonly to: Route["to"] } | null;
  readonly past: readonly Past[];
  /** The shown line of history, and the draft before it. */
  readonly recalled: { readonly at: number; readonly draft: Editing } | null;
  readonly search: Search | null;
  readonly menu: Menu | null;
  /** A key for a paused process was just pressed; if letters follow, it was the beginning of a word. */
  readonly pausedKey: { readonly letter: string; readonly at: number } | null;
}

export function newLine({ cwd, past }: Pick<Line, "cwd" | "past">): Line {
  return {
    cwd,
    past,
    input: EMPTY,
    route: { to: "nothing" },
    pinned: null,
    turned: null,
    last: null,
    recalled: null,
    search: null,
    menu: null,
    pausedKey: null,
  };
}
