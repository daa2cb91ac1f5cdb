// The service behind group.*: root adds, changes and removes groups, except gsv's own groups, the private groups of accounts, and root's
// own capabilities.

import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import type { GroupRow } from "../../store/kernel/people/groups.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Groups } from "../../syscalls/account/account-service.ts";
import type { ReceiptContext } from "../dispatch.ts";
import { isReserved, reservedName } from "./account-names.ts";
import { capabilityFault, GROUPS } from "./capabilities.ts";
import { wordsOf } from "./rights.ts";

const NAME = /^[a-z_][a-z0-9_-]{0,31}$/;

export function groupsService(kernel: KernelStore): Groups {
  const { groups, people } = kernel;

  return {
    list: (caller) => listGroups(kernel, caller),

    async add({ caller, receipt }: ReceiptContext, name) {
      needRoot(caller, "add groups");
      if (!NAME.test(name)) throw new SysError("EINVAL", `invalid group name: ${name.slice(0, 40)}`);
      if (isReserved(name)) throw reservedName(name);
      const made = await groups.create(name, receipt);
      if (made === null) throw new SysError("EEXIST", `${name} is already an account or group`);
      return made;
    },

    async change({ caller }, change) {
      needRoot(caller, "change groups");
      const group = await named(kernel, change.name);
      const [add, remove] = [wordsOf(change.add), wordsOf(change.remove)];
      const [grant, revoke] = [wordsOf(change.grant), wordsOf(change.revoke)];
      for (const each of add)
        if ((await people.byName(each)) === null) throw new SysError("ENOENT", `no such account: ${each.slice(0, 40)}`);
      for (const each of grant) {
        const fault = capabilityFault(each, false);
        if (fault !== null) throw new SysError("EINVAL", `cannot grant: ${fault}`);
      }
      refuseUnheld(group, revoke, remove);
      await groups.change(group.gid, { add, remove, grant, revoke });
      return await named(kernel, change.name);
    },

    async remove({ caller, receipt }: ReceiptContext, name) {
      needRoot(caller, "remove groups");
      const group = await named(kernel, name);
      if ((await people.list()).some(({ gid }) => gid === group.gid))
        throw new SysError("EPERM", `${name} belongs to an account: gsv user rm ${name}`);
      if (Object.values<number>(GROUPS).includes(group.gid))
        throw new SysError("EPERM", `${name} is built in and cannot be removed`);
      const answer = { name };
      await groups.remove(group.gid, receipt?.(answer));
      return answer;
    },
  };
}

export async function listGroups({ groups }: KernelStore, caller: Caller): ReturnType<Groups["list"]> {
  const all = await groups.list();
  return { groups: all.filter(({ gid }) => isRoot(caller) || caller.gids.includes(gid)) };
}

async function named({ groups }: KernelStore, name: string): Promise<GroupRow> {
  const group = await groups.byName(name);
  if (group === null) throw new SysError("ENOENT", `no such group: ${name.slice(0, 40)}`, ["gsv group list shows all"]);
  return group;
}

function needRoot(caller: Caller, what: string): void {
  if (!isRoot(caller)) throw new SysError("EPERM", `only root may ${what}`, ["as root: add --user root"]);
}

// Revoking what is not granted must fail, or a typo would go unnoticed.
function refuseUnheld(group: GroupRow, revoke: readonly string[], remove: readonly string[]): void {
  if (group.gid === GROUPS.root && revoke.includes("*"))
    throw new SysError("EPERM", "root must keep *: nobody could grant it again");
  const grant = revoke.find((each) => !group.capabilities.includes(each));
  if (grant !== undefined)
    throw new SysError("ENOENT", `${group.name} does not have ${grant.slice(0, 80)}`, [
      `it has: ${group.capabilities.join(" ") || "nothing"}`,
    ]);
  const stranger = remove.find((each) => !group.members.includes(each));
  if (stranger !== undefined) throw new SysError("ENOENT", `${stranger.slice(0, 40)} is not in ${group.name}`);
}
