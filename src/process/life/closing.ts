// Reset and kill follow one protocol: store the cut and fence the run, end calls in flight, archive up to the cut, verify the archive,
// delete, answer. Each step is stored before the next begins, so a crash anywhere is rolled forward. History and archive are never both
// missing.

import { KeyReused, messageOf, SysError } from "../../abi/errno.ts";
import { ROOT_UID } from "../../abi/identity.ts";
import type { RandomBytes } from "../../abi/ids.ts";
import { closingFailuresKey } from "../../abi/process/lifecycle.ts";
import type { ObjectStore } from "../../objects/objects.ts";
import type { ArchiveRow } from "../../store/kernel/processes/archives.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Closing } from "../../store/process/verbs.ts";
import { noSuchProcess } from "../../syscalls/parse.ts";
import type { Closed } from "../../syscalls/services.ts";
import { archiveKey, faultOf, pack, restoreInto } from "../history/archive.ts";
import { forgetMedia } from "../media.ts";
import type { Runners } from "../run/runners.ts";
import type { Checkpointer } from "../workspace/checkpoint.ts";
import { copyToGeneration, nextGeneration } from "./generations.ts";
import { endSignals, type LedgerPorts } from "./ledger.ts";
import { forgetOwn } from "./own-settings.ts";

export interface ClosingPorts extends LedgerPorts {
  readonly kernel: KernelStore;
  readonly objects: ObjectStore;
  readonly runners: Runners;
  readonly random: RandomBytes;
  readonly checkpoint: Checkpointer;
  readonly extractMemories: (row: ProcessRow) => Promise<void>;
  /** First delay before a failed reset or kill is retried. */
  readonly retryMs: number;
  readonly log: (line: string) => void;
}

export interface CloseRequest {
  readonly reason: "reset" | "kill";
  readonly archive: boolean;
  readonly archiveId: string;
  readonly requestKey: string;
  /** The answer is stored for this account. */
  readonly uid: number;
  /** For a reset: the archive that begins the next history. */
  readonly restore?: string;
  /** Not stored: called if the answer of a reset is an earlier one. */
  readonly onRepeat?: () => void;
}

const EFFECTS_END_MS = 10_000;
const RETRY_DOUBLINGS_MAX = 8;

/** Small pages, so that packing long messages blocks nobody. */
const PAGE_ROWS = 20;

export class Closer {
  private readonly chains = new Map<string, Promise<unknown>>();
  private readonly failures = new Map<string, number>();

  constructor(private readonly ports: ClosingPorts) {}

  reset(row: ProcessRow, request: CloseRequest): Promise<Closed> {
    return this.orRetry(row.pid, () => this.doReset(row, request));
  }

  /** Archives what is before the cut that a message made; `row` is from before the message. */
  renew(row: ProcessRow): Promise<void> {
    return this.orRetry(row.pid, async () => {
      await this.ports.extractMemories(row);
      await this.completeClosing(row.pid);
    });
  }

  kill(row: ProcessRow, request: CloseRequest): Promise<Closed> {
    return this.orRetry(row.pid, () => this.doKill(row, request));
  }

  async settled(): Promise<void> {
    await Promise.all(this.chains.values());
  }

  /** Completes a reset or kill after a crash or a failure. */
  rollForward(pid: string, attempt = 0): Promise<void> {
    // A row of an earlier kernel is removed at the end, too.
    this.failures.set(pid, this.failures.get(pid) ?? 0);
    return this.orRetry(pid, () => this.completeClosing(pid), attempt);
  }

  private async completeClosing(pid: string): Promise<void> {
    const row = await this.ports.kernel.processes.get(pid);
    if (row === null) return;
    if (row.phase === "killing" && row.step !== null)
      return void (await this.doKill(row, row.step as unknown as CloseRequest));
    const { closing } = await this.ports.store.head(pid);
    if (closing !== null) await this.ports.ledger.write(row, () => this.finishReset(row, closing));
  }

  // The caller gets the error, but the cut is stored: retry until the process is usable again.
  private async orRetry<T>(pid: string, work: () => Promise<T>, attempt = 0): Promise<T> {
    const { clock, retryMs, log } = this.ports;
    try {
      const done = await this.oneAtATime(pid, work);
      await this.countFailures(pid, null);
      return done;
    } catch (error) {
      if (!(await this.isBegun(pid).catch(() => true))) throw error;
      log(`${pid} is not archived yet, retrying: ${messageOf(error)}`);
      await this.countFailures(pid, messageOf(error));
      clock.after(retryMs * 2 ** Math.min(attempt, RETRY_DOUBLINGS_MAX), () => {
        // Logged and counted there.
        this.rollForward(pid, attempt + 1).catch(() => {});
      });
      throw error;
    }
  }

  /** Stores the number of failures for gsv doctor; null after a success. */
  private async countFailures(pid: string, error: string | null): Promise<void> {
    const { kernel, clock, log } = this.ports;
    const before = this.failures.get(pid);
    if (error === null && before === undefined) return;
    if (error === null) this.failures.delete(pid);
    else this.failures.set(pid, (before ?? 0) + 1);
    const value = error === null ? null : JSON.stringify({ failed: this.failures.get(pid), error });
    await kernel.config
      .change([{ key: closingFailuresKey(pid), value }], { uid: ROOT_UID, now: clock.now() })
      .catch((fault: unknown) => log(`the failures of ${pid} are not counted: ${messageOf(fault)}`));
  }

  private async isBegun(pid: string): Promise<boolean> {
    const row = await this.ports.kernel.processes.get(pid);
    return row !== null && (row.phase === "killing" || (await this.ports.store.head(pid)).closing !== null);
  }

  private async doReset(row: ProcessRow, request: CloseRequest): Promise<Closed> {
    const { store, ledger } = this.ports;
    const known = await store.answered(row.pid, request.requestKey);
    if (known !== null && !("archivedTo" in known)) throw new KeyReused("this request id was used for something else");
    if (known !== null) {
      request.onRepeat?.();
      return known as Closed;
    }
    await this.needProcess(row.pid);
    if (request.archive) await this.ports.extractMemories(row);
    return await ledger.write(row, async () => this.finishReset(row, await this.cut(row, request)));
  }

  private async finishReset(row: ProcessRow, closing: Closing): Promise<Closed> {
    const { kernel, store, objects, ledger, runners, clock } = this.ports;
    const closed = await this.archiveAndCheckpoint(row, closing);
    await restoreInto({ archives: kernel.archives, objects, store }, row.pid, closing);
    await forgetMedia(objects, row, closing.media);
    for (let more = true; more; await new Promise((resolve) => setImmediate(resolve)))
      more = await store.clearClosed(row.pid);
    await store.seal(row.pid, { answer: closed, now: clock.now() });
    await ledger.publish(row);
    ledger.emit(row, { name: "process.reset", archive: closed.archivedTo });
    runners.wake(row.pid);
    return closed;
  }

  private async doKill(row: ProcessRow, request: CloseRequest): Promise<Closed> {
    const { kernel, store, ledger, clock } = this.ports;
    const known = await kernel.requests.answered(request.uid, request.requestKey, row.pid);
    if (known?.sameBody) return known.answer as Closed;
    await this.needProcess(row.pid);
    // A crash between the last two steps leaves only the registry row.
    const exists = await store.exists(row.pid);
    if (exists) await ledger.open(row);
    // Nobody finds the process from here on.
    const { onRepeat: _, ...stored } = request;
    await kernel.processes.tombstone(row.pid, stored);
    const closed = exists
      ? await this.archiveAndCheckpoint(row, await this.cut(row, request))
      : closedAs(row.pid, await kernel.archives.get(request.archiveId));
    await forgetMedia(this.ports.objects, row);
    await ledger.tellParent(row.pid, { runId: null, text: "killed" }, "kill");
    await store.remove(row.pid);
    const { uid, requestKey: requestId } = request;
    const now = clock.now();
    await kernel.processes.remove(row.pid, { uid, requestId, answer: closed, now });
    await forgetOwn(kernel, row.pid, { uid, now });
    ledger.forget(row.pid);
    ledger.emit(row, { name: "process.exit", archive: closed.archivedTo });
    ledger.gone(row.pid);
    return closed;
  }

  private async cut(row: ProcessRow, request: CloseRequest): Promise<Closing> {
    const { store, ledger, runners, clock } = this.ports;
    const { uid: _, ...wish } = request;
    const cut = await store.cut(row.pid, { ...wish, now: clock.now() });
    if (!cut.ok) throw new SysError("EAGAIN", `${row.pid} is being reset or killed by another request`);
    runners.interrupt(row.pid);
    await ledger.publish(row, endSignals(cut.value.ends));
    await runners.quiet(row.pid, EFFECTS_END_MS);
    return cut.value.closing;
  }

  private async archiveAndCheckpoint(row: ProcessRow, closing: Closing): Promise<Closed> {
    const generation = await nextGeneration(this.ports, row, closing);
    const closed = await this.archived(row, closing);
    if (generation !== null) await copyToGeneration(this.ports, row, { generation, closed });
    const checkpoint = await this.ports.checkpoint(row, {
      reason: closing.reason,
      archivedTo: closed.archivedTo,
      messages: closed.archivedMessages,
      records: this.pages(row.pid, { messages: 0, undelivered: 0 }),
    });
    return checkpoint === null ? closed : { ...closed, checkpoint };
  }

  private async archived(row: ProcessRow, closing: Closing): Promise<Closed> {
    const { store, kernel, objects, clock } = this.ports;
    const { pid, ownerUid } = row;
    // After a crash, a part of what was archived may be deleted already.
    const stored = await kernel.archives.get(closing.archiveId);
    if (stored !== null) return closedAs(pid, stored);
    const first = await store.closingRecords(pid, null, 1);
    if (!closing.archive || (first.records.length === 0 && (await this.hasNoRecords(pid, first.next)))) {
      const { damagedIn } = await store.head(pid);
      return { ...closedAs(pid, null), ...(damagedIn === null ? {} : { damagedIn }) };
    }
    const owner = await kernel.accounts.byUid(ownerUid);
    if (owner === null) throw new Error(`${pid} has no owner`);
    const { archiveId: id, reason } = closing;
    const key = archiveKey(owner.username, pid, id);
    const counts = { messages: 0, undelivered: 0 };
    const packed = pack(this.pages(pid, counts));
    const now = clock.now();
    const about = { mode: 0o600, type: "application/gzip", dirmarker: false, symlink: null };
    const put = await objects.put({ key, uid: owner.uid, gid: owner.gid, mtimeMs: now, ...about }, packed.bytes);
    const { sha256, size: bytes } = put;
    const lines = packed.lines();
    const fault = await faultOf(objects, { key, sha256, lines });
    if (fault !== null)
      throw new SysError("EIO", `the archive of ${pid} could not be verified (${fault}); its history is kept`);
    const archive = { id, pid, ownerUid, key, reason, ...counts, lines, bytes, sha256, createdAt: now };
    await kernel.archives.add(archive);
    return closedAs(pid, archive);
  }

  /** Another kill may have finished while this one waited. */
  private async needProcess(pid: string): Promise<void> {
    if ((await this.ports.kernel.processes.get(pid)) === null) throw noSuchProcess(pid);
  }

  private async hasNoRecords(pid: string, next: string | null): Promise<boolean> {
    if (next === null) return true;
    return (await this.ports.store.closingRecords(pid, next, 1)).records.length === 0;
  }

  private async *pages(pid: string, counts: { messages: number; undelivered: number }) {
    for (let after: string | null = null; ; ) {
      const page = await this.ports.store.closingRecords(pid, after, PAGE_ROWS);
      counts.messages += page.messages;
      counts.undelivered += page.undelivered;
      yield page.records;
      if (page.next === null) return;
      after = page.next;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  // A second request waits for the first and then finds its answer or its cut.
  private oneAtATime<T>(pid: string, work: () => Promise<T>): Promise<T> {
    const result = (this.chains.get(pid) ?? Promise.resolve()).then(work);
    const link = result
      .catch(() => undefined)
      .finally(() => {
        if (this.chains.get(pid) === link) this.chains.delete(pid);
      });
    this.chains.set(pid, link);
    return result;
  }
}

export function closedAs(
  pid: string,
  archive: Pick<ArchiveRow, "id" | "key" | "messages" | "undelivered"> | null,
): Closed {
  if (archive === null) return { pid, archivedMessages: 0, archiveId: null, archivedTo: null, undelivered: 0 };
  const { id: archiveId, key, messages: archivedMessages, undelivered } = archive;
  return { pid, archivedMessages, archiveId, archivedTo: `/${key}`, undelivered };
}
