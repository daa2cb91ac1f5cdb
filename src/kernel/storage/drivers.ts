// Opens the objects of a home with the driver that its settings name: for the kernel, the read-only view, doctor and backup. A home on disk
// does not load the S3 code.

import { storedKey } from "../../abi/config/config-key.ts";
import { uuidv7 } from "../../abi/ids.ts";
import { diskObjects } from "../../objects/disk.ts";
import { diskBytes } from "../../objects/disk-bytes.ts";
import type { Bytes, Driver, ObjectRows, StoredObjects } from "../../objects/objects.ts";
import { SwitchedObjects } from "../../objects/switched.ts";
import { type CurrentRows, currentRows } from "../../objects/verify.ts";
import type { Inspector } from "../../store/inspect.ts";
import type { StorageMachine } from "./bucket.ts";

/** The objects of a home, and how to open those of the other driver. */
export interface StorageParts {
  readonly objects: SwitchedObjects;
  readonly known: CurrentRows;
  readonly other: (driver: Driver) => Promise<StoredObjects>;
  readonly newId: () => string;
}

export async function storageIn(machine: StorageMachine, rows: ObjectRows): Promise<StorageParts> {
  const other = (driver: Driver) => objectsOn(driver, machine, rows);
  const objects = new SwitchedObjects(await other(await driverIn(machine.config)));
  return { objects, known: currentRows(rows), other, newId: () => uuidv7(machine.clock.now(), machine.random) };
}

async function driverIn(config: StorageMachine["config"]): Promise<Driver> {
  const key = storedKey("storage.driver", "system");
  const row = (await config.under(key)).find((each) => each.key === key);
  return row?.value === "s3" ? "s3" : "disk";
}

async function objectsOn(driver: Driver, machine: StorageMachine, rows: ObjectRows): Promise<StoredObjects> {
  const { paths, clock, random } = machine;
  if (driver === "s3") return (await import("./bucket.ts")).objectsInBucket(machine, rows);
  return diskObjects({ directory: paths.objectsDir, rows, clock, random });
}

/** The bytes without their rows, of a home that a kernel may be using. */
export async function bytesOfHome(
  { paths, clock, random, keychain }: Omit<StorageMachine, "config">,
  databases: Pick<Inspector, "settings">,
): Promise<Bytes> {
  const config = { under: async (prefix: string) => databases.settings().filter(({ key }) => key.startsWith(prefix)) };
  if ((await driverIn(config)) === "disk") return diskBytes(paths.objectsDir);
  return (await import("./bucket.ts")).bytesInBucket({ paths, clock, random, config, keychain });
}
