// New databases as bytes: copying them takes a fraction of the statements of their schemas. The build stores them in the binary
// (src/bundle/ready-made.ts); from the sources, the first use runs the statements in memory.

import { migrate, type Schema } from "../migrate.ts";
import { Db } from "../open.ts";
import { KERNEL_SCHEMA } from "./kernel.ts";
import { PROCESS_SCHEMA } from "./process.ts";

const made = new Map<Schema, Uint8Array>();

export const kernelImage = (): Uint8Array => imageOf(KERNEL_SCHEMA);
export const processImage = (): Uint8Array => imageOf(PROCESS_SCHEMA);

function imageOf(schema: Schema): Uint8Array {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const db = new Db(":memory:", { mode: "write" });
  try {
    migrate(db, schema, { now: 0 });
    const image = db.bytes();
    made.set(schema, image);
    return image;
  } finally {
    db.close();
  }
}
