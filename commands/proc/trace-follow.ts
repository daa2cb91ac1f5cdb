// Follows syscall logs: past rows first, then new ones, each once. Can follow child processes. A process that cannot be read has ended.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { ENDED_BY, SysError } from "../../src/abi/errno.ts";
import type { TraceRow } from "../../src/syscalls/services.ts";
import type { Ending, Io } from "../command.ts";
import { allProcesses } from "./process-names.ts";
import type { Traced } from "./trace-table.ts";

export interface FollowRequest {
  readonly pids: readonly string[];
  readonly withChildren: boolean;
  readonly once: boolean;
  readonly before: number;
}

type Take = (rows: readonly Traced[]) => Promise<boolean>;

const WAIT_MS = 30_000;
/** Calls within this time are fetched together, to spare the kernel. */
const GATHER_MS = 60;

export class TraceFollower {
  readonly ended: string[] = [];
  private readonly followed = new Map<string, Promise<void>>();
  private readonly over = new AbortController();
  private fault: unknown = null;
  private interrupted: Ending | null = null;

  constructor(
    private readonly io: Io,
    private readonly request: FollowRequest,
  ) {}

  /** Returns the exit status. */
  async run(take: Take): Promise<number> {
    const { io, request } = this;
    const release = io.onEnding((name) => {
      this.interrupted ??= name;
      this.over.abort();
    });
    const stopStarts = request.once ? () => {} : this.onStarts(take);
    try {
      const pids = await this.firstPids();
      const before = await this.pastRows(pids);
      if (!(await take(before.rows))) return 0;
      if (request.once) return 0;
      for (const pid of pids) this.follow(pid, before.last.get(pid) ?? 0, take);
      // Each may have started others meanwhile.
      for (let count = -1; count !== this.followed.size; ) {
        count = this.followed.size;
        await Promise.all(this.followed.values());
      }
      if (this.fault !== null) throw this.fault;
      return this.interrupted === null ? 0 : ENDED_BY[this.interrupted];
    } finally {
      stopStarts();
      release();
    }
  }

  private async firstPids(): Promise<readonly string[]> {
    const { pids, withChildren } = this.request;
    if (!withChildren) return pids;
    const all = await allProcesses(this.io);
    const chosen = new Set(pids);
    for (let size = 0; size !== chosen.size; ) {
      size = chosen.size;
      for (const { pid, parentPid } of all) if (parentPid !== null && chosen.has(parentPid)) chosen.add(pid);
    }
    return [...chosen];
  }

  /** Past rows of all processes by time, and the last row of each. */
  private async pastRows(pids: readonly string[]) {
    const last = new Map<string, number>();
    const rows: Traced[] = [];
    for (const pid of pids) {
      const all = await this.logOf(pid);
      last.set(pid, all.at(-1)?.id ?? 0);
      rows.push(...all.map((row) => ({ ...row, pid })));
    }
    const { before } = this.request;
    const sorted = rows.toSorted((left, right) => left.at - right.at);
    return { last, rows: before >= sorted.length ? sorted : sorted.slice(sorted.length - before) };
  }

  private async logOf(pid: string): Promise<readonly TraceRow[]> {
    const { before } = this.request;
    if (before <= LIMITS.historyPageMax) return this.read(pid, { limit: Math.max(1, before) });
    const rows: TraceRow[] = [];
    for (;;) {
      const more = await this.read(pid, { after: rows.at(-1)?.id ?? 0 });
      rows.push(...more);
      if (more.length === 0) return rows;
    }
  }

  private async read(pid: string, query: object): Promise<readonly TraceRow[]> {
    const { rows } = await this.io
      .sys()
      .call<{ rows: readonly TraceRow[] }>("proc.trace", { pid, ...query }, { signal: this.over.signal });
    return rows;
  }

  private onStarts(take: Take): () => void {
    return this.io.sys().on({ names: ["process.spawn"] }, ({ pid, parent }) => {
      if (this.request.withChildren && parent !== null && this.followed.has(parent)) this.follow(pid, 0, take);
    });
  }

  private follow(pid: string, after: number, take: Take): void {
    if (this.followed.has(pid)) return;
    const following = this.following(pid, after, take).catch((error: unknown) => {
      if (!this.over.signal.aborted) this.fault = error;
      this.over.abort();
    });
    this.followed.set(pid, following);
  }

  private async following(pid: string, from: number, take: Take): Promise<void> {
    // The signal comes sooner than polling would notice.
    const gone = new AbortController();
    const stopStarts = this.io.sys().on({ pid, names: ["process.exit"] }, () => gone.abort());
    const signal = AbortSignal.any([this.over.signal, gone.signal]);
    try {
      for (let after = from; !this.over.signal.aborted; ) {
        const query = { pid, after, waitMs: WAIT_MS };
        const { rows } = await this.io.sys().call<{ rows: readonly TraceRow[] }>("proc.trace", query, { signal });
        after = rows.at(-1)?.id ?? after;
        if (rows.length > 0 && !(await take(rows.map((row) => ({ ...row, pid }))))) this.over.abort();
        if (rows.length > 0) await this.io.clock.sleep(GATHER_MS, signal);
      }
    } catch (error) {
      const isGone = gone.signal.aborted || (error instanceof SysError && error.code === "ESRCH");
      if (!isGone && !this.over.signal.aborted) throw error;
      if (isGone) this.ended.push(pid);
    } finally {
      stopStarts();
    }
  }
}
