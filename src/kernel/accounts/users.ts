// The service behind account.*. Root adds humans and system agents; humans add and remove their own agents. Root and the home's own human
// cannot be removed.

import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import { initPid } from "../../abi/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Account } from "../../store/kernel/people/accounts.ts";
import type { AccountRow, PeopleRows } from "../../store/kernel/people/people.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type {
  AccountInfo,
  Accounts,
  NewAccountRequest,
  PasswordChange,
} from "../../syscalls/account/account-service.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { ReceiptContext } from "../dispatch.ts";
import { accountFrom, type Lockout } from "../logins/lockout.ts";
import { checkPassword, type Passwords } from "../logins/passwords.ts";
import { freeAgentName, isReserved, reservedName } from "./account-names.ts";
import { GROUPS } from "./capabilities.ts";

export interface UserPorts extends PasswordPorts {
  readonly kernel: KernelStore;
  /** Creates directories and, for a human, an init. Idempotent. */
  readonly settle: (uid: number) => Promise<void>;
  /** Archives and ends any process. */
  readonly end: (row: ProcessRow, context: CallContext) => Promise<void>;
  /** Deletes the settings of an account. */
  readonly forget: (uid: number, by: number) => Promise<void>;
  readonly onLocked: (uid: number, locked: boolean) => void;
  /** Ends the logins of an account over the network, except one. */
  readonly endLogins: (uid: number, except: string | null) => Promise<void>;
}

const NAME = /^[a-z_][a-z0-9_-]{0,31}$/;

export function usersService(ports: UserPorts): Accounts {
  const { people, accounts } = ports.kernel;

  return {
    list: (caller) => listAccounts(ports.kernel, caller),

    async create(context: ReceiptContext, request) {
      const { caller, receipt } = context;
      checkName(request.username);
      const kind = kindWanted(caller, request);
      const owner = kind === "agent" ? await ownerWanted(people, caller, request.owner) : null;
      const agentName = kind === "human" ? await freeAgentName(ports.kernel, request.username) : null;
      const about = { username: request.username, comment: request.comment ?? "", kind, usersGid: GROUPS.users };
      const answerOf = ({ username, uid, home, gecos: comment }: Account): AccountInfo => ({
        ...{ username, uid, kind, home, comment, password: false, locked: false },
        owner: owner?.username ?? null,
        groups: [...(kind === "system" ? [] : ["users"]), ...(owner === null ? [] : [owner.username]), username],
      });
      const made = await people.create(
        owner === null ? about : { ...about, ownerUid: owner.uid },
        agentName,
        receipt && ((account) => receipt(answerOf(account))),
      );
      await ports.settle(made.uid);
      return answerOf(made);
    },

    async update({ caller }, { username, comment, lock, unlock }) {
      const account = await changeable(ports.kernel, caller, username);
      if (lock && unlock) throw new SysError("EINVAL", "lock and unlock exclude each other");
      if (lock || unlock) {
        if (!isRoot(caller)) throw new SysError("EPERM", "only root may lock and unlock accounts");
        await refuseOwn(ports.kernel, account, "locked");
        await people.lock(account.username, lock);
        ports.onLocked(account.uid, lock);
      }
      if (comment !== undefined) await people.comment(account.username, comment);
      return await accountInfo(ports.kernel, account.username);
    },

    async remove(context: ReceiptContext, { username, force }) {
      const account = await changeable(ports.kernel, context.caller, username);
      await refuseOwn(ports.kernel, account, "removed");
      if (account.kind === "human" && !isRoot(context.caller))
        throw new SysError("EPERM", "only root may remove a human");
      if (account.kind === "personal") throw new SysError("EPERM", `${username} goes with its human and not alone`);
      const ended = await withoutProcesses(ports, context, account, force);
      await ports.forget(account.uid, context.caller.uid);
      const answer = { username: account.username, ended };
      await people.remove(account.username, context.receipt?.(answer));
      return answer;
    },

    async passwd({ caller, client }, change) {
      const first = await accounts.firstHuman();
      const changed = await changePassword(ports, caller, change, first?.uid === caller.uid);
      const account = await people.byName(changed.username);
      // A person who knew the old password is out.
      if (account !== null) await ports.endLogins(account.uid, client?.loginId ?? null);
      return changed;
    },
  };
}

export async function listAccounts(kernel: KernelStore, caller: Caller): ReturnType<Accounts["list"]> {
  const all = await kernel.people.list();
  const mine = all.filter(
    ({ uid, ownerUid }) => isRoot(caller) || uid === caller.ownerUid || ownerUid === caller.ownerUid,
  );
  const groups = await kernel.groups.list();
  const nameOf = new Map(all.map(({ uid, username }) => [uid, username]));
  return {
    accounts: mine.map(
      ({ username, uid, gid, kind, ownerUid, home, gecos: comment, hasPassword: password, locked }) => ({
        ...{ username, uid, kind, home, comment, password, locked },
        owner: ownerUid === null ? null : (nameOf.get(ownerUid) ?? String(ownerUid)),
        groups: groups.filter((group) => group.gid === gid || group.members.includes(username)).map(({ name }) => name),
      }),
    ),
  };
}

async function accountInfo(kernel: KernelStore, username: string): Promise<AccountInfo> {
  const everything = { uid: 0, ownerUid: 0 } as Caller;
  const found = (await listAccounts(kernel, everything)).accounts.find((each) => each.username === username);
  if (found === undefined) throw new SysError("ENOENT", `no such account: ${username}`);
  return found;
}

function kindWanted(caller: Caller, { agent, system, owner }: NewAccountRequest): "human" | "agent" | "system" {
  if (system && (agent || owner !== undefined)) throw new SysError("EINVAL", "a system agent has no owner");
  if (agent || owner !== undefined) return "agent";
  if (isRoot(caller)) return system ? "system" : "human";
  throw new SysError("EPERM", system ? "only root may add system agents" : "only root may add humans", [
    "as root: gsv user add NAME --user root",
    "for an agent: gsv user add NAME --agent",
  ]);
}

async function ownerWanted(people: PeopleRows, caller: Caller, name: string | undefined): Promise<AccountRow> {
  const wanted = name ?? caller.username;
  if (wanted !== caller.username && !isRoot(caller)) throw new SysError("EPERM", "only root may add agents for others");
  const owner = await people.byName(wanted);
  if (owner === null || owner.kind !== "human")
    throw new SysError("EINVAL", `${wanted} is not a human: an agent needs one as owner`, [
      "as root, name the owner: --owner NAME",
    ]);
  return owner;
}

function checkName(name: string): void {
  if (!NAME.test(name))
    throw new SysError("EINVAL", `invalid name: ${name}`, ["use 1 to 32 of a-z 0-9 _ -, starting with a letter or _"]);
  if (isReserved(name)) throw reservedName(name);
}

/** Any account for root, else the caller's own and its agents; others look absent. */
async function changeable({ people }: KernelStore, caller: Caller, name: string): Promise<AccountRow> {
  const account = await people.byName(name);
  const may = account !== null && (isRoot(caller) || account.uid === caller.uid || account.ownerUid === caller.uid);
  if (account !== null && may) return account;
  throw new SysError("ENOENT", `no such account that you may change: ${name.slice(0, 40)}`, [
    "gsv user list shows all",
  ]);
}

async function refuseOwn({ accounts }: KernelStore, account: AccountRow, what: string): Promise<void> {
  const first = await accounts.firstHuman();
  if (account.uid !== 0 && account.uid !== first?.uid) return;
  throw new SysError("EPERM", `${account.username} cannot be ${what}: a home needs root and its own human`);
}

// Lock first, so that nothing starts between the check and the removal.
async function withoutProcesses(
  { kernel, end, onLocked }: UserPorts,
  context: CallContext,
  account: AccountRow,
  force: boolean,
): Promise<readonly string[]> {
  const agents = (await kernel.people.list()).filter(({ ownerUid }) => ownerUid === account.uid);
  const gone = [account, ...agents];
  const wasLocked = account.locked;
  await kernel.people.lock(account.username, true);
  for (const { uid } of gone) onLocked(uid, true);
  const found = new Map<string, ProcessRow>();
  for (const { uid } of gone) for (const row of await kernel.processes.ofAccount(uid)) found.set(row.pid, row);
  const own = initPid(account.uid);
  const inTheWay = [...found.values()]
    .filter(({ pid, state }) => pid !== own || state !== "idle")
    .map(({ pid }) => pid);
  if (inTheWay.length > 0 && !force) {
    await kernel.people.lock(account.username, wasLocked);
    for (const { uid } of gone) onLocked(uid, wasLocked);
    throw new SysError("EBUSY", `${account.username} has processes: ${inTheWay.slice(0, 5).join(" ")}`, [
      "--force archives and ends them first",
    ]);
  }
  for (const row of found.values()) await end(row, context);
  return inTheWay;
}

interface PasswordPorts {
  readonly kernel: Pick<KernelStore, "people">;
  readonly passwords: Passwords;
  readonly lockout: Lockout;
  readonly clock: Clock;
}

/** People need their old password, root none. Root has no password at first: the home's own human sets it on a terminal. */
async function changePassword(
  ports: PasswordPorts,
  caller: Caller,
  change: PasswordChange,
  isFirstHuman: boolean,
): Promise<{ readonly username: string }> {
  const { people } = ports.kernel;
  const name = change.username ?? caller.username;
  const account = await people.byName(name);
  const rootsFirst = account?.kind === "root" && !account.hasPassword && isFirstHuman;
  if (account === null || !(isRoot(caller) || account.uid === caller.uid || rootsFirst)) throw notYours(name, caller);
  if (account.kind !== "human" && account.kind !== "root")
    throw new SysError("EINVAL", `${name} is an agent: agents have no password`);
  checkPassword(change.password);
  if (rootsFirst && !change.typed)
    throw new SysError("EPERM", "root's first password must be typed on a terminal", ["gsv passwd root"]);
  if (!rootsFirst && !isRoot(caller) && account.hasPassword && !(await provesItself(ports, account, change)))
    throw new SysError("EAUTH", `wrong current password of ${name}`);
  await people.setHash(name, await ports.passwords.hash(change.password), ports.clock.now());
  return { username: name };
}

// A repeated change succeeds: the new password is already set.
async function provesItself(
  { kernel, passwords, lockout }: PasswordPorts,
  account: AccountRow,
  change: PasswordChange,
) {
  const subjects = [accountFrom(account.username, "passwd")];
  await lockout.begin(subjects);
  const hash = await kernel.people.hash(account.username);
  const right = (await passwords.verify(change.old ?? "", hash)) || (await passwords.verify(change.password, hash));
  if (right) await lockout.succeeded(subjects);
  return right;
}

function notYours(name: string, caller: Caller): SysError {
  if (name === caller.username) return new SysError("EPERM", "you may not change this password");
  return new SysError("EPERM", "only root may change the password of another account", [
    "as root: gsv passwd NAME --user root",
  ]);
}
