// The exit status of a command that a signal of the operating system has ended, as every shell has it.

import type { Ending } from "./command.ts";

export const INTERRUPTED: { readonly [name in Ending]: number } = { HUP: 129, INT: 130, PIPE: 141, TERM: 143 };
