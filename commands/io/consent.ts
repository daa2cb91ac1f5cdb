// Questions on the terminal that only yes accepts.

import { SysError } from "../../src/abi/errno.ts";
import type { Io } from "../command.ts";

export function canAsk(io: Io, json: boolean): boolean {
  return io.stdin.isTTY && !io.asksNobody && !json;
}

/** `done`: the step that needs consent, such as `trusted`. */
export function noTerminal(done: string, hint: string): SysError {
  return new SysError("EUSAGE", `nothing was ${done}: there is no terminal to ask on`, [hint]);
}

export async function agrees({ person }: Io, question: string): Promise<boolean> {
  const answer = await person.ask(`\n${question} [y/N] `);
  return /^(?:y|yes)$/i.test(answer.trim());
}
