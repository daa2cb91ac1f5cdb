// What effects act with: the kernel, the shell of the line, the terminal, and `dispatch` to report what happened.

import type { Io } from "../commands/command.ts";
import { messageOf, SysError } from "../src/abi/errno.ts";
import type { Leaving } from "./leaving.ts";
import type { History } from "./line/history.ts";
import type { Keyboard } from "./line/keyboard.ts";
import type { Attention } from "./screen/attention.ts";
import type { Lending } from "./screen/lending.ts";
import type { Screen, Tty } from "./screen/screen.ts";
import type { Theme } from "./screen/theme.ts";
import type { LineShell } from "./shell/line-shell.ts";
import type { Entry } from "./state/effect.ts";
import type { AppEvent } from "./state/event.ts";
import type { KeyContext } from "./state/key-context.ts";
import type { State } from "./state/state.ts";

export interface EffectPorts {
  readonly io: Io;
  readonly shell: LineShell;
  readonly state: () => State;
  readonly dispatch: (event: AppEvent) => void;
  readonly print: (entry: Entry) => void;
  readonly route: KeyContext["route"];
  readonly attach: (pid: string, readOnly: boolean) => void;
  readonly history: History;
  readonly terminal: Pick<Tty, "columns">;
  readonly theme: Theme;
  readonly screen: Pick<Screen, "pushUp">;
  readonly lending: Pick<Lending, "lend" | "suspend">;
  readonly leaving: Pick<Leaving, "leave">;
  readonly keyboard: Pick<Keyboard, "queueDuring">;
  readonly attention: Attention;
}

export function failed({ io, dispatch }: Pick<EffectPorts, "io" | "dispatch">, text: string): void {
  dispatch({ type: "notice", text, at: io.clock.now() });
}

export function worded(error: unknown): string {
  if (!(error instanceof SysError)) return messageOf(error);
  return [error.message, ...error.hints].join("; ");
}
