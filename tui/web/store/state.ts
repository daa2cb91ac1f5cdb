// The state of the console: one object, from which every view is drawn.

import type { ProcessInfo } from "../../../src/abi/process/process.ts";
import type { Ask } from "../../state/asks.ts";
import type { Top } from "../../state/views.ts";
import { NEW_TOP } from "../../views/top.ts";
import type { LineState } from "../client/line.ts";
import { type Route, START } from "../route.ts";
import type { Talk } from "./talk.ts";

export type Entry =
  | { readonly kind: "entering" }
  /** `why`: the reason of a refusal; null for a person who has not tried yet. */
  | { readonly kind: "out"; readonly why: string | null }
  | { readonly kind: "in" };

export interface Who {
  readonly uid: number;
  readonly username: string;
}

export interface News {
  /** Unread notifications. */
  readonly unread: number;
  /** Grows when a notification is new or changed. */
  readonly revision: number;
}

export interface State {
  readonly entry: Entry;
  readonly line: LineState;
  readonly who: Who | null;
  readonly route: Route;
  /** The table of processes, with its selection, order and filter: the same as of `gsv top`. */
  readonly top: Top;
  /** The list was read at least once. */
  readonly isListed: boolean;
  readonly asks: readonly Ask[];
  readonly news: News;
  /** The open conversation. */
  readonly talk: Talk | null;
  /** One line about the last action. */
  readonly notice: string;
  /** For a screen reader: the last event that a person should hear. */
  readonly spoken: string;
}

export const NEW_STATE: State = {
  entry: { kind: "entering" },
  line: { kind: "connecting" },
  who: null,
  route: START,
  top: NEW_TOP,
  isListed: false,
  asks: [],
  news: { unread: 0, revision: 0 },
  talk: null,
  notice: "",
  spoken: "",
};

export function processIn({ top }: State, pid: string): ProcessInfo | null {
  return top.processes.find((each) => each.pid === pid) ?? null;
}
