// `bc`: arithmetic with any precision; `scale` sets the decimal places.

import { options } from "../options.ts";
import { type Call, phrase, text, Usage } from "../program.ts";
import { BcMachine } from "./machine.ts";

export async function bc(call: Call): Promise<number> {
  const { flags, operands } = options("bc", call.args, {
    letters: "lqsw",
    long: { mathlib: "l", quiet: "q", standard: "s", warn: "w" },
  });
  const machine = new BcMachine(call, flags.has("l"));
  for (const name of [...operands, "-"]) {
    const source = await text(call, name).catch((error: unknown) => {
      throw new Usage(name === "-" ? `bc: ${phrase(error)}` : `File ${name} is unavailable.`);
    });
    if (machine.run(source)) return 0;
  }
  return 0;
}
