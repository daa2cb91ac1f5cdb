// What is mounted where: one table for the kernel and for the read-only view, so that a path means the same with a kernel and without.

import { separateStores } from "../fs/memory.ts";
import { Namespace } from "../fs/namespace.ts";
import { objectsFs } from "../fs/objects.ts";
import { procFs } from "../fs/proc.ts";
import { sysFs } from "../fs/sys.ts";
import type { Caller } from "./abi/identity.ts";
import type { Sys } from "./abi/sys.ts";
import type { Clock } from "./lib/clock.ts";
import type { ObjectStore } from "./objects/objects.ts";
import { messageLine, waitsForText } from "./syscalls/format.ts";

/** Archives: their owners read them, and nothing that is said or done through files changes what was once put away. */
const KEPT = ["/var/sessions"];
const TMP_BYTES_MAX = 64 * 1024 * 1024;

/** Loaded when somebody looks: it takes every declaration there is. */
const REFERENCE = {
  names: async () => (await import("./syscalls/reference.ts")).syscallNames(),
  text: async (name: string) => (await import("./syscalls/reference.ts")).syscallText(name),
};

export interface MountParts {
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly sysFor: (caller: Caller) => Sys;
}

export function mountedFiles({ objects, clock, sysFor }: MountParts): Namespace {
  const storeOf = separateStores((caller: Caller) => caller.ownerUid, TMP_BYTES_MAX);
  return new Namespace([
    { at: "/", fs: objectsFs({ storeOf: () => objects, clock, root: { uid: 0, gid: 0, mode: 0o755 }, kept: KEPT }) },
    { at: "/tmp", fs: objectsFs({ storeOf, clock, root: { uid: 0, gid: 0, mode: 0o1777 } }) },
    { at: "/proc", fs: procFs({ sysFor, clock, messageLine, waitsForText }) },
    { at: "/sys", fs: sysFs({ sysFor, clock, reference: REFERENCE }) },
  ]);
}
