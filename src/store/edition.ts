// Which of gsv's databases a file is, and of which version: all that reading one asks of its schema. A file of another kind is refused, and
// so is one that a newer gsv wrote; neither is touched.

import { SysError } from "../abi/errno.ts";
import { type Db, StoreCorrupt } from "./open.ts";

export interface Edition {
  readonly component: string;
  /** Written into the file's header: tells a gsv database from any other. */
  readonly applicationId: number;
  /** How many migrations have made it. */
  readonly version: number;
}

/** For reading only: whether the holder has to migrate it first. Throws when it is newer, or not ours at all. */
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
