// The first run of a home: root (locked), the human, their personal agent, groups, standard directories and the human's init. May be
// interrupted anywhere and repeated.

import { initPid, type RandomBytes, uuidv4, uuidv7 } from "../../abi/ids.ts";
import { MAIN_AGENT, MAIN_SESSION_KEY } from "../../abi/process/session.ts";
import type { ObjectStore } from "../../objects/objects.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import { freeAgentName, humanName } from "../accounts/account-names.ts";
import type { Receiver } from "../accounts/agent-home.ts";
import { firstGrants, GROUPS } from "../accounts/capabilities.ts";

const FIRST_HUMAN_UID = 1000;
const FIRST_AGENT_UID = 1001;

export interface SetupPorts {
  readonly kernel: KernelStore;
  readonly processes: ProcessStore;
  readonly objects: ObjectStore;
  readonly osUser: string;
  readonly now: number;
  readonly random: RandomBytes;
  /** The last kernel may have died in its first run. */
  readonly afterCrash: boolean;
  /** Fills a new home. */
  readonly give: (account: Receiver) => Promise<void>;
}

/** True on the first run. */
export async function setUp(ports: SetupPorts): Promise<boolean> {
  const name = humanName(ports.osUser);
  const first = await createAccounts(ports.kernel, name);
  const human = await ports.kernel.accounts.firstHuman();
  if (human === null) throw new Error("a home without a human");
  if (first || ports.afterCrash) await createDirectories(ports);
  await ensureInit(ports, human.uid);
  for (const other of await ports.kernel.people.list())
    if (other.kind !== "root") await settleAccount(ports, other.uid);
  return first;
}

/** Creates what an account needs besides its rows: home, archive directory, and an init for humans. Existing things stay. */
export async function settleAccount(ports: Omit<SetupPorts, "osUser" | "afterCrash">, uid: number): Promise<void> {
  const people = await ports.kernel.people.list();
  const account = people.find((each) => each.uid === uid);
  if (account === undefined || account.locked) return;
  const { username, gid, kind } = account;
  await ensureDirectories(ports, [{ key: `home/${username}`, uid, gid, mode: 0o2770 }]);
  const owner = people.find((each) => each.uid === account.ownerUid);
  await ports.give({ username, kind, owner: owner?.username ?? null });
  if (kind !== "human") return;
  await ensureDirectories(ports, [{ key: `var/sessions/${username}`, uid, gid, mode: 0o700 }]);
  const agent = await ports.kernel.accounts.personalAgent(uid);
  if (agent !== null) {
    await ensureDirectories(ports, [{ key: `home/${agent.username}`, uid: agent.uid, gid: agent.gid, mode: 0o2770 }]);
    await ports.give({ username: agent.username, kind: "personal", owner: username });
  }
  if (agent !== null) await ensureInit(ports, uid);
}

interface Directory {
  readonly key: string;
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

async function ensureDirectories(
  { objects, now }: Pick<SetupPorts, "objects" | "now">,
  directories: readonly Directory[],
): Promise<void> {
  const wanted = directories.map(({ key, ...owner }) => {
    const about = { type: "application/x-directory", mtimeMs: now, dirmarker: true, symlink: null };
    return { key: `${key}/.dir`, ...owner, ...about };
  });
  const existing = new Set((await objects.heads(wanted.map(({ key }) => key))).map(({ key }) => key));
  const missing = wanted.filter(({ key }) => !existing.has(key));
  if (missing.length > 0) await objects.putEmpty(missing);
}

async function createAccounts(kernel: KernelStore, name: string): Promise<boolean> {
  if ((await kernel.accounts.firstHuman()) !== null) return false;
  const agent = await freeAgentName(kernel, name);
  return await kernel.accounts.setUp({
    accounts: [
      { username: "root", uid: 0, gid: 0, gecos: "", home: "/root" },
      { username: name, uid: FIRST_HUMAN_UID, gid: FIRST_HUMAN_UID, gecos: "", home: `/home/${name}` },
      {
        username: agent,
        uid: FIRST_AGENT_UID,
        gid: FIRST_AGENT_UID,
        gecos: `personal agent of ${name}`,
        home: `/home/${agent}`,
      },
    ],
    groups: [
      { name: "root", gid: GROUPS.root, members: [] },
      { name: "users", gid: GROUPS.users, members: [name, agent] },
      { name: "drivers", gid: GROUPS.drivers, members: [] },
      { name: "services", gid: GROUPS.services, members: [] },
      // Each is in the other's private group, so both can edit each other's files.
      { name, gid: FIRST_HUMAN_UID, members: [agent] },
      { name: agent, gid: FIRST_AGENT_UID, members: [name] },
    ],
    grants: firstGrants(),
    personalAgent: { ownerUid: FIRST_HUMAN_UID, agentUid: FIRST_AGENT_UID },
  });
}

async function createDirectories({ kernel, objects, now }: SetupPorts): Promise<void> {
  const human = await kernel.accounts.firstHuman();
  if (human === null) return;
  const agent = await kernel.accounts.personalAgent(human.uid);
  const directory = (key: string, { uid, gid }: Pick<Directory, "uid" | "gid">, mode: number) => ({
    key,
    uid,
    gid,
    mode,
  });
  const root = { uid: 0, gid: 0 };
  const homes = [human, ...(agent === null ? [] : [agent])];
  await ensureDirectories({ objects, now }, [
    directory("home", root, 0o755),
    directory("root", root, 0o700),
    directory("etc", root, 0o755),
    directory("var", root, 0o755),
    directory("var/sessions", root, 0o755),
    directory(`var/sessions/${human.username}`, human, 0o700),
    ...homes.map((account) => directory(`home/${account.username}`, account, 0o2770)),
  ]);
}

async function ensureInit(ports: Omit<SetupPorts, "osUser" | "objects" | "afterCrash">, uid: number): Promise<void> {
  const pid = initPid(uid);
  if ((await ports.kernel.processes.get(pid)) === null) await createInit(ports, uid);
  await ensureMainSession(ports, uid);
}

/** The session that leads to the init. */
async function ensureMainSession(
  { kernel, now, random }: Pick<SetupPorts, "kernel" | "now" | "random">,
  uid: number,
): Promise<void> {
  const pid = initPid(uid);
  if ((await kernel.sessions.current(pid)) !== null) return;
  const about = { key: MAIN_SESSION_KEY, agentId: MAIN_AGENT, createdAt: now };
  const { id } = await kernel.sessions.create({ id: uuidv7(now, random), ownerUid: uid, ...about });
  await kernel.sessions.attach(id, { pid, generationId: uuidv4(random), now });
}

async function createInit(
  { kernel, processes, now }: Omit<SetupPorts, "osUser" | "objects" | "afterCrash">,
  uid: number,
): Promise<void> {
  const pid = initPid(uid);
  const human = await kernel.accounts.byUid(uid);
  const agent = await kernel.accounts.personalAgent(uid);
  if (human === null || agent === null) throw new Error(`no account for ${pid}`);
  await kernel.processes.create({
    pid,
    parentPid: null,
    uid: agent.uid,
    ownerUid: uid,
    profile: "init",
    label: `init (${human.username})`,
    cwd: human.home,
    workspaceId: null,
    createdAt: now,
    step: {},
  });
  await processes.create(pid, { profile: "init", identity: { owner: human.username, runAs: agent.username }, now });
  await kernel.processes.live(pid, { dirty: true });
}
