// Opens a session for a client that proves its account with a password or a token. The session is checked again at each call, so that a
// revoked token or locked account stops calls and signals at once.

import { SysError } from "../../abi/errno.ts";
import type { Caller, Credentials } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Serial } from "../../lib/serial.ts";
import type { TokenRow } from "../../store/kernel/people/logins.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Callers } from "./accounts.ts";
import { accountFrom, Lockout } from "./lockout.ts";
import type { Passwords } from "./passwords.ts";

export interface LoginPorts {
  readonly kernel: KernelStore;
  readonly callers: Callers;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export interface Session {
  readonly uid: number;
  /** False for machines: they get no signals. */
  readonly hears: boolean;
  caller(): Promise<Caller>;
  alive(): boolean;
}

/** Used in the audit log for unknown accounts. */
const NOBODY_UID = 65_534;

export class Logins {
  readonly lockout: Lockout;
  private readonly serial = new Serial();
  private readonly cutTokens = new Set<string>();
  private readonly cutAccounts = new Set<number>();

  constructor(private readonly ports: LoginPorts) {
    this.lockout = new Lockout(ports.kernel.lockouts, ports.clock);
  }

  /** Throws EAUTH. `peer` is the source of the connection, whatever it claims to be. */
  async open(credentials: Credentials, peer: string): Promise<Session> {
    const named = credentials.user === undefined ? null : await this.ports.kernel.people.byName(credentials.user);
    try {
      const session = await this.prove(credentials, peer);
      await this.note(session.uid, "ok", credentials.token === undefined ? "with a password" : "with a token");
      return session;
    } catch (error) {
      // Do not log an unknown name: it may be a password typed in the wrong place.
      const detail = (fault: SysError) => (named === null ? "unknown account" : fault.message);
      if (error instanceof SysError) await this.note(named?.uid ?? NOBODY_UID, error.code, detail(error));
      throw error;
    }
  }

  tokenRevoked(id: string): void {
    this.cutTokens.add(id);
  }

  accountLocked(uid: number, locked: boolean): void {
    if (locked) this.cutAccounts.add(uid);
    else this.cutAccounts.delete(uid);
  }

  private async prove({ user, password, token }: Credentials, peer: string): Promise<Session> {
    // A 256-bit token cannot be guessed: a right one always works, only wrong ones count.
    const session = token === undefined || password !== undefined ? null : await this.byToken(user, token);
    if (session !== null) return session;
    const account = user === undefined ? [] : [accountFrom(user, peer)];
    const subjects = [{ kind: "peer", subject: peer } as const, ...account];
    // One at a time, so that many right attempts at once are not counted as guesses.
    return await this.serial.run(async () => {
      await this.lockout.begin(subjects);
      if ((password === undefined) === (token === undefined))
        throw new SysError("EAUTH", "give either a password or a token");
      if (password === undefined) throw wrong(user);
      const proved = await this.byPassword(user, password);
      await this.lockout.succeeded(subjects);
      return proved;
    });
  }

  private async byPassword(user: string | undefined, password: string): Promise<Session> {
    const { kernel, passwords } = this.ports;
    const account = user === undefined ? null : await kernel.people.byName(user);
    const hash = account === null ? "!" : await kernel.people.hash(account.username);
    const right = await passwords.verify(password, hash);
    if (account?.kind === "root" && !account.hasPassword) throw rootLocked();
    if (!right || account === null) throw wrong(user);
    return this.session(account.uid, null);
  }

  /** Null if the token is unknown or belongs to another account. */
  private async byToken(user: string | undefined, token: string): Promise<Session | null> {
    const { kernel, clock } = this.ports;
    const hash = tokenHash(token);
    const row = await kernel.tokens.byHash(hash);
    const account = row === null ? null : await kernel.accounts.byUid(row.uid);
    const same = crypto.timingSafeEqual(Buffer.from(hash, "hex"), Buffer.from(row?.hash ?? "0".repeat(64), "hex"));
    if (row === null || account === null || !same) return null;
    if (user !== undefined && account.username !== user) return null;
    checkLive(row, clock.now());
    await kernel.tokens.used(row.id, clock.now());
    return this.session(row.uid, row);
  }

  private async session(uid: number, token: TokenRow | null): Promise<Session> {
    const { kernel, callers, clock } = this.ports;
    const kind = token?.kind ?? "user";
    const session: Session = {
      uid,
      hears: kind === "user",
      async caller() {
        const row = token === null ? null : await kernel.tokens.get(token.id);
        if (token !== null) checkLive(row, clock.now());
        const account = await kernel.accounts.byUid(uid);
        if (account === null) throw new SysError("EAUTH", "this account no longer exists");
        if (kind !== "user") return await callers.machine(uid, kind === "node" ? "device" : "service");
        return await callers.person(uid, account.home);
      },
      alive: () =>
        !this.cutAccounts.has(uid) &&
        (token === null ||
          (!this.cutTokens.has(token.id) && (token.expiresAt ?? Number.POSITIVE_INFINITY) > clock.now())),
    };
    // Only after the proof: before it, a locked account must look like any other.
    await session.caller();
    return session;
  }

  private async note(uid: number, outcome: string, detail: string): Promise<void> {
    const { kernel, clock, onFault } = this.ports;
    await kernel.audit.add({ at: clock.now(), uid, pid: null, call: "login", outcome, detail }).catch(onFault);
  }
}

export function tokenHash(token: string): string {
  return sha256Hex(token);
}

function checkLive(token: TokenRow | null, now: number): void {
  if (token === null || token.revokedAt !== null) throw new SysError("EAUTH", "this token was revoked");
  if (token.expiresAt !== null && token.expiresAt <= now)
    throw new SysError("EAUTH", "this token has expired", ["log in again: gsv auth login NAME"]);
}

/** The same error for a wrong password, no password and no account. */
function wrong(user: string | undefined): SysError {
  return new SysError("EAUTH", `cannot act as ${user ?? "anybody"}: wrong password or token`);
}

function rootLocked(): SysError {
  return new SysError("EAUTH", "root is locked until it has a password", ["set one on a terminal: gsv passwd root"]);
}
