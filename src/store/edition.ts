// Identification of database files: which of gsv's databases, and which schema version. Foreign and newer files are refused and not
// touched.

import { SysError } from "../abi/errno.ts";
import { type Db, StoreCorrupt } from "./open.ts";

export interface Edition {
  readonly component: string;
  /** In the file header: distinguishes gsv databases. */
  readonly applicationId: number;
  /** Number of migrations. */
  readonly version: number;
}

/** True if a kernel must migrate first. Throws if the file is newer or foreign. */
export function isOlder(db: Db, edition: Edition): boolean {
  const version = schemaVersion(db);
  refuseNewer(db, edition, version);
  if (version > 0 && pragma(db, "application_id") !== edition.applicationId) throw foreign(db, edition.component);
  return version < edition.version;
}

export function schemaVersion(db: Db): number {
  return pragma(db, "user_version");
}

export function refuseNewer(db: Db, known: Edition, version: number): void {
  if (version <= known.version) return;
  throw new SysError(
    "ECONFIG",
    `${db.path} was written by a newer gsv (schema ${version}; this one knows ${known.version})`,
    ["use the newer gsv for this home"],
  );
}

export function foreign(db: Db, component: string): StoreCorrupt {
  return new StoreCorrupt(`${db.path} is not a ${component} database of gsv`);
}

export function pragma(db: Db, name: string): number {
  return Number(Object.values(db.get(`PRAGMA ${name}`) ?? { value: 0 })[0]);
}
