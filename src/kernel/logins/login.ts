// Opens a session for a client that proves its account with a password or a token. The session is checked again at each call, so that a
// revoked token or locked account stops calls and signals at once. Over the network it also ends the connection.

import { SysError } from "../../abi/errno.ts";
import { type Arrival, type Caller, type Credentials, grants } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import { sameHash } from "../../lib/hash.ts";
import type { TokenRow } from "../../store/kernel/people/logins.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Callers } from "../accounts/accounts.ts";
import { wordsOf } from "../accounts/rights.ts";
import { GuessQueue, originOf } from "./guess-queue.ts";
import { accountFrom, Lockout } from "./lockout.ts";
import { LoginAudit } from "./login-audit.ts";
import type { Passwords } from "./passwords.ts";
import { isLogin, isPersons, tokenHash } from "./token-kinds.ts";

export interface LoginPorts {
  readonly kernel: KernelStore;
  readonly callers: Callers;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

export interface Session {
  readonly uid: number;
  /** The id of its token or login; null for a password. */
  readonly login: string | null;
  /** False for machines, and for programs that may read no messages: they get no signals. */
  readonly hears: boolean;
  caller(): Promise<Caller>;
  /** When it expires; null for never. */
  readonly expiresAt: number | null;
  /** Why it is over; null while it is not. */
  end(): SysError | null;
}

interface Connected {
  readonly session: Session;
  readonly onEnd: (why: SysError) => void;
  cancel: () => void;
}

/** Used in the audit log for unknown accounts. */
const NOBODY_UID = 65_534;
/** The last use of a token is stored this often. */
const USED_MS = 60_000;
const EXPIRY_LOOK_MS = 60_000;
/** Signals have the texts of messages. */
const SIGNALS = "proc.history";
const NO_HASH = "0".repeat(64);

export class Logins {
  readonly lockout: Lockout;
  private readonly guesses = new GuessQueue();
  private readonly audit: LoginAudit;
  /** Connections over the network. */
  private readonly connected = new Set<Connected>();
  private readonly cutTokens = new Set<string>();
  private readonly cutAccounts = new Set<number>();

  constructor(private readonly ports: LoginPorts) {
    this.lockout = new Lockout(ports.kernel.lockouts, ports.clock);
    this.audit = new LoginAudit(ports.kernel, ports.clock, ports.onFault);
  }

  /** Throws EAUTH. `arrival` is null for a client of this computer. */
  async open(credentials: Credentials, arrival: Arrival | null): Promise<Session> {
    const named = credentials.user === undefined ? null : await this.ports.kernel.people.byName(credentials.user);
    try {
      const session = await this.prove(credentials, arrival);
      const detail = credentials.token === undefined ? "with a password" : "with a token";
      const login = session.login ?? String(session.uid);
      await this.audit.note({ uid: session.uid, outcome: "ok", detail, arrival, login });
      return session;
    } catch (error) {
      // Do not log an unknown name: it may be a password typed in the wrong place.
      const detail = (fault: SysError) => (named === null ? "unknown account" : fault.message);
      if (error instanceof SysError) await this.failed(named?.uid ?? NOBODY_UID, error, detail(error), arrival);
      throw error;
    }
  }

  /** Checks the account of a one-time code; null: a wrong code, which counts as a failure of its source. */
  async byCode(uid: number | null, arrival: Arrival): Promise<number> {
    try {
      if (uid === null) {
        await this.lockout.begin([{ kind: "peer", subject: originOf(arrival) }]);
        throw new SysError("EAUTH", "this code is wrong, used or expired", ["print another one: gsv serve code"]);
      }
      const session = await this.session(uid, null);
      await this.audit.note({ uid, outcome: "ok", detail: "with a one-time code", arrival, login: `code ${uid}` });
      return session.uid;
    } catch (error) {
      if (error instanceof SysError) await this.failed(uid ?? NOBODY_UID, error, error.message, arrival);
      throw error;
    }
  }

  /** Returns a function to call when the connection ends. */
  connect(session: Session, { onEnd }: Pick<Arrival, "onEnd">): () => void {
    if (onEnd === undefined) return () => {};
    const entry: Connected = { session, onEnd, cancel: () => {} };
    this.connected.add(entry);
    this.awaitExpiry(entry);
    return () => this.disconnect(entry);
  }

  private disconnect(entry: Connected): void {
    entry.cancel();
    this.connected.delete(entry);
  }

  /** Looks again now and then, because the time of day may jump. */
  private awaitExpiry(entry: Connected): void {
    const { expiresAt } = entry.session;
    if (expiresAt === null) return;
    const { clock } = this.ports;
    entry.cancel = clock.after(Math.min(Math.max(expiresAt - clock.now(), 0), EXPIRY_LOOK_MS), () => {
      if (!this.endIfOver(entry)) this.awaitExpiry(entry);
    });
  }

  tokenRevoked(id: string): void {
    this.cutTokens.add(id);
    this.endDead();
  }

  accountLocked(uid: number, locked: boolean): void {
    if (locked) this.cutAccounts.add(uid);
    else this.cutAccounts.delete(uid);
    this.endDead();
  }

  async endLogins(uid: number, except: string | null): Promise<void> {
    const { kernel, clock } = this.ports;
    const rows = await kernel.tokens.list(uid);
    for (const { id } of rows.filter(
      ({ id, kind, revokedAt }) => isLogin(kind) && revokedAt === null && id !== except,
    )) {
      await kernel.tokens.revoke(id, "new password", clock.now());
      this.tokenRevoked(id);
    }
  }

  private endDead(): void {
    for (const entry of [...this.connected]) this.endIfOver(entry);
  }

  private endIfOver(entry: Connected): boolean {
    const why = entry.session.end();
    if (why === null) return false;
    this.disconnect(entry);
    entry.onEnd(why);
    return true;
  }

  private async failed(uid: number, { code }: SysError, detail: string, arrival: Arrival | null): Promise<void> {
    await this.audit.note({ uid, outcome: code, detail, arrival, login: null });
  }

  private async prove(credentials: Credentials, arrival: Arrival | null): Promise<Session> {
    const { user, password, token } = credentials;
    // A 256-bit token cannot be guessed: a right one always works, only wrong ones count.
    const session = token === undefined || password !== undefined ? null : await this.byToken(credentials, arrival);
    if (session !== null) return session;
    const origin = originOf(arrival);
    // An unknown account has no row of its own: names without end would fill the table.
    const account = user === undefined ? null : await this.ports.kernel.people.byName(user);
    const subjects = [{ kind: "peer", subject: origin } as const];
    const guessed = account === null ? subjects : [...subjects, accountFrom(account.username, origin)];
    // One at a time, so that many right attempts at once are not counted as guesses.
    const attempt = async () => {
      await this.lockout.begin(guessed);
      if ((password === undefined) === (token === undefined))
        throw new SysError("EAUTH", "give either a password or a token");
      if (password === undefined) throw wrong(user);
      const proved = await this.byPassword(user, password);
      await this.lockout.succeeded(guessed);
      return proved;
    };
    return await (password === undefined ? attempt() : this.guesses.run(arrival, attempt));
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

  /** Null if the token is unknown, belongs to another account or comes without its key. */
  private async byToken({ user, token = "", key }: Credentials, arrival: Arrival | null): Promise<Session | null> {
    const { kernel, clock } = this.ports;
    const hash = tokenHash(token);
    const row = await kernel.tokens.byHash(hash);
    const account = row === null ? null : await kernel.accounts.byUid(row.uid);
    const same = sameHash(hash, row?.hash ?? NO_HASH);
    const sameKey = sameHash(tokenHash(key ?? ""), row?.keyHash ?? NO_HASH);
    if (row === null || account === null || !same) return null;
    if (row.keyHash === null ? key !== undefined : !sameKey) return null;
    if (user !== undefined && account.username !== user) return null;
    checkLive(row, clock.now());
    checkPurpose(row, arrival);
    const { address, client, lastUsedAt } = row;
    const from = { address: arrival?.address ?? null, client: arrival?.program ?? null };
    const isElsewhere = arrival !== null && (from.address !== address || from.client !== client);
    if (isElsewhere || lastUsedAt === null || clock.now() - lastUsedAt >= USED_MS)
      await kernel.tokens.used(row.id, clock.now(), from);
    return this.session(row.uid, row);
  }

  private async session(uid: number, token: TokenRow | null): Promise<Session> {
    const { kernel, callers, clock } = this.ports;
    const kind = token?.kind ?? "user";
    const allow = token?.allow == null ? null : wordsOf(token.allow);
    const session: Session = {
      uid,
      login: token?.id ?? null,
      hears: isPersons(kind) && (allow === null || grants(allow, SIGNALS)),
      async caller() {
        const row = token === null ? null : await kernel.tokens.get(token.id);
        if (token !== null) checkLive(row, clock.now());
        const account = await kernel.accounts.byUid(uid);
        if (account === null) throw new SysError("EAUTH", "this account no longer exists");
        if (!isPersons(kind)) return await callers.machine(uid, kind === "node" ? "device" : "service");
        if (allow !== null) return await callers.program(uid, account.home, allow);
        return await callers.person(uid, account.home);
      },
      expiresAt: token?.expiresAt ?? null,
      end: () => {
        if (this.cutAccounts.has(uid)) return new SysError("EAUTH", "this account is locked");
        if (token === null) return null;
        if (this.cutTokens.has(token.id)) return revoked(token);
        return isPast(token, clock.now()) ? expired(token) : null;
      },
    };
    // Only after the proof: before it, a locked account must look like any other.
    await session.caller();
    return session;
  }
}

function checkLive(token: TokenRow | null, now: number): void {
  if (token === null || token.revokedAt !== null) throw revoked(token);
  if (isPast(token, now)) throw expired(token);
}

function isPast({ expiresAt }: TokenRow, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function revoked(token: TokenRow | null): SysError {
  return new SysError("EAUTH", `this ${nounOf(token)} was revoked`);
}

function expired(token: TokenRow): SysError {
  return new SysError("EAUTH", `this ${nounOf(token)} has expired`, ["log in again: gsv auth login NAME"]);
}

function nounOf(token: TokenRow | null): "login" | "token" {
  return token !== null && isLogin(token.kind) ? "login" : "token";
}

function checkPurpose({ kind }: TokenRow, arrival: Arrival | null): void {
  const isForMetrics = arrival?.purpose === "metrics";
  if (isForMetrics && kind !== "metrics")
    throw new SysError("EPERM", "/metrics needs a token of its own", ["gsv auth token create --kind metrics"]);
  if (!isForMetrics && kind === "metrics") throw new SysError("EPERM", "this token opens /metrics only");
}

/** The same error for a wrong password, no password and no account. */
function wrong(user: string | undefined): SysError {
  if (user === undefined) return new SysError("EAUTH", "wrong token");
  return new SysError("EAUTH", `cannot act as ${user}: wrong password or token`);
}

function rootLocked(): SysError {
  return new SysError("EAUTH", "root is locked until it has a password", ["set one on a terminal: gsv passwd root"]);
}
