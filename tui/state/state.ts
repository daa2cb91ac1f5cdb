// The state of the terminal, as one value. `reduce` makes the next one and views draw it.

import { isInside } from "../../src/lib/inside.ts";
import { type Asking, NO_ASKS } from "./asks.ts";
import { type Line, newLine } from "./line.ts";
import { type Attachment, type Conversation, type Jobs, NEW_CHAT, newAttachment } from "./process.ts";
import { NO_OVERLAYS, type Overlays } from "./views.ts";

export interface Who {
  readonly username: string;
  readonly uid: number;
  readonly home: string;
  /** The directory of this computer that the terminal stands in; null in gsv's own tree. */
  readonly here?: Directory | null;
  /** The name of the kernel of another computer; null for that of this one. */
  readonly remote?: string | null;
}

export interface Directory {
  /** Its path in gsv, below /workspaces. */
  readonly at: string;
  /** Its path in gsv's shell: the real path, unless gsv has a directory of its own there. */
  readonly cwd: string;
  readonly real: string;
  /** The real path as people write it. */
  readonly short: string;
}

/** Arguments that give a new process the directory of the terminal. */
export function inDirectory({ here }: Who): { readonly workspace?: string } {
  return here == null ? {} : { workspace: here.at.slice("/workspaces/".length) };
}

/** The real directory of a path in gsv, and that path as it is shown; null outside of the directory. */
export function realPlace(here: Directory | null | undefined, cwd: string): Pick<Directory, "real" | "short"> | null {
  if (here == null) return null;
  const top = isInside(cwd, here.cwd) ? here.cwd : here.at;
  if (!isInside(cwd, top)) return null;
  const below = cwd.slice(top.length);
  return { real: here.real + below, short: here.short + below };
}

export interface State extends Groups {
  readonly who: Who;
  readonly theme: string;
}

interface Groups {
  readonly process: Attachment;
  readonly chat: Conversation;
  readonly line: Line;
  readonly asking: Asking;
  readonly overlay: Overlays;
  readonly background: Jobs;
  readonly news: News;
}

export interface News {
  /** Unread notifications. */
  readonly unread: number;
  /** False if the person looks at another window. */
  readonly isFocused: boolean;
  /** The connection to a remote kernel is lost, and is being retried. */
  readonly isCut: boolean;
  /** The remote kernel has ended the login: nothing is retried. */
  readonly isSignedOut: boolean;
  /** The newest that this terminal has got. */
  readonly latest: { readonly id: string; readonly text: string } | null;
}

export function initialState({ who, pid, readOnly = false, cwd = who.home, past = [] }: InitialState): State {
  return {
    who,
    theme: "auto",
    process: { ...newAttachment(pid), readOnly },
    chat: NEW_CHAT,
    line: newLine({ cwd, past }),
    asking: NO_ASKS,
    overlay: NO_OVERLAYS,
    background: { jobs: [], ends: [], isWarned: false },
    news: { unread: 0, isFocused: true, isCut: false, isSignedOut: false, latest: null },
  };
}

interface InitialState {
  readonly who: Who;
  readonly pid: string;
  readonly readOnly?: boolean;
  readonly cwd?: string;
  readonly past?: Line["past"];
}

export function set<Group extends keyof Groups>(state: State, group: Group, fields: Partial<Groups[Group]>): State {
  return { ...state, [group]: { ...state[group], ...fields } };
}

const NOTICE_MS = 8000;

/** One line at the right end of the status row. It goes with the next key; news stays until the next line. */
export function noticed(state: State, text: string, at: number, { isNews = false } = {}): State {
  return set(state, "overlay", { notice: { text, until: at + NOTICE_MS, isNews } });
}
