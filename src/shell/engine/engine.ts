// What gsv adds to just-bash's interpreter.

import { once } from "../../lib/lazy.ts";
import { withAppends } from "./appends.ts";
import { withFailures } from "./failures.ts";
import { replaceMethods } from "./interpreter.ts";

export const extendInterpreter = once(() => replaceMethods([withAppends, withFailures]));
