// The exit status of a command that a signal of the operating system has ended, as every shell has it.

import type { Interruption } from "./command.ts";

export const INTERRUPTED: { readonly [name in Interruption]: number } = { HUP: 129, INT: 130, TERM: 143 };
