// Creation and deletion of accounts: passwd, shadow, personal_agents, agent_owners. A uid is not reused while anything of its old
// account remains.

import { SysError } from "../../../abi/errno.ts";
import type { Receipt } from "../../../objects/objects.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import { forgetSchedules } from "../due/schedules.ts";
import { forgetSessions } from "../processes/sessions.ts";
import { putRequest } from "../requests.ts";
import { type Account, LOCK } from "./accounts.ts";
import { forgetAgent } from "./agents.ts";
import { forgetBundles } from "./bundles.ts";
import { membersOf } from "./groups.ts";
import { forgetProjects } from "./projects.ts";

export type AccountKind = "root" | "human" | "personal" | "agent" | "system";

export interface AccountRow extends Account {
  readonly kind: AccountKind;
  /** Owner of an agent. */
  readonly ownerUid: number | null;
  readonly hasPassword: boolean;
  readonly locked: boolean;
}

export interface NewAccount {
  readonly username: string;
  readonly comment: string;
  readonly kind: "human" | "personal" | "agent" | "system";
  /** Owner of an agent. Absent for a personal agent that is created together with its human. */
  readonly ownerUid?: number;
  readonly usersGid: number;
}

/** A receipt is stored in the same transaction: a repeated request gets the same answer. */
export interface PeopleRows {
  list(): Promise<readonly AccountRow[]>;
  byName(name: string): Promise<AccountRow | null>;
  /** One account with its private group and, for a human, the personal agent. Refuses names in use. */
  create(account: NewAccount, agentName: string | null, receipt?: (made: Account) => Receipt): Promise<Account>;
  comment(username: string, text: string): Promise<void>;
  /** The password is kept for unlocking. */
  lock(username: string, locked: boolean): Promise<void>;
  /** The account, its agents, groups, memberships, tokens and lockouts. Its processes must be gone. */
  remove(username: string, receipt?: Receipt): Promise<void>;
  hash(username: string): Promise<string>;
  setHash(username: string, hash: string, now: number): Promise<void>;
}

const FIRST_UID = 1000;
const FIRST_SYSTEM_UID = 200;
const ALL = `
  SELECT p.username, p.uid, p.gid, p.gecos, p.home, coalesce(s.hash, '!') AS hash, a.owner_uid AS personal_of, o.owner_uid AS agent_of
  FROM passwd p LEFT JOIN shadow s ON s.username = p.username
  LEFT JOIN personal_agents a ON a.agent_uid = p.uid LEFT JOIN agent_owners o ON o.agent_uid = p.uid`;

type Columns = {
  readonly username: string;
  readonly uid: number;
  readonly gid: number;
  readonly gecos: string;
  readonly home: string;
  readonly hash: string;
  readonly personal_of: number | null;
  readonly agent_of: number | null;
};

export function peopleRows(kernel: KernelDb): PeopleRows {
  const { db } = kernel;
  const byName = (name: string) => db.get<Columns>(`${ALL} WHERE p.username = ?`, name);
  const setHash = (username: string, hash: string, now: number | null) =>
    db.run(
      `INSERT INTO shadow (username, hash, lastchanged) VALUES (?1, ?2, ?3)
       ON CONFLICT (username) DO UPDATE SET hash = ?2, lastchanged = coalesce(?3, lastchanged)`,
      username,
      hash,
      now,
    );

  return {
    list: async () => db.all<Columns>(`${ALL} ORDER BY p.uid`).map(toAccount),
    async byName(name) {
      const row = byName(name);
      return row === null ? null : toAccount(row);
    },
    hash: async (username) => byName(username)?.hash ?? "!",

    async create(account, agentName, receipt) {
      return kernel.write("full", (tx) => {
        const made = insert(tx, account, nextUid(tx, account.kind === "system"));
        if (agentName !== null) {
          const about = `personal agent of ${account.username}`;
          const agent = {
            ...account,
            kind: "personal",
            username: agentName,
            comment: about,
            ownerUid: made.uid,
          } as const;
          insert(tx, agent, made.uid + 1);
        }
        if (receipt !== undefined) putRequest(tx, receipt(made));
        return made;
      });
    },

    async comment(username, text) {
      kernel.write("full", () => db.run("UPDATE passwd SET gecos = ? WHERE username = ?", text, username));
    },

    async lock(username, locked) {
      kernel.write("full", () => {
        const hash = byName(username)?.hash ?? "!";
        const bare = hash.startsWith(LOCK) ? hash.slice(LOCK.length) : hash;
        setHash(username, locked ? LOCK + bare : bare, null);
      });
    },

    async setHash(username, hash, now) {
      kernel.write("full", () => {
        const locked = byName(username)?.hash.startsWith(LOCK) ?? false;
        setHash(username, locked ? LOCK + hash : hash, now);
      });
    },

    async remove(username, receipt) {
      kernel.write("full", (tx) => {
        const account = byName(username);
        if (account === null) return;
        const agents = db.all<Columns>(`${ALL} WHERE a.owner_uid = ?1 OR o.owner_uid = ?1`, account.uid);
        for (const gone of [...agents, account]) erase(tx, gone);
        if (receipt !== undefined) putRequest(tx, receipt);
      });
    },
  };
}

function toAccount(row: Columns): AccountRow {
  const { username, uid, gid, gecos, home, hash } = row;
  const ownerUid = row.personal_of ?? row.agent_of;
  return {
    ...{ username, uid, gid, gecos, home, ownerUid },
    kind: kindOf(row),
    locked: hash.startsWith(LOCK),
    hasPassword: (hash.startsWith(LOCK) ? hash.slice(LOCK.length) : hash).startsWith("$"),
  };
}

function kindOf({ uid, personal_of, agent_of }: Columns): AccountKind {
  if (uid === 0) return "root";
  if (personal_of !== null) return "personal";
  if (agent_of !== null) return "agent";
  return uid < FIRST_UID ? "system" : "human";
}

// Two numbers: a human's agent gets the next one.
function nextUid(tx: Db, system: boolean): number {
  const [first, end] = system ? [FIRST_SYSTEM_UID, FIRST_UID] : [FIRST_UID, 2 ** 31];
  const used = tx.get<{ last: number | null }>(
    `SELECT max(id) AS last FROM (
       SELECT uid AS id FROM passwd UNION SELECT gid FROM groups UNION SELECT uid FROM objects UNION SELECT gid FROM objects
       UNION SELECT owner_uid FROM archives UNION SELECT uid FROM audit UNION SELECT uid FROM file_writes
       UNION SELECT owner_uid FROM processes
       UNION SELECT owner_uid FROM workspaces)
     WHERE id >= ? AND id < ?`,
    first,
    end === FIRST_UID ? end : 2 ** 31,
  )?.last;
  const next = (used ?? first - 1) + 1;
  if (next >= end - 1) throw new SysError("ELIMIT", "no account numbers left");
  return next;
}

function insert(tx: Db, account: NewAccount, uid: number): Account {
  const { username, comment: gecos, kind, ownerUid } = account;
  const taken = tx.get(
    "SELECT 1 AS one FROM passwd WHERE username = ?1 UNION SELECT 1 FROM groups WHERE name = ?1",
    username,
  );
  if (taken !== null) throw new SysError("EEXIST", `the name ${username} is taken by an account or group`);
  const home = `/home/${username}`;
  tx.run(
    "INSERT INTO passwd (username, uid, gid, gecos, home) VALUES (?, ?, ?, ?, ?)",
    username,
    uid,
    uid,
    gecos,
    home,
  );
  tx.run("INSERT INTO shadow (username, hash) VALUES (?, '!')", username);
  tx.run("INSERT INTO groups (name, gid, members) VALUES (?, ?, '')", username, uid);
  // System agents start without capabilities: root grants them by group.
  if (kind !== "system") changeMembers(tx, account.usersGid, (members) => [...members, username]);
  if (kind === "personal" && ownerUid !== undefined)
    tx.run("INSERT INTO personal_agents (owner_uid, agent_uid) VALUES (?, ?)", ownerUid, uid);
  if (kind === "agent" && ownerUid !== undefined)
    tx.run("INSERT INTO agent_owners (agent_uid, owner_uid) VALUES (?, ?)", uid, ownerUid);
  const owner =
    ownerUid === undefined
      ? null
      : tx.get<{ username: string; gid: number }>("SELECT username, gid FROM passwd WHERE uid = ?", ownerUid);
  if (owner !== null) {
    // Human and agent are in each other's private group, so each can edit the other's files.
    changeMembers(tx, owner.gid, (members) => [...members, username]);
    changeMembers(tx, uid, () => [owner.username]);
  }
  return { username, uid, gid: uid, gecos, home };
}

function changeMembers(tx: Db, gid: number, change: (members: readonly string[]) => readonly string[]): void {
  const row = tx.get<{ members: string }>("SELECT members FROM groups WHERE gid = ?", gid);
  if (row !== null)
    tx.run("UPDATE groups SET members = ? WHERE gid = ?", change(membersOf(row.members)).join(","), gid);
}

function erase(tx: Db, { username, uid }: Columns): void {
  tx.run("DELETE FROM personal_agents WHERE owner_uid = ?1 OR agent_uid = ?1", uid);
  tx.run("DELETE FROM agent_owners WHERE owner_uid = ?1 OR agent_uid = ?1", uid);
  tx.run("DELETE FROM auth_tokens WHERE uid = ?", uid);
  tx.run("DELETE FROM entry_codes WHERE uid = ?", uid);
  forgetSessions(tx, uid);
  forgetAgent(tx, uid);
  forgetProjects(tx, uid);
  forgetBundles(tx, uid);
  forgetSchedules(tx, uid);
  tx.run("DELETE FROM notifications WHERE uid = ?", uid);
  // The subject is the name, a blank and where the guesses came from.
  tx.run(
    "DELETE FROM login_guard WHERE kind = 'account' AND substr(subject || ' ', 1, length(?1) + 1) = ?1 || ' '",
    username,
  );
  tx.run("DELETE FROM group_capabilities WHERE gid = ?", uid);
  tx.run("DELETE FROM groups WHERE gid = ?", uid);
  for (const { gid } of tx.all<{ gid: number }>("SELECT gid FROM groups"))
    changeMembers(tx, gid, (members) => members.filter((name) => name !== username));
  tx.run("DELETE FROM shadow WHERE username = ?", username);
  tx.run("DELETE FROM passwd WHERE username = ?", username);
}
