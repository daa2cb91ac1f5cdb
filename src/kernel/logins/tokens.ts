// Tokens: 256 random bits, of which only the sha256 is stored. A token is only in the answer that created it.

import { KeyReused, SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import type { RandomBytes } from "../../abi/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { durationMs } from "../../lib/text/duration.ts";
import type { TokenRow } from "../../store/kernel/people/logins.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { TokenInfo, Tokens } from "../../syscalls/account/account-service.ts";
import { capabilityFault } from "../accounts/capabilities.ts";
import { wordsOf } from "../accounts/rights.ts";
import { isLogin, newSecret, prefixOf, ROLES, tokenHash } from "./token-kinds.ts";

export interface TokenPorts {
  readonly kernel: Pick<KernelStore, "tokens" | "accounts">;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly onRevoked: (id: string) => void;
}

export function tokensService(ports: TokenPorts): Tokens {
  const { kernel, clock } = ports;

  return {
    list: (caller) => listTokens(ports, caller),

    async create({ caller, requestId }, { kind, role, label, device, expires, allow }) {
      if (role !== undefined && role !== ROLES[kind])
        throw new SysError("EINVAL", `tokens of kind ${kind} have the role ${ROLES[kind]}, not ${role}`);
      if (device !== undefined && kind !== "node") throw new SysError("EINVAL", "--device is for tokens of kind node");
      const limits = allow === undefined ? null : limitsFrom(allow);
      if (limits !== null && kind !== "user") throw new SysError("EINVAL", "--allow is for tokens of kind user");
      if (kind === "metrics" && !isRoot(caller) && (await kernel.accounts.firstHuman())?.uid !== caller.uid)
        throw new SysError("EPERM", "metrics show the whole home: only its person and root make a token for them");
      const now = clock.now();
      const token = newSecret(kind, ports.random);
      const row: TokenRow = {
        id: idOf(caller.uid, requestId),
        uid: caller.uid,
        kind,
        label: label ?? null,
        prefix: prefixOf(token),
        role: ROLES[kind],
        device: device ?? null,
        createdAt: now,
        lastUsedAt: null,
        expiresAt: expires === undefined ? null : now + spanMs(expires),
        revokedAt: null,
        revokedReason: null,
        client: null,
        address: null,
        allow: limits?.join(",") ?? null,
      };
      const known = await kernel.tokens.get(row.id);
      if (
        known !== null &&
        (known.revokedAt !== null || known.kind !== kind || known.label !== row.label || known.allow !== row.allow)
      )
        throw new KeyReused(`request id ${requestId} was used for another call`);
      if (limits !== null) await kernel.tokens.forgetLimited(caller.uid, row.label, now);
      await kernel.tokens.put(row, { hash: tokenHash(token), keyHash: null });
      return { ...(await tokenInfo(ports, row)), token };
    },

    async revoke({ caller }, { id, reason }) {
      const row = await kernel.tokens.get(id);
      if (row === null || (row.uid !== caller.uid && !isRoot(caller)))
        throw new SysError("ENOENT", `no such token: ${id}`, ["gsv auth token list shows your tokens"]);
      await kernel.tokens.revoke(id, reason ?? null, clock.now());
      ports.onRevoked(id);
      return await tokenInfo(ports, (await kernel.tokens.get(id)) ?? row);
    },
  };
}

type ReadPorts = Pick<TokenPorts, "kernel" | "clock">;

export async function listTokens(ports: ReadPorts, caller: Caller): ReturnType<Tokens["list"]> {
  const rows = await ports.kernel.tokens.list(isRoot(caller) ? null : caller.uid);
  const tokens = rows.filter(({ kind }) => !isLogin(kind));
  return { tokens: await Promise.all(tokens.map((row) => tokenInfo(ports, row))) };
}

async function tokenInfo({ kernel, clock }: ReadPorts, row: TokenRow): Promise<TokenInfo> {
  const account = (await kernel.accounts.byUid(row.uid))?.username ?? String(row.uid);
  const expired = row.expiresAt !== null && row.expiresAt <= clock.now();
  const { id, kind, role, label, prefix, device, createdAt, lastUsedAt, expiresAt } = row;
  const allow = row.allow === null ? null : wordsOf(row.allow);
  const state = row.revokedAt !== null ? "revoked" : expired ? "expired" : "live";
  return { id, account, kind, role, label, prefix, device, allow, state, createdAt, lastUsedAt, expiresAt };
}

function limitsFrom(text: string): readonly string[] {
  const limits = wordsOf(text);
  if (limits.length === 0) throw new SysError("EINVAL", "--allow names no capability", ["for example: proc.list,fs.*"]);
  for (const each of limits) {
    const fault = capabilityFault(each, false);
    if (fault !== null) throw new SysError("EINVAL", `cannot allow: ${fault}`);
  }
  return limits;
}

// A repeated request gets the same token with a new secret, not a second token.
function idOf(uid: number, requestId: string): string {
  const hex = sha256Hex(`${uid}:${requestId}`);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

function spanMs(text: string): number {
  const ms = durationMs(text);
  if (ms !== null) return ms;
  throw new SysError("EINVAL", `invalid duration: ${text}`, ["write 30m, 2h or 7d"]);
}
