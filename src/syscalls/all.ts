// Every syscall at once, for those who need them all: the kernel, the reference, completion.

import { type AnySyscall, callsOf, DOMAIN_NAMES } from "./table.ts";

export const SYSCALLS: ReadonlyMap<string, AnySyscall> = new Map(
  (await Promise.all(DOMAIN_NAMES.map(callsOf))).flat().map((call) => [call.name, call]),
);
