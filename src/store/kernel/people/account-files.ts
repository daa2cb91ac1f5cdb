// Account tables in the shape of passwd, shadow and group files. A change is a function of the current rows, applied in one
// transaction; if it throws, nothing changes. The set of accounts and groups does not change here.

import type { KernelDb } from "../db.ts";
import { membersOf } from "./groups.ts";

export interface PasswdRow {
  readonly username: string;
  readonly uid: number;
  readonly gid: number;
  readonly gecos: string;
  readonly home: string;
  readonly shell: string;
}

export interface ShadowRow {
  readonly username: string;
  readonly hash: string;
  /** Milliseconds. */
  readonly lastchanged: number | null;
  readonly min: number;
  readonly max: number;
  readonly warn: number;
  readonly inactive: number | null;
  readonly expire: number | null;
  readonly reserved: string;
}

export interface GroupFileRow {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

export interface AccountFileRows {
  passwd(): Promise<readonly PasswdRow[]>;
  shadow(): Promise<readonly ShadowRow[]>;
  groups(): Promise<readonly GroupFileRow[]>;
  /** Uids and gids do not change; the other fields are stored. */
  changePasswd(plan: (now: readonly PasswdRow[]) => readonly PasswdRow[]): Promise<void>;
  changeShadow(plan: (now: readonly ShadowRow[]) => readonly ShadowRow[]): Promise<void>;
  changeGroups(plan: (now: readonly GroupFileRow[]) => readonly GroupFileRow[]): Promise<void>;
}

export function accountFileRows(kernel: KernelDb): AccountFileRows {
  const { db } = kernel;
  const passwd = () =>
    db.all<PasswdRow & Row>("SELECT username, uid, gid, gecos, home, shell FROM passwd ORDER BY uid");
  const shadow = () =>
    db.all<ShadowRow & Row>(
      `SELECT p.username, coalesce(s.hash, '!') AS hash, s.lastchanged, coalesce(s.min, 0) AS min, coalesce(s.max, 99999) AS max,
         coalesce(s.warn, 7) AS warn, s.inactive, s.expire, coalesce(s.reserved, '') AS reserved
       FROM passwd p LEFT JOIN shadow s ON s.username = p.username ORDER BY p.uid`,
    );
  const groups = () =>
    db
      .all<{ name: string; gid: number; members: string }>("SELECT name, gid, members FROM groups ORDER BY gid")
      .map((row) => ({ ...row, members: membersOf(row.members) }));

  return {
    passwd: async () => passwd(),
    shadow: async () => shadow(),
    groups: async () => groups(),

    async changePasswd(plan) {
      kernel.write("full", (tx) => {
        for (const { username, gecos, home, shell } of plan(passwd()))
          tx.run("UPDATE passwd SET gecos = ?, home = ?, shell = ? WHERE username = ?", gecos, home, shell, username);
      });
    },

    async changeShadow(plan) {
      kernel.write("full", (tx) => {
        for (const { username, hash, lastchanged, min, max, warn, inactive, expire, reserved } of plan(shadow()))
          tx.run(
            `INSERT OR REPLACE INTO shadow (username, hash, lastchanged, min, max, warn, inactive, expire, reserved)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
            ...[username, hash, lastchanged, min, max, warn, inactive, expire, reserved],
          );
      });
    },

    async changeGroups(plan) {
      kernel.write("full", (tx) => {
        for (const { gid, members } of plan(groups()))
          tx.run("UPDATE groups SET members = ? WHERE gid = ?", members.join(","), gid);
      });
    },
  };
}

/** Result columns by name. */
type Row = { readonly [column: string]: string | number | null };
