// Entry over the network: a password or a one-time code becomes a login with a token of its own, new each time. A browser's login also has a
// key: the cookie alone, which other programs on the same host get too, is worth nothing.

import { SysError } from "../../abi/errno.ts";
import type { Arrival, Entered, EntryRequest } from "../../abi/identity.ts";
import { type RandomBytes, uuidv7 } from "../../abi/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { TokenRow } from "../../store/kernel/people/logins.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Logins } from "./login.ts";
import { newSecret, prefixOf, ROLES, tokenHash } from "./token-kinds.ts";

export interface EntryPorts {
  readonly kernel: Pick<KernelStore, "codes" | "tokens" | "accounts">;
  readonly logins: Logins;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

const LOGIN_MS = 30 * 24 * 60 * 60_000;
const LOGINS_MAX = 200;
const CODE_MS = 10 * 60_000;
const CODE_TRIES = 5;
const CODES_MAX = 5;
/** Crockford's: no letter looks like a digit. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_CHARS = 12;
/** The part of a code that finds its row. */
const SELECTOR_CHARS = 4;

export class Entries {
  constructor(private readonly ports: EntryPorts) {}

  /** 60 bits, such as `7K2M-9QXD-4RTV`. Only its hash is stored. */
  async newCode(uid: number): Promise<{ readonly code: string; readonly expiresAt: number }> {
    const { kernel, clock, random } = this.ports;
    const code = [...random(CODE_CHARS)].map((byte) => LETTERS[byte % LETTERS.length]).join("");
    const now = clock.now();
    const row = { selector: selectorOf(code), uid, createdAt: now, expiresAt: now + CODE_MS };
    await kernel.codes.put(row, tokenHash(code), CODES_MAX);
    return { code: code.replace(/.{4}(?=.)/g, "$&-"), expiresAt: row.expiresAt };
  }

  /** Throws EAUTH. */
  async enter(request: EntryRequest, arrival: Arrival): Promise<Entered> {
    const { kernel, logins, clock, random } = this.ports;
    const uid = await this.uidOf(request, arrival);
    const account = (await kernel.accounts.byUid(uid))?.username ?? String(uid);
    const kind = request.withKey ? "browser" : "login";
    const token = newSecret("login", random);
    const key = request.withKey ? newSecret("key", random) : null;
    const now = clock.now();
    const row: TokenRow = {
      ...{ id: uuidv7(now, random), uid, kind, label: request.label ?? null, prefix: prefixOf(token) },
      ...{ role: ROLES[kind], device: null, createdAt: now, lastUsedAt: now, expiresAt: now + LOGIN_MS },
      ...{ revokedAt: null, revokedReason: null, client: arrival.program, address: arrival.address, allow: null },
    };
    await kernel.tokens.put(row, { hash: tokenHash(token), keyHash: key === null ? null : tokenHash(key) });
    for (const id of await kernel.tokens.forgetLogins(uid, { before: now, most: LOGINS_MAX })) logins.tokenRevoked(id);
    return { id: row.id, account, token, key, expiresAt: row.expiresAt ?? now };
  }

  private async uidOf({ user, password, code }: EntryRequest, arrival: Arrival): Promise<number> {
    const { kernel, logins, clock } = this.ports;
    if (code === undefined) {
      const credentials = { ...(user !== undefined && { user }), ...(password !== undefined && { password }) };
      return (await logins.open(credentials, arrival)).uid;
    }
    if (user !== undefined || password !== undefined)
      throw new SysError("EINVAL", "give a code, or a user and a password");
    const plain = plainCode(code);
    const selector = selectorOf(plain);
    const uid = await kernel.codes.redeem({ selector, hash: tokenHash(plain) }, clock.now(), CODE_TRIES);
    return await logins.byCode(uid, arrival);
  }
}

function selectorOf(code: string): string {
  return code.slice(0, SELECTOR_CHARS);
}

/** As people type it: any case, with or without hyphens. */
function plainCode(text: string): string {
  return text.slice(0, 40).toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
}
