// Inputs of the reducer besides the state.

import type { Io } from "../../commands/command.ts";
import { uuidv7 } from "../../src/abi/ids.ts";
import { isUnfinished } from "../line/unfinished.ts";
import type { Tty } from "../screen/screen.ts";
import type { Route } from "../verdict/route.ts";
import type { Line } from "./line.ts";

export interface KeyContext {
  readonly route: (text: string, pinned: Line["pinned"]) => Route;
  /** Whether a shell line continues on the next one. */
  readonly isUnfinished: (text: string) => boolean;
  readonly columns: number;
  readonly now: number;
  /** Of a view: one column and one row less than the terminal. */
  readonly size: { readonly columns: number; readonly rows: number };
  readonly newKey: () => string;
}

export interface KeyContextOptions extends Pick<KeyContext, "route"> {
  readonly io: Io;
  readonly terminal: Pick<Tty, "columns" | "rows">;
}

export function keyContext({ io, terminal, route }: KeyContextOptions): KeyContext {
  return {
    route,
    isUnfinished,
    get columns() {
      return terminal.columns - 3;
    },
    get now() {
      return io.clock.now();
    },
    get size() {
      return { columns: terminal.columns - 1, rows: terminal.rows - 1 };
    },
    newKey: () => uuidv7(io.clock.now(), io.random),
  };
}
