// What gsv adds to just-bash's interpreter.

import { once } from "../../lib/lazy.ts";
import { appended } from "./appends.ts";
import { replaceMethods } from "./interpreter.ts";

export const extendInterpreter = once(() =>
  replaceMethods(({ executeSimpleCommand }) => ({
    async executeSimpleCommand(command, stdin) {
      const run = (each: typeof command) => executeSimpleCommand.call(this, each, stdin);
      return (await appended(this, command, run)) ?? (await run(command));
    },
  })),
);
