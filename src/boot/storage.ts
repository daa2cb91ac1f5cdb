// Which driver holds the bytes of this home, by its settings: for the kernel, the read-only view, doctor and backup. A home on disk loads
// none of the S3 code.

import { storedKey } from "../abi/config/config-key.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { Keychain } from "../kernel/settings/secrets.ts";
import type { Clock } from "../lib/clock.ts";
import { diskObjects } from "../objects/disk.ts";
import { diskBytes } from "../objects/disk-bytes.ts";
import { type Known, knownIn } from "../objects/look.ts";
import type { Bytes, Driver, ObjectRows, StoredObjects } from "../objects/objects.ts";
import { SwitchedObjects } from "../objects/switched.ts";
import type { HomePaths } from "../paths.ts";
import type { Inspector } from "../store/inspect.ts";
import type { ConfigRows } from "../store/kernel/config.ts";

export interface StorageMachine {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly config: Pick<ConfigRows, "under">;
  /** Where the keys of a bucket may lie. */
  readonly keychain: Keychain | null;
}

/** For who looks after them: the driver there is, and the other one as it is configured. */
export interface StorageParts {
  readonly objects: SwitchedObjects;
  readonly known: Known;
  readonly other: (driver: Driver) => Promise<StoredObjects>;
  readonly newId: () => string;
}

export async function storageIn(machine: StorageMachine, rows: ObjectRows): Promise<StorageParts> {
  const other = (driver: Driver) => objectsOn(driver, machine, rows);
  const objects = new SwitchedObjects(await other(await driverIn(machine.config)));
  return { objects, known: knownIn(rows), other, newId: () => uuidv7(machine.clock.now(), machine.random) };
}

async function driverIn(config: StorageMachine["config"]): Promise<Driver> {
  const key = storedKey("storage.driver", "system");
  const row = (await config.under(key)).find((each) => each.key === key);
  return row?.value === "s3" ? "s3" : "disk";
}

async function objectsOn(driver: Driver, machine: StorageMachine, rows: ObjectRows): Promise<StoredObjects> {
  const { paths, clock, random } = machine;
  if (driver === "s3") return (await import("./s3.ts")).objectsInBucket(machine, rows);
  return diskObjects({ directory: paths.objectsDir, rows, clock, random });
}

/** Bytes alone, for who looks at a home from outside; a kernel may be using it. */
export async function bytesOfHome(
  { paths, clock, random }: Pick<StorageMachine, "paths" | "clock" | "random">,
  databases: Pick<Inspector, "settings">,
): Promise<Bytes> {
  const config = {
    under: async (prefix: string) => databases.settings().filter(({ key }) => key.startsWith(prefix)),
  };
  if ((await driverIn(config)) === "disk") return diskBytes(paths.objectsDir);
  const [{ bytesInBucket }, { keychainOf }] = await Promise.all([import("./s3.ts"), import("../machine/keychain.ts")]);
  return bytesInBucket({ paths, clock, random, config, keychain: keychainOf(paths.home, clock) });
}
