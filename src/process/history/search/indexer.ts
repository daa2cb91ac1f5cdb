// Updates the search index: reads new messages of live histories and archives, page by page in short steps, and removes deleted ones. Only
// searches wait for it.

import { LIMITS } from "../../../abi/config/limits.ts";
import { WORKING_STATES } from "../../../abi/process/process.ts";
import { type Clock, TimeSlice } from "../../../lib/clock.ts";
import { Serial } from "../../../lib/serial.ts";
import type { ObjectStore } from "../../../objects/objects.ts";
import type { HistoryIndex, IndexedText, Mark } from "../../../store/history-index.ts";
import type { ListCursor } from "../../../store/kernel/db.ts";
import type { ArchiveRow } from "../../../store/kernel/processes/archives.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../../store/process/verbs.ts";
import { archiveLines } from "../archive.ts";
import { recordOf, textOf } from "./search-text.ts";

export interface IndexerPorts {
  readonly index: HistoryIndex;
  readonly kernel: Pick<KernelStore, "processes" | "archives">;
  readonly store: Pick<ProcessStore, "history">;
  readonly objects: Pick<ObjectStore, "read">;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

export interface Patience {
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** A page is one transaction, during which nothing else runs. */
const PAGE = { limit: 50, bytesMax: 128 * 1024 };

export class Indexer {
  private readonly serial = new Serial();

  constructor(private readonly ports: IndexerPorts) {}

  /** null: all owners. Returns the number of histories that are not up to date when time is up. */
  bringUp(ownerUid: number | null, patience: Patience): Promise<number> {
    return this.serial.run(() => this.work(ownerUid, patience));
  }

  /** Removes histories without a process or archive. Does nothing if there is no index yet. */
  forgetGone(): Promise<void> {
    return this.serial.run(async () => {
      const { index, kernel } = this.ports;
      if (!index.exists()) return;
      for (const pid of index.marks("process").keys())
        if ((await kernel.processes.get(pid)) === null) await index.forgetLive(pid, null);
      for (const id of index.marks("archive").keys())
        if ((await kernel.archives.get(id)) === null) await index.forgetArchive(id);
    });
  }

  private async work(ownerUid: number | null, { ms, signal }: Patience): Promise<number> {
    const { index, clock, log } = this.ports;
    const until = clock.mono() + ms;
    const isOver = () => signal.aborted || clock.mono() > until;
    const owner = ownerUid === null ? {} : { ownerUid };
    let left = 0;
    const marks = { process: index.marks("process"), archive: index.marks("archive") };
    for await (const archive of this.archives(owner)) {
      if ((marks.archive.get(archive.id)?.asOf ?? NEVER_DONE) !== NEVER_DONE) continue;
      if (isOver()) left++;
      else
        await this.archive(archive).catch((error: unknown) => {
          // Index a damaged archive as empty, so that it is not read again at each search. fsck reports it.
          log(`archive ${archive.id} is not searchable: ${error instanceof Error ? error.message : String(error)}`);
          const { id: archiveId, pid, ownerUid: owner } = archive;
          index.add({ pid, ownerUid: owner, archiveId, texts: [], through: 0, asOf: clock.now() });
        });
    }
    const slice = new TimeSlice();
    for await (const row of this.processes(owner)) {
      const mark = marks.process.get(row.pid);
      if (!isNew(row, mark)) continue;
      await slice.step();
      if (isOver()) left++;
      else if ((await this.ports.kernel.processes.get(row.pid)) !== null) await this.process(row, mark);
    }
    return left;
  }

  private archives(owner: Owner): AsyncGenerator<ArchiveRow> {
    const { archives } = this.ports.kernel;
    return paged(
      (page) => archives.list({ ...owner, ...page }),
      ({ createdAt, id }) => ({ createdAt, id }),
    );
  }

  private processes(owner: Owner): AsyncGenerator<ProcessRow> {
    const { processes } = this.ports.kernel;
    return paged(
      (page) => processes.list({ ...owner, ...page }),
      ({ createdAt, pid }) => ({ createdAt, id: pid }),
    );
  }

  private async archive(row: ArchiveRow): Promise<void> {
    const { index, objects } = this.ports;
    const source = { pid: row.pid, ownerUid: row.ownerUid, archiveId: row.id };
    let texts: IndexedText[] = [];
    let chars = 0;
    for await (const line of archiveLines(objects, row.key)) {
      const record = recordOf(line);
      if (record !== null) texts.push(record);
      chars += record?.text.length ?? 0;
      if (texts.length < PAGE.limit && chars < PAGE.bytesMax) continue;
      // If interrupted here, the archive is read again from its beginning.
      index.add({ ...source, texts, through: 0, asOf: NEVER_DONE });
      [texts, chars] = [[], 0];
      await breath();
    }
    index.add({ ...source, texts, through: row.lines, asOf: row.createdAt });
  }

  private async process(row: ProcessRow, mark: Mark | undefined): Promise<void> {
    const { index, store } = this.ports;
    const asOf = WORKING_STATES.includes(row.state) ? NEVER_DONE : (row.lastActiveAt ?? 0);
    const [first] = (await store.history(row.pid, { limit: 1, afterSeq: 0 })).messages;
    await index.forgetLive(row.pid, first?.id ?? Number.MAX_SAFE_INTEGER);
    for (let through = mark?.through ?? 0; ; ) {
      const { messages, hasMoreAfter } = await store.history(row.pid, { ...PAGE, afterSeq: through });
      const texts = messages.flatMap((message) => {
        const text = textOf(message);
        return text === null ? [] : [{ seq: message.id, role: message.role, at: message.timestamp, text }];
      });
      through = messages.at(-1)?.id ?? through;
      const isLast = !hasMoreAfter || messages.length === 0;
      const { pid, ownerUid } = row;
      index.add({ pid, ownerUid, archiveId: null, texts, through, asOf: isLast ? asOf : NEVER_DONE });
      if (isLast) return;
      await breath();
    }
  }
}

type Owner = { readonly ownerUid?: number };

async function* paged<Row>(
  list: (page: { readonly after?: ListCursor; readonly limit: number }) => Promise<readonly Row[]>,
  placeOf: (row: Row) => ListCursor,
): AsyncGenerator<Row> {
  const limit = LIMITS.listPageMax;
  for (let after: ListCursor | undefined; ; ) {
    const rows = await list({ ...(after && { after }), limit });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = placeOf(last);
  }
}

/** Busy or partly read: check again. */
const NEVER_DONE = -1;

function isNew({ state, lastActiveAt }: ProcessRow, mark: Mark | undefined): boolean {
  return mark === undefined || WORKING_STATES.includes(state) || mark.asOf < (lastActiveAt ?? 0);
}

function breath(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
