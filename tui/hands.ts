// What the reducer is handed besides the state, made once: it is asked with every signal.

import type { Io } from "../commands/command.ts";
import { uuidv7 } from "../src/abi/ids.ts";
import { goesOn } from "./line/unfinished.ts";
import type { Tty } from "./screen/screen.ts";
import type { Hands } from "./state/reduce-keys.ts";

export interface HandsOptions extends Pick<Hands, "route"> {
  readonly io: Io;
  readonly terminal: Pick<Tty, "columns" | "rows">;
}

export function handsOf({ io, terminal, route }: HandsOptions): Hands {
  return {
    route,
    goesOn,
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
