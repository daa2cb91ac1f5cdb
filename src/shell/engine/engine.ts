// What gsv adds to just-bash's interpreter.

import type { Bash } from "just-bash/browser";
import type { Clock } from "../../lib/clock.ts";
import { once } from "../../lib/lazy.ts";
import { withAppends } from "./appends.ts";
import type { Calls } from "./calls.ts";
import { withCommands } from "./commands.ts";
import { withCoprocs } from "./coproc-commands.ts";
import type { Coprocs } from "./coprocs.ts";
import { withBreaks } from "./ends.ts";
import { withFailures } from "./failures.ts";
import { withFileLimits } from "./file-limits.ts";
import { type Interpreter, replaceMethods } from "./interpreter.ts";
import { withPipelines } from "./pipelines.ts";

/** What the interpreters of one script share. */
export interface Shared {
  readonly clock: Clock;
  readonly calls: Calls;
  readonly coprocs: Coprocs;
}

const scripts = new WeakMap<object, Shared>();

const extended = once(() =>
  replaceMethods([
    withBreaks,
    withAppends,
    withFileLimits,
    withFailures,
    withCommands(sharedOf),
    withPipelines(sharedOf),
    withCoprocs(sharedOf),
  ]),
);

export function extendInterpreter(bash: Bash, shared: Shared): void {
  extended();
  // All interpreters of a script share its table of commands.
  scripts.set(Reflect.get(bash, "commands"), shared);
}

/** null for an interpreter that runs no script of gsv. */
function sharedOf({ ctx }: Interpreter): Shared | null {
  return scripts.get(ctx.commands) ?? null;
}
