// A second human in a home, with an agent and an init, as an account tool would create them: straight in the tables, because no call
// creates accounts yet.

import { Database } from "bun:sqlite";
import { initPid } from "../../src/abi/ids.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { TestKernel } from "./kernel.ts";

export interface Person {
  readonly name: string;
  readonly uid: number;
  readonly init: string;
  readonly sys: Sys;
}

/** A statement straight on kernel.db, by a connection of its own. */
export function inKernelDb<T>(home: TestKernel, work: (db: Database) => T): T {
  const db = new Database(home.paths.kernelDb, { strict: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

export async function addHuman(home: TestKernel, name: string, uid = 2000): Promise<Person> {
  inKernelDb(home, (db) => {
    for (const [username, id] of [
      [name, uid],
      [`${name}-agent`, uid + 1],
    ] as const) {
      const account = [username, id, id, `/home/${username}`];
      db.run("INSERT INTO passwd (username, uid, gid, home) VALUES (?, ?, ?, ?)", account);
      db.run("INSERT INTO groups (name, gid, members) VALUES (?, ?, '')", [username, id]);
    }
    db.run("UPDATE groups SET members = members || ? WHERE name = 'users'", [`,${name},${name}-agent`]);
    db.run("INSERT INTO personal_agents (owner_uid, agent_uid) VALUES (?, ?)", [uid, uid + 1]);
  });
  const init = initPid(uid);
  const { kernel, processes } = home.stores;
  const now = home.clock.now();
  const place = { cwd: `/home/${name}`, workspaceId: null, createdAt: now, step: {} };
  const row = {
    pid: init,
    parentPid: null,
    uid: uid + 1,
    ownerUid: uid,
    profile: "init",
    label: null,
    ...place,
  } as const;
  await kernel.processes.create(row);
  await processes.create(init, { profile: "init", identity: {}, now });
  await kernel.processes.live(init, { dirty: true });
  return { name, uid, init, sys: home.person(uid) };
}
