// What effects are given to act with: the kernel, the shell of the line, the terminal, and a way to report what happened.

import type { Io } from "../commands/command.ts";
import type { HistoryPage } from "../src/syscalls/services.ts";
import type { Past } from "./line/history.ts";
import type { LineShell } from "./line/line-shell.ts";
import type { ThemeName } from "./screen/theme.ts";
import type { Entry } from "./state/effect.ts";
import type { AppEvent } from "./state/event.ts";
import type { State } from "./state/state.ts";
import type { Route } from "./verdict/route.ts";

export interface EffectPorts {
  readonly io: Io;
  readonly shell: LineShell;
  readonly state: () => State;
  readonly happen: (event: AppEvent) => void;
  readonly print: (entry: Entry) => void;
  readonly route: (text: string, pinned: State["pinned"]) => Route;
  /** Work that has the terminal, one after the other. */
  readonly withTerminal: (work: () => Promise<void>) => void;
  readonly suspend: () => Promise<void>;
  readonly pushUp: () => void;
  readonly remember: (entry: Past) => void;
  readonly leave: (status: number) => void;
  /** Keys wait until this is over: they are typed on its result. */
  readonly hold: (work: Promise<void>) => void;
  readonly attach: (pid: string, readOnly: boolean) => void;
  /** A history as text. */
  readonly told: (page: HistoryPage) => string;
  readonly theme: (name: ThemeName) => void;
}
