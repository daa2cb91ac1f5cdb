// All syscalls at once, for the kernel, the reference and completion.

import { type AnySyscall, callsOf, DOMAIN_NAMES } from "./table.ts";

export const SYSCALLS: ReadonlyMap<string, AnySyscall> = new Map(
  (await Promise.all(DOMAIN_NAMES.map(callsOf))).flat().map((call) => [call.name, call]),
);
