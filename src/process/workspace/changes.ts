// Records the changes of each call: the version before it and the version after it. Read-only calls cost nothing. If recording fails, the call
// still runs, and the record says why.

import { messageOf, SysError } from "../../abi/errno.ts";
import type { HostGround } from "../../kernel/shells/host-launcher.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import { StoreUnavailable } from "../../store/open.ts";
import type { Change } from "../../store/process/files/changes.ts";
import type { CallRow, ProcessStore } from "../../store/process/verbs.ts";
import { SERVER_CALL } from "../run/tool-servers.ts";
import type { ChangePlaces, PlacedPath } from "./change-places.ts";

export interface ChangesPorts {
  readonly store: Pick<ProcessStore, "changes" | "beginChange" | "endChange">;
  readonly places: ChangePlaces;
  readonly locate: (row: ProcessRow, path: string) => Promise<string>;
  /** The same on the host. */
  readonly locateOnHost: (row: ProcessRow, path: string) => Promise<string>;
  readonly hostGround: (row: ProcessRow, command: string, cwd: string | undefined) => Promise<HostGround>;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

export class Changes {
  /** Running calls that may change any file of a place, by place: changes meanwhile may be theirs. */
  private readonly atWork = new Map<string, Map<string, string>>();

  constructor(private readonly ports: ChangesPorts) {}

  /** Called before the call runs. `attaches`: host directory that the call attaches first. */
  async begin(row: ProcessRow, runId: string, call: CallRow, attaches: string | null = null): Promise<void> {
    if (call.repeat === "read" || !(await this.ports.places.hasGit())) return;
    const open = await this.ports.store.changes(row.pid, { open: true });
    const isResumed = open.some(({ dispatchId }) => dispatchId === call.dispatchId);
    for (const change of open) if (change.dispatchId !== call.dispatchId) await this.close(row, change);
    if (isResumed) return;
    for (const placed of await this.placesOf(row, call, attaches)) {
      const { place, path } = placed;
      const before = await this.unlessFault(async () => place.mark(pathsOf(path), this.others(place.key, row.pid)));
      await this.ports.store.beginChange(row.pid, {
        ...{ runId, dispatchId: call.dispatchId, tool: call.tool, place: place.key, path },
        before: before?.commit ?? null,
        at: this.ports.clock.now(),
      });
      if (path === null) this.enter(place.key, call.dispatchId, row.pid);
    }
  }

  async end(row: ProcessRow, call: CallRow): Promise<void> {
    if (call.repeat === "read") return;
    for (const change of await this.ports.store.changes(row.pid, { open: true }))
      if (change.dispatchId === call.dispatchId) await this.close(row, change);
  }

  /** Ends records that a kernel crash left open, with the current version. */
  async settle(row: ProcessRow): Promise<void> {
    for (const change of await this.ports.store.changes(row.pid, { open: true }))
      if (!this.atWork.get(change.place)?.has(change.dispatchId)) await this.close(row, change);
  }

  private async close(row: ProcessRow, change: Change): Promise<void> {
    const { id, before, place: key, path, dispatchId } = change;
    const by = path === null ? [row.pid, ...this.others(key, row.pid)] : [row.pid];
    let end = { after: before, leftOut: [] as readonly string[], fault: null as string | null };
    try {
      const { commit: after, leftOut } = await (await this.ports.places.named(row, key)).mark(pathsOf(path), by);
      end = { after, leftOut, fault: null };
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      this.ports.log(`changes by ${row.pid} in ${key} are not recorded: ${messageOf(error)}`);
      end = { ...end, fault: messageOf(error) };
    }
    this.leave(key, dispatchId);
    const changed = end.after !== before || end.fault !== null || end.leftOut.length > 0;
    await this.ports.store.endChange(row.pid, id, { ...end, changed });
  }

  private async placesOf(
    row: ProcessRow,
    { call, args }: CallRow,
    attaches: string | null,
  ): Promise<readonly PlacedPath[]> {
    const { places, locate, locateOnHost, hostGround } = this.ports;
    const { path, target, command, cwd } = args as { readonly [name: string]: string | undefined };
    const isOnHost = target === "host";
    const placed = await this.unlessFault(async () => {
      switch (call) {
        case "fs.write":
        case "fs.edit":
        case "fs.delete": {
          const one = isOnHost
            ? await places.ofHostPath(row, await locateOnHost(row, String(path)), attaches)
            : await places.ofPath(await locate(row, String(path)));
          return one === null ? [] : [one];
        }
        case "shell.exec": {
          if (!isOnHost || command === undefined) return places.all(row);
          const { looks, directory } = await hostGround(row, command, cwd);
          const looksOnly = looks?.every((each) => each) === true;
          return looksOnly ? [] : [await places.ofGround(row, directory)];
        }
        // The calls inside are recorded one by one.
        case "codemode.exec":
          return [];
        case SERVER_CALL:
          return places.outsideHomes(row);
        default:
          return places.all(row);
      }
    });
    return placed ?? [];
  }

  private async unlessFault<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreUnavailable || !(error instanceof SysError)) throw error;
      return null;
    }
  }

  private others(place: string, pid: string): string[] {
    return [...new Set(this.atWork.get(place)?.values() ?? [])].filter((other) => other !== pid).sort();
  }

  private enter(place: string, dispatchId: string, pid: string): void {
    const calls = this.atWork.get(place) ?? new Map<string, string>();
    this.atWork.set(place, calls.set(dispatchId, pid));
  }

  private leave(place: string, dispatchId: string): void {
    const calls = this.atWork.get(place);
    calls?.delete(dispatchId);
    if (calls?.size === 0) this.atWork.delete(place);
  }
}

function pathsOf(path: string | null): readonly string[] | null {
  return path === null ? null : [path];
}
