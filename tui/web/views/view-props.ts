import type { Console } from "../store/console.ts";
import type { State } from "../store/state.ts";

export interface ViewProps {
  readonly gsv: Console;
  readonly state: State;
}
