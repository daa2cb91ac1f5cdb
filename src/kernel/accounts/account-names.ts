// Names that accounts and groups may have, and the names that gsv chooses itself.

import { SysError } from "../../abi/errno.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { GROUPS } from "./capabilities.ts";

const AGENT_NAMES = ["friday", "sol", "echo", "iris", "juno", "atlas", "mira", "nova", "vera", "ada"] as const;
/** Appear as actors in texts and rows without being accounts. */
const RESERVED: ReadonlySet<string> = new Set(["kernel", "nobody", "system", "gsv", "anybody", "everyone"]);

/** True if no account or group may have the name. */
export function isReserved(name: string): boolean {
  // Every JavaScript object has a __proto__ and a constructor.
  return Object.hasOwn(GROUPS, name) || RESERVED.has(name) || name in {};
}

export function reservedName(name: string): SysError {
  return new SysError("EINVAL", `${name} is reserved`, ["choose another name"]);
}

/** A name for the personal agent of a new human. */
export async function freeAgentName({ people, groups }: KernelStore, human: string): Promise<string> {
  for (let number = 0; ; number++) {
    const name = AGENT_NAMES[number] ?? `agent${number - AGENT_NAMES.length + 1}`;
    const free = name !== human && (await people.byName(name)) === null && (await groups.byName(name)) === null;
    if (free) return name;
  }
}

/** An OS user name as an account name: odd characters become `_`; invalid and reserved names become `me`. */
export function humanName(osUser: string): string {
  const name = osUser
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, "_")
    .slice(0, 32);
  return isReserved(name) || !/^[a-z_][a-z0-9_-]*$/.test(name) || /^_+$/.test(name) ? "me" : name;
}
