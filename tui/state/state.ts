// Everything the terminal knows and shows, as one value. `reduce` makes the next one, views draw it, nothing else keeps any.

import { type Asking, NO_ASKS } from "./asks.ts";
import { type Line, newLine } from "./line.ts";
import { type Attachment, type Conversation, type Jobs, NO_CONVERSATION } from "./process.ts";
import { NO_OVERLAYS, type Overlays } from "./views.ts";

export interface Who {
  readonly username: string;
  readonly uid: number;
  readonly home: string;
  /** The directory of this computer that the terminal stands in; null in gsv's own tree. */
  readonly here?: Directory | null;
}

export interface Directory {
  /** Its path in gsv. */
  readonly at: string;
  readonly real: string;
  /** The real path as people write it. */
  readonly short: string;
}

/** The real directory of a path in gsv, and that path as it is shown; null outside of the directory. */
export function realPlace(here: Directory | null | undefined, cwd: string): Pick<Directory, "real" | "short"> | null {
  if (here == null || (cwd !== here.at && !cwd.startsWith(`${here.at}/`))) return null;
  const below = cwd.slice(here.at.length);
  return { real: here.real + below, short: here.short + below };
}

export interface State extends Attachment, Conversation, Line, Asking, Overlays, Jobs {
  readonly who: Who;
  /** The chosen colours. */
  readonly theme: string;
}

export function initialState({ who, pid, past }: Pick<State, "who" | "pid" | "past">): State {
  return {
    who,
    theme: "auto",
    pid,
    readOnly: false,
    model: null,
    state: "idle",
    waitsFor: null,
    stateSince: 0,
    context: null,
    standIn: null,
    costUsd: 0,
    ...NO_CONVERSATION,
    ...newLine({ cwd: who.home, past }),
    ...NO_ASKS,
    ...NO_OVERLAYS,
    jobs: [],
    ends: [],
  };
}
