// Number and size of objects by owner. Read-only.

import { isOlder } from "./edition.ts";
import { KERNEL_EDITION } from "./migrations/editions.ts";
import { Db } from "./open.ts";

export interface ObjectSums {
  readonly kind: "archives" | "files";
  readonly name: string;
  readonly bytes: number;
  readonly count: number;
}

/** Archives by account (those of sessions by agent), files by directory: `/home/sam`, `/root`. */
export function objectSums(kernelDb: string): ObjectSums[] {
  const db = new Db(kernelDb, { mode: "read" });
  try {
    if (isOlder(db, KERNEL_EDITION)) return [];
    const sums = new Map<string, ObjectSums>();
    for (const { key, size } of db.all<{ key: string; size: number }>(
      "SELECT key, size FROM objects WHERE dirmarker = 0",
    )) {
      const { kind, name } = ownerOf(key);
      const before = sums.get(`${kind} ${name}`) ?? { kind, name, bytes: 0, count: 0 };
      sums.set(`${kind} ${name}`, { kind, name, bytes: before.bytes + size, count: before.count + 1 });
    }
    return [...sums.values()];
  } finally {
    db.close();
  }
}

function ownerOf(key: string): Pick<ObjectSums, "kind" | "name"> {
  const parts = key.split("/");
  if (parts[0] === "var" && parts[1] === "sessions") return { kind: "archives", name: parts[2] ?? "" };
  if (parts[0] === "agents" && parts[2] === "sessions") return { kind: "archives", name: parts[1] ?? "" };
  const depth = parts[0] === "home" || parts[0] === "var" ? 2 : 1;
  return { kind: "files", name: `/${parts.slice(0, depth).join("/")}` };
}
