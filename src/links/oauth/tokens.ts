// The token of an account for those who use it. Before it expires it is renewed once for all of them: a server may end an account if an old
// token is used twice. The new token and the end of the lease are one transaction.

import { SysError } from "../../abi/errno.ts";
import type { Clock } from "../../lib/clock.ts";
import type { OAuthAccountRow, OAuthRows } from "../../store/kernel/links/oauth.ts";
import type { Party, Tokens } from "./request.ts";
import type { OAuthSecret, Vault } from "./vault.ts";
import type { OAuthFetch } from "./wire.ts";

export interface TokenPorts {
  readonly rows: OAuthRows;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly fetchFor: (row: Pick<OAuthAccountRow, "uid" | "about">) => Promise<OAuthFetch>;
}

/** Renewed so long before it expires. */
const EARLY_MS = 60_000;
/** Longer than a renewal takes: the one of a dead kernel ends with it. */
const LEASE_MS = 20_000;
const LEASE_POLL_MS = 100;
const USED_EVERY_MS = 60_000;
/** After these words the account's tokens are worth nothing. */
const ENDED = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);

export class AccountTokens {
  private readonly renewals = new Map<string, Promise<string | null>>();

  constructor(private readonly ports: TokenPorts) {}

  /** null if the person has to sign in. `rejected`: a token that a server did not accept. */
  async current(id: string, rejected: string | null = null): Promise<string | null> {
    const { rows, vault, clock } = this.ports;
    const row = await rows.account(id);
    if (row === null) return null;
    // A refused token may have been replaced meanwhile.
    const { access = null } = await vault.read(id, row.secret).catch(() => ({ access: null }));
    if (access === null) return null;
    if (access !== rejected && !row.needsLogin && !this.isOld(row)) {
      if (clock.now() - (row.lastUsedAt ?? 0) > USED_EVERY_MS) await rows.used(id, clock.now());
      return access;
    }
    return await this.renewal(row);
  }

  private isOld({ expiresAt }: OAuthAccountRow): boolean {
    return expiresAt !== null && expiresAt - EARLY_MS <= this.ports.clock.now();
  }

  private renewal(row: OAuthAccountRow): Promise<string | null> {
    const { id } = row;
    const running = this.renewals.get(id) ?? this.renew(row).finally(() => this.renewals.delete(id));
    this.renewals.set(id, running);
    return running;
  }

  private async renew({ id, secret: seen }: OAuthAccountRow): Promise<string | null> {
    const { rows, vault, clock } = this.ports;
    while (!(await rows.lease(id, { now: clock.now(), until: clock.now() + LEASE_MS }))) {
      if ((await rows.account(id)) === null) return null;
      await clock.sleep(LEASE_POLL_MS);
    }
    const row = await rows.account(id);
    if (row === null) return null;
    const secret = await vault.read(id, row.secret).catch((): OAuthSecret => ({}));
    if (row.secret !== seen) {
      await rows.release(id, { needsLogin: false });
      return secret.access ?? null;
    }
    if (row.needsLogin || secret.refresh === undefined) {
      await rows.release(id, { needsLogin: true });
      return null;
    }
    return await this.renewed(row, secret as OAuthSecret & { readonly refresh: string });
  }

  private async renewed(
    row: OAuthAccountRow,
    secret: OAuthSecret & { readonly refresh: string },
  ): Promise<string | null> {
    const { rows, vault, clock, fetchFor } = this.ports;
    const { id } = row;
    // Loaded here: the SDK is needed for a renewal only.
    const { renewedTokens, Refused } = await import("./request.ts");
    try {
      const tokens = await renewedTokens(await fetchFor(row), partyOf(row, secret), secret.refresh);
      const place = await vault.put(
        id,
        row.secret,
        secretOf({ ...tokens, refresh: tokens.refresh ?? secret.refresh }, secret),
      );
      await rows.renewed(id, {
        secret: place,
        isRenewed: true,
        ...{ expiresAt: expiryOf(tokens, clock), scope: tokens.scope ?? row.scope, tokenType: row.tokenType },
        updatedAt: clock.now(),
      });
      await vault.remove(id, row.secret);
      return tokens.access;
    } catch (error) {
      const isOver = error instanceof Refused && ENDED.has(error.word);
      await rows.release(id, { needsLogin: isOver });
      if (isOver) return null;
      // Not expired yet: it still serves.
      if (row.expiresAt !== null && row.expiresAt > clock.now()) return secret.access ?? null;
      throw error instanceof SysError
        ? error
        : new SysError("EIO", `the token of ${row.provider} cannot be renewed now`);
    }
  }
}

export function expiryOf({ expiresInS }: Pick<Tokens, "expiresInS">, clock: Pick<Clock, "now">): number | null {
  return expiresInS === null ? null : clock.now() + expiresInS * 1000;
}

export function secretOf(
  { access, refresh }: Pick<Tokens, "access" | "refresh">,
  { clientSecret }: Pick<OAuthSecret, "clientSecret">,
): OAuthSecret {
  return { access, ...(refresh !== null && { refresh }), ...(clientSecret !== undefined && { clientSecret }) };
}

export function partyOf(
  { about, clientId, resource }: Pick<OAuthAccountRow, "about" | "clientId" | "resource">,
  { clientSecret = null }: { readonly clientSecret?: string | null },
): Party {
  return { about, clientId, clientSecret, resource };
}
