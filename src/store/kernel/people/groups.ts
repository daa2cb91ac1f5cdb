// Groups: members and capabilities. A revoked capability is never restored automatically.

import type { Receipt } from "../../../objects/objects.ts";
import type { KernelDb } from "../db.ts";
import { putRequest } from "../requests.ts";
import type { Group } from "./accounts.ts";

export interface GroupRow extends Group {
  readonly capabilities: readonly string[];
}

export interface GroupChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly grant: readonly string[];
  readonly revoke: readonly string[];
}

export interface GroupRows {
  list(): Promise<readonly GroupRow[]>;
  byName(name: string): Promise<GroupRow | null>;
  nameOf(gid: number): Promise<string | null>;
  /** Null if an account or group has the name. */
  create(name: string, receipt?: (made: GroupRow) => Receipt): Promise<GroupRow | null>;
  change(gid: number, change: GroupChange): Promise<void>;
  remove(gid: number, receipt?: Receipt): Promise<void>;
}

/** Lower gids belong to gsv, higher ones are private groups of accounts. */
const FIRST_GID = 300;
const END_GID = 1000;

export function membersOf(text: string): string[] {
  return text === "" ? [] : text.split(",");
}

export function groupRows(kernel: KernelDb): GroupRows {
  const { db } = kernel;
  type Columns = { readonly name: string; readonly gid: number; readonly members: string };

  function toGroup({ name, gid, members }: Columns): GroupRow {
    const granted = db.all<{ capability: string }>(
      "SELECT capability FROM group_capabilities WHERE gid = ? ORDER BY capability",
      gid,
    );
    return { name, gid, members: membersOf(members), capabilities: granted.map((row) => row.capability) };
  }
  const byName = (name: string) => db.get<Columns>("SELECT name, gid, members FROM groups WHERE name = ?", name);

  return {
    list: async () => db.all<Columns>("SELECT name, gid, members FROM groups ORDER BY gid").map(toGroup),
    async byName(name) {
      const row = byName(name);
      return row === null ? null : toGroup(row);
    },
    async nameOf(gid) {
      return db.get<{ name: string }>("SELECT name FROM groups WHERE gid = ?", gid)?.name ?? null;
    },
    async create(name, receipt) {
      return kernel.write("full", (tx) => {
        if (byName(name) !== null || db.get("SELECT 1 AS one FROM passwd WHERE username = ?", name) !== null)
          return null;
        const last = db.get<{ gid: number | null }>(
          "SELECT max(gid) AS gid FROM (SELECT gid FROM groups UNION SELECT gid FROM objects) WHERE gid >= ? AND gid < ?",
          FIRST_GID,
          END_GID,
        );
        const gid = (last?.gid ?? FIRST_GID - 1) + 1;
        db.run("INSERT INTO groups (name, gid, members) VALUES (?, ?, '')", name, gid);
        const made = { name, gid, members: [], capabilities: [] };
        if (receipt !== undefined) putRequest(tx, receipt(made));
        return made;
      });
    },
    async change(gid, { add, remove, grant, revoke }) {
      kernel.write("full", () => {
        const row = db.get<{ members: string }>("SELECT members FROM groups WHERE gid = ?", gid);
        const members = new Set([...membersOf(row?.members ?? ""), ...add]);
        for (const name of remove) members.delete(name);
        db.run("UPDATE groups SET members = ? WHERE gid = ?", [...members].join(","), gid);
        for (const capability of grant)
          db.run("INSERT OR IGNORE INTO group_capabilities (gid, capability) VALUES (?, ?)", gid, capability);
        for (const capability of revoke)
          db.run("DELETE FROM group_capabilities WHERE gid = ? AND capability = ?", gid, capability);
      });
    },
    async remove(gid, receipt) {
      kernel.write("full", (tx) => {
        if (receipt !== undefined) putRequest(tx, receipt);
        db.run("DELETE FROM group_capabilities WHERE gid = ?", gid);
        db.run("DELETE FROM groups WHERE gid = ?", gid);
      });
    },
  };
}
