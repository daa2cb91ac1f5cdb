// Combines the files of hooks.d with the decisions of people. Only allowed bytes run: for the processes of the person who allowed them, and
// those of root for all processes. A changed hook must be allowed again.

import { SysError } from "../abi/errno.ts";
import type { HookEvent, HookInfo, HookState } from "../abi/hook.ts";
import { ROOT_UID } from "../abi/identity.ts";
import type { Clock } from "../lib/clock.ts";
import type { HookRow, HookRows } from "../store/kernel/hooks.ts";
import type { HookFile, HookFiles } from "./files.ts";

export interface Allowed {
  readonly hook: string;
  readonly path: string;
  readonly fault: string | null;
}

export interface HooksPorts {
  readonly files: HookFiles;
  readonly rows: HookRows;
  readonly clock: Clock;
}

export class Hooks {
  private rows: readonly HookRow[] = [];
  private readonly listeners = new Set<() => void>();

  constructor(private readonly ports: HooksPorts) {}

  async load(): Promise<void> {
    this.rows = await this.ports.rows.all();
    for (const listener of this.listeners) listener();
  }

  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  get events(): ReadonlySet<string> {
    return new Set(this.rows.flatMap(({ hook, decision }) => (decision === "allowed" ? [eventOf(hook)] : [])));
  }

  /** Fast if there are no hooks. Skips removed hooks. */
  allowed(ownerUid: number, event: HookEvent): readonly Allowed[] {
    const rows = this.rows.filter(
      (row) =>
        row.decision === "allowed" &&
        (row.ownerUid === ownerUid || row.ownerUid === ROOT_UID) &&
        eventOf(row.hook) === event,
    );
    return [...Map.groupBy(rows, ({ hook }) => hook)].flatMap(([hook, same]) => {
      const file = this.ports.files.at(hook);
      return file === null ? [] : [{ hook, path: file.path, fault: faultOf(file, same) }];
    });
  }

  list(ownerUid: number): readonly HookInfo[] {
    return this.ports.files.list().map((file) => infoOf(file, this.rowOf(ownerUid, file.hook)));
  }

  get(ownerUid: number, hook: string): HookInfo {
    const file = this.ports.files.at(hook);
    if (file === null) throw noSuchHook(hook);
    return infoOf(file, this.rowOf(ownerUid, hook));
  }

  bytes(info: HookInfo): Buffer {
    return this.ports.files.bytes(info.path);
  }

  async decide(
    { uid, username }: { readonly uid: number; readonly username: string },
    { hook, sha256 }: { readonly hook: string; readonly sha256: string },
    decision: HookRow["decision"],
  ): Promise<void> {
    const at = this.ports.clock.now();
    await this.ports.rows.set({ ownerUid: uid, hook, sha256, decision, by: username, at });
    await this.load();
  }

  /** Undecided hooks that were not announced yet. Empty unless a directory has changed. */
  fresh(ownerUid: number): readonly HookInfo[] {
    if (!this.ports.files.isOther()) return [];
    return this.list(ownerUid).filter(({ hook, state, sha256 }) => {
      const row = this.rowOf(ownerUid, hook);
      return state === "new" && (row === undefined || row.sha256 !== sha256);
    });
  }

  private rowOf(ownerUid: number, hook: string): HookRow | undefined {
    return this.rows.find((row) => row.ownerUid === ownerUid && row.hook === hook);
  }
}

export function noSuchHook(hook: string): SysError {
  return new SysError("ENOENT", `no such hook: ${hook}`, ["list the hooks: gsv hooks list"]);
}

function faultOf({ fault, sha256 }: HookFile, rows: readonly HookRow[]): string | null {
  if (fault !== null) return fault.why;
  return rows.some((row) => row.sha256 === sha256) ? null : "it was changed since it was allowed";
}

function infoOf({ hook, path, sha256, fault }: HookFile, row: HookRow | undefined): HookInfo {
  const decided = row === undefined || row.decision === "seen" ? null : row;
  return {
    hook,
    path,
    sha256,
    state: stateOf(sha256, row),
    why: fault?.why ?? null,
    fix: fault?.fix ?? null,
    by: decided?.by ?? null,
    decidedAt: decided?.at ?? null,
  };
}

function stateOf(sha256: string | null, row: HookRow | undefined): HookState {
  if (sha256 === null) return "refused";
  if (row === undefined || row.decision === "seen") return "new";
  if (row.sha256 === sha256) return row.decision;
  return row.decision === "allowed" ? "changed" : "new";
}

export function eventOf(hook: string): HookEvent {
  return hook.slice(0, hook.indexOf("/")) as HookEvent;
}
