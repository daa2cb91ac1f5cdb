// OAuth accounts as their owner sees them. Needs no kernel.

import { SysError } from "../../abi/errno.ts";
import type { OAuthAccount, OAuthKind } from "../../abi/links/oauth.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { OAuthAccountRow, OAuthRows } from "../../store/kernel/links/oauth.ts";
import type { OAuthService } from "../../syscalls/links/oauth-service.ts";

export function oauthList({ accounts }: Pick<OAuthRows, "accounts">): Pick<OAuthService, "list"> {
  return { list: async ({ caller }) => ({ accounts: (await accounts(caller.ownerUid)).map(shownAccount) }) };
}

export function shownAccount(row: OAuthAccountRow): OAuthAccount {
  const { kind, provider, accountKey, label, clientId, scope, resource, isRenewed, expiresAt, about } = row;
  const { createdAt, updatedAt, lastUsedAt } = row;
  return {
    ...{ kind, provider, accountKey, label, clientId, scope, resource, isRenewed, expiresAt },
    ...{ state: row.needsLogin ? "login" : "ready", issuer: about.issuer, callbackPort: about.callbackPort },
    ...{ createdAt, updatedAt, lastUsedAt },
  };
}

export interface AccountName {
  readonly name: string;
  readonly kind?: OAuthKind;
  readonly account?: string;
}

/** Throws unless exactly one account fits. */
export function accountNamed(rows: readonly OAuthAccountRow[], { name, kind, account }: AccountName): OAuthAccountRow {
  const fitting = rows.filter(
    (row) =>
      row.provider === name &&
      (kind === undefined || row.kind === kind) &&
      (account === undefined || row.accountKey === account),
  );
  const [first, second] = fitting;
  if (first === undefined) throw new SysError("ENOENT", `no such OAuth account: ${clip(name)}`, ["gsv oauth list"]);
  if (second !== undefined)
    throw new SysError("EINVAL", `several accounts are called ${name}`, ["name one with --kind and --account"]);
  return first;
}
