// Accounts, groups and capabilities.

import type { Identity } from "../../../abi/identity.ts";
import type { KernelDb } from "../db.ts";

export interface Account {
  readonly username: string;
  readonly uid: number;
  readonly gid: number;
  readonly gecos: string;
  readonly home: string;
}

export interface Group {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

export interface FirstAccounts {
  readonly accounts: readonly Account[];
  readonly groups: readonly Group[];
  readonly grants: readonly { readonly gid: number; readonly capability: string }[];
  readonly personalAgent: { readonly ownerUid: number; readonly agentUid: number };
}

export interface AccountRows {
  byUid(uid: number): Promise<Account | null>;
  byName(name: string): Promise<Account | null>;
  /** Primary group first. */
  identity(uid: number): Promise<Identity | null>;
  /** A locked account cannot be used, with or without a password. */
  isLocked(uid: number): Promise<boolean>;
  capabilities(gids: readonly number[]): Promise<readonly string[]>;
  personalAgent(ownerUid: number): Promise<Account | null>;
  /** True if the human may run processes as the agent. */
  mayActAs(ownerUid: number, agentUid: number): Promise<boolean>;
  firstHuman(): Promise<Account | null>;
  /** Creates the first accounts in one transaction. Does nothing if a human exists. */
  setUp(first: FirstAccounts): Promise<boolean>;
}

/** Prefix of a locked password hash. "!" alone means no password. */
export const LOCK = "!!";

const COLUMNS = "username, uid, gid, gecos, home";
const AGENTS = "SELECT agent_uid FROM personal_agents UNION SELECT agent_uid FROM agent_owners";

/** Read at every call, so each lookup is one row: several rows would dominate the cost of a call. */
const IDENTITY = `SELECT gid, username, home, (
    SELECT group_concat(gid) FROM (
      SELECT gid FROM groups
      WHERE gid <> passwd.gid AND instr(',' || members || ',', ',' || passwd.username || ',') > 0 ORDER BY gid
    )
  ) AS others FROM passwd WHERE uid = ?`;
const CAPABILITIES = `SELECT json_group_array(capability) AS all_of_them FROM (
    SELECT capability FROM json_each(?) AS named JOIN group_capabilities ON gid = named.value
    ORDER BY named.key, capability
  )`;
const HASH = "SELECT hash FROM shadow WHERE username = (SELECT username FROM passwd WHERE uid = ?)";

type IdentityRow = {
  readonly gid: number;
  readonly username: string;
  readonly home: string;
  readonly others: string | null;
};

type AccountRow = {
  readonly username: string;
  readonly uid: number;
  readonly gid: number;
  readonly gecos: string;
  readonly home: string;
};

export function accountRows(kernel: KernelDb): AccountRows {
  const { db } = kernel;
  const byUid = (uid: number) => db.get<AccountRow>(`SELECT ${COLUMNS} FROM passwd WHERE uid = ?`, uid);

  return {
    byUid: async (uid) => byUid(uid),
    byName: async (name) => db.get<AccountRow>(`SELECT ${COLUMNS} FROM passwd WHERE username = ?`, name),

    async identity(uid) {
      const row = db.get<IdentityRow>(IDENTITY, uid);
      if (row === null) return null;
      const { gid, username, home, others } = row;
      return { uid, gid, gids: [gid, ...(others === null ? [] : others.split(",").map(Number))], username, home };
    },

    async isLocked(uid) {
      const row = db.get<{ hash: string }>(HASH, uid);
      return row?.hash.startsWith(LOCK) ?? false;
    },

    async capabilities(gids) {
      const row = db.get<{ all_of_them: string }>(CAPABILITIES, JSON.stringify(gids));
      return [...new Set(JSON.parse(row?.all_of_them ?? "[]") as string[])];
    },

    async personalAgent(ownerUid) {
      const row = db.get<{ agent_uid: number }>("SELECT agent_uid FROM personal_agents WHERE owner_uid = ?", ownerUid);
      return row === null ? null : byUid(row.agent_uid);
    },

    async mayActAs(ownerUid, agentUid) {
      return (
        db.get(
          `SELECT 1 AS one FROM personal_agents WHERE owner_uid = ?1 AND agent_uid = ?2
           UNION SELECT 1 FROM agent_owners WHERE owner_uid = ?1 AND agent_uid = ?2`,
          ownerUid,
          agentUid,
        ) !== null
      );
    },

    async firstHuman() {
      return db.get<AccountRow>(
        `SELECT ${COLUMNS} FROM passwd WHERE uid >= 1000 AND uid NOT IN (${AGENTS}) ORDER BY uid LIMIT 1`,
      );
    },

    async setUp(first) {
      return kernel.write("full", () => {
        if (db.get("SELECT 1 AS one FROM passwd WHERE uid >= 1000") !== null) return false;
        for (const account of first.accounts) {
          db.insert("passwd", {
            username: account.username,
            uid: account.uid,
            gid: account.gid,
            gecos: account.gecos,
            home: account.home,
          });
          // "!": no password works until one is set.
          db.run("INSERT INTO shadow (username, hash) VALUES (?, '!')", account.username);
        }
        for (const group of first.groups) {
          db.run(
            "INSERT INTO groups (name, gid, members) VALUES (?, ?, ?)",
            group.name,
            group.gid,
            group.members.join(","),
          );
        }
        for (const grant of first.grants)
          db.run("INSERT INTO group_capabilities (gid, capability) VALUES (?, ?)", grant.gid, grant.capability);
        const { ownerUid, agentUid } = first.personalAgent;
        db.run("INSERT INTO personal_agents (owner_uid, agent_uid) VALUES (?, ?)", ownerUid, agentUid);
        return true;
      });
    },
  };
}
