// The service behind `gsv passwd`: people change their password with the old one, root changes any. Root has no password at first: the
// home's own human sets it on a terminal, and until then nobody can act as root.

import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AccountRow } from "../../store/kernel/people/people.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { PasswordChange } from "../../syscalls/account/account-service.ts";
import { accountFrom, type Lockout } from "./lockout.ts";
import { checkPassword, type Passwords } from "./passwords.ts";

export interface PasswordPorts {
  readonly kernel: Pick<KernelStore, "people">;
  readonly passwords: Passwords;
  readonly lockout: Lockout;
  readonly clock: Clock;
}

export async function changePassword(
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
