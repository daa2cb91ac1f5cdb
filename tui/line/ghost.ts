// The suggestion that stands dim behind the cursor: how this line went on the last time. Pure.

import type { State } from "../state/state.ts";
import { continuation } from "./history.ts";

/** Empty if there is none. */
export function ghostOf({ line: { input, past, cwd }, asking }: Pick<State, "line" | "asking">): string {
  if (input.at !== input.text.length || input.pastes.size > 0 || asking.replying !== null) return "";
  return continuation(input.text, past, cwd);
}
