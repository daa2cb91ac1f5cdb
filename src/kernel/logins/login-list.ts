// The logins over the network: who is in from where, and how to end one. Tokens stand here once they were used over the network.

import { SysError } from "../../abi/errno.ts";
import { isRoot } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import type { TokenRow } from "../../store/kernel/people/logins.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { EntryCode, LoginInfo, LoginsService } from "../../syscalls/account/login.ts";
import type { CallContext } from "../../syscalls/define.ts";
import { isLogin } from "./token-kinds.ts";

interface ListPorts {
  readonly kernel: Pick<KernelStore, "tokens" | "accounts">;
  readonly clock: Clock;
}

export interface LoginListPorts extends ListPorts {
  readonly newCode: (uid: number) => Promise<Omit<EntryCode, "url">>;
  /** Of the listener; null while nothing listens. */
  readonly url: () => string | null;
  readonly onRevoked: (id: string) => void;
}

export async function listLogins(
  { kernel, clock }: ListPorts,
  { caller, client }: Pick<CallContext, "caller" | "client">,
): ReturnType<LoginsService["list"]> {
  const rows = await kernel.tokens.list(isRoot(caller) ? null : caller.uid);
  const live = rows.filter((row) => (isLogin(row.kind) || row.address !== null) && isLive(row, clock.now()));
  const logins = live.map(async (row): Promise<LoginInfo> => {
    const account = (await kernel.accounts.byUid(row.uid))?.username ?? String(row.uid);
    const { id, kind, label, createdAt, lastUsedAt, expiresAt } = row;
    const where = { client: row.client, address: row.address };
    return { id, account, kind, label, ...where, createdAt, lastUsedAt, expiresAt, current: client?.loginId === id };
  });
  return { logins: await Promise.all(logins) };
}

export function loginsService(ports: LoginListPorts): LoginsService {
  const { kernel, clock } = ports;
  return {
    list: (context) => listLogins(ports, context),

    async revoke({ caller, client }, { id = client?.loginId }) {
      if (id === undefined) throw new SysError("EUSAGE", "name a login: gsv login list shows them");
      const row = await kernel.tokens.get(id);
      if (row === null || (row.uid !== caller.uid && !isRoot(caller)))
        throw new SysError("ENOENT", `no such login: ${id}`, ["gsv login list shows your logins"]);
      await kernel.tokens.revoke(id, "gsv login revoke", clock.now());
      ports.onRevoked(id);
      return { id };
    },

    async code({ caller }) {
      const url = ports.url();
      if (url === null) throw new SysError("ECONFIG", "gsv does not listen on the network", ["gsv serve"]);
      const made = await ports.newCode(caller.uid);
      // A fragment reaches no server and no log.
      return { ...made, url: `${url}/#code=${made.code}` };
    },
  };
}

function isLive({ revokedAt, expiresAt }: TokenRow, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now);
}
