// Shows and undoes the file changes of a process, for people only. Refuses to undo the work of others. An undo is stored whole before its first
// file is touched; after a crash it is completed.

import { LIMITS } from "../../abi/config/limits.ts";
import { messageOf, SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import type { ChangedFile, FileState, ShownDiff, Undone } from "../../abi/process/undo.ts";
import type { Callers } from "../../kernel/accounts/accounts.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import { Serial } from "../../lib/serial.ts";
import { EMPTY_TREE } from "../../repos/browse.ts";
import { contentsOf, differenceOf, type Step, statesIn, stepsBetween } from "../../repos/file-steps.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { Change, Undo, UndoneFile } from "../../store/process/files/changes.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { RewindRequest, Undoing, UndoRequest } from "../../syscalls/repo/undo.ts";
import { needLegalCut, rewindNote } from "../history/rewind.ts";
import type { LedgerPorts } from "../life/ledger.ts";
import { keyOf } from "../run/request.ts";
import type { ChangePlace, ChangePlaces } from "./change-places.ts";
import type { Changes } from "./changes.ts";
import { restoreFile } from "./restore-file.ts";
import {
  conflictsOf,
  inOrder,
  inTheWay,
  nothingToUndo,
  notKeptOf,
  SHOWN_MAX,
  same,
  type Touched,
  touchedBy,
} from "./undo-plan.ts";

export interface UndoPorts extends LedgerPorts {
  readonly kernel: KernelStore;
  readonly places: ChangePlaces;
  readonly changes: Changes;
  readonly callers: Callers;
  readonly log: (line: string) => void;
}

interface InPlace {
  readonly place: ChangePlace;
  readonly changes: readonly Change[];
  readonly touched: readonly Touched[];
}

const DIFF_BYTES_MAX = 512 * 1024;

export class UndoService implements Undoing {
  /** One undo at a time: each compares files that another could be changing. */
  private readonly serial = new Serial();

  constructor(private readonly ports: UndoPorts) {}

  async diff(caller: Caller, { pid, run, turn }: Parameters<Undoing["diff"]>[1]): Promise<ShownDiff> {
    const row = await this.opened(caller, pid);
    const all = await this.notUndone(row);
    const runId = run ?? all.at(-1)?.runId ?? null;
    const meant = all.filter((change) => change.runId === runId && (turn === undefined || change.turn === turn));
    const found = await this.inPlaces(row, meant);
    const files: ChangedFile[] = [];
    let [text, truncated] = ["", false];
    for (const { place, changes, touched } of found) {
      const shown = await differenceIn(place, changes, touched, DIFF_BYTES_MAX - text.length);
      files.push(...shown.files);
      text += found.length > 1 ? `# ${place.shown}\n${shown.text}` : shown.text;
      truncated ||= shown.truncated;
    }
    return { pid, runId, files, text, truncated, notKept: notKeptOf(meant) };
  }

  undo(context: CallContext, request: UndoRequest): Promise<Undone> {
    return this.alone(context, request.pid, (row) =>
      request.redo ? this.redo(row, context, request) : this.undoLast(row, context, request),
    );
  }

  rewind(context: CallContext, request: RewindRequest): Promise<Undone> {
    const { pid, message, what, force } = request;
    return this.alone(context, pid, async (row) => {
      if (what !== "files") await needLegalCut(this.ports.store, pid, message);
      const meant = (await this.notUndone(row)).filter(({ seq }) => seq > message);
      const found = what === "history" ? [] : await this.inPlaces(row, meant);
      const files = await this.planned(found, force, (touched) => touched);
      if (files.length === 0 && what === "files") throw nothingToUndo(row.pid, meant);
      const changes = what === "history" ? [] : meant.map(({ id }) => id);
      const rewind = what === "files" ? null : message;
      return await this.begin(row, context, { changes, files, redoOf: null, rewind });
    });
  }

  /** Completes undos that a kernel crash interrupted. */
  async settle(row: ProcessRow): Promise<void> {
    for (const undo of await this.ports.store.undos(row.pid)) if (!undo.done) await this.carryOut(row, undo, true);
    await this.ports.changes.settle(row);
  }

  private alone(context: CallContext, pid: string, work: (row: ProcessRow) => Promise<Undone>): Promise<Undone> {
    return this.serial.run(async () => {
      const row = await this.opened(context.caller, pid);
      // A retry of a finished request.
      const known = (await this.ports.store.undos(row.pid)).find(({ requestKey }) => requestKey === keyOf(context));
      if (known !== undefined) return this.resultOf(row, known);
      const { activeRunId } = await this.ports.store.projection(row.pid);
      if (activeRunId !== null)
        throw new SysError("EBUSY", `cannot undo: ${row.pid} is running`, [
          `wait for it: gsv wait ${row.pid}   or abort it: gsv proc abort ${row.pid}`,
        ]);
      return await this.ports.ledger.write(row, () => work(row));
    });
  }

  private async opened(caller: Caller, pid: string): Promise<ProcessRow> {
    const row = await visibleProcess(this.ports.kernel, caller, pid);
    await this.ports.ledger.open(row);
    if (!(await this.ports.places.hasGit()))
      throw new SysError("ENOSYS", "cannot undo: git is not installed", [
        "install git: apt install git, brew install git",
      ]);
    await this.settle(row);
    return row;
  }

  private async notUndone({ pid }: ProcessRow): Promise<readonly Change[]> {
    const all = await this.ports.store.changes(pid, { open: false });
    return all.filter(({ undoneBy }) => undoneBy === null);
  }

  private async undoLast(row: ProcessRow, context: CallContext, { run, force }: UndoRequest): Promise<Undone> {
    const all = await this.notUndone(row);
    for (const meant of candidates(all, run)) {
      const found = await this.inPlaces(row, meant);
      const files = await this.planned(found, force, (touched) => touched);
      if (files.length === 0) continue;
      const changes = meant.map(({ id }) => id);
      return await this.begin(row, context, { changes, files, redoOf: null, rewind: null });
    }
    const isDone = all.length === 0 && (await this.ports.store.changes(row.pid, "all")).length > 0;
    if (isDone) throw new SysError("ENOENT", `nothing left to undo in ${row.pid}`);
    throw nothingToUndo(row.pid, all);
  }

  private async redo(row: ProcessRow, context: CallContext, { force }: UndoRequest): Promise<Undone> {
    const last = (await this.ports.store.undos(row.pid)).find(
      ({ done, redone, redoOf }) => done && !redone && redoOf === null,
    );
    if (last === undefined) throw new SysError("ENOENT", `nothing to redo in ${row.pid}`);
    const found = await this.placedFiles(row, last.files);
    const files = await this.planned(found, force, ({ before, after, ...rest }) => ({
      ...rest,
      before: after,
      after: before,
    }));
    const { id: redoOf, changes } = last;
    return await this.begin(row, context, { changes, files, redoOf, rewind: null });
  }

  private async placedFiles(row: ProcessRow, files: readonly UndoneFile[]): Promise<InPlace[]> {
    const keys = [...new Set(files.map(({ place }) => place))];
    return Promise.all(
      keys.map(async (key) => {
        const inIt = files.filter(({ place }) => place === key);
        const touched = inIt.map(({ path, from, to }) => ({ path, before: to, after: from, mixed: null }));
        return { place: await this.ports.places.named(row, key), changes: [], touched };
      }),
    );
  }

  private async inPlaces(row: ProcessRow, changes: readonly Change[]): Promise<InPlace[]> {
    const found: InPlace[] = [];
    for (const key of new Set(changes.map(({ place }) => place))) {
      const place = await this.ports.places.named(row, key);
      const inIt = await this.kept(
        place,
        changes.filter((change) => change.place === key),
      );
      const steps: Step[] = [];
      for (const { before, after, path } of inIt) {
        if (after === null || after === before) continue;
        const all = await stepsBetween(place.repository, { before, after });
        steps.push(...all.filter((step) => path === null || step.path === path));
      }
      found.push({ place, changes: inIt, touched: touchedBy(row.pid, steps) });
    }
    return found.filter(({ touched }) => touched.length > 0);
  }

  /** Changes with stored versions: old versions expire, backups hold none, and a directory may be gone. */
  private async kept(place: ChangePlace, changes: readonly Change[]): Promise<readonly Change[]> {
    const known = changes.filter(({ after }) => after !== null);
    if (await place.holds(known.flatMap(({ before, after }) => [before, after]))) return known;
    const kept: Change[] = [];
    for (const change of known) if (await place.holds([change.before, change.after])) kept.push(change);
    return kept;
  }

  private async planned(
    found: readonly InPlace[],
    force: boolean,
    turned: (touched: Touched) => Touched,
  ): Promise<UndoneFile[]> {
    const files: UndoneFile[] = [];
    const faults: string[] = [];
    for (const { place, touched } of found) {
      const paths = touched.map(({ path }) => path);
      const { commit } = await place.mark(paths, []);
      const now = await statesIn(place.repository, commit, paths);
      const { conflicts, open } = conflictsOf(touched.map(turned), now);
      faults.push(...conflicts.map(({ path, why }) => `${place.shown}/${path}: ${why}`));
      for (const { path, before: to } of open) files.push({ place: place.key, path, from: now.get(path) ?? null, to });
    }
    if (faults.length > 0 && !force) throw inTheWay(faults);
    if (files.length > LIMITS.undoFilesPerUndoMax)
      throw new SysError(
        "EFBIG",
        `cannot undo ${files.length} files at once: the limit is ${LIMITS.undoFilesPerUndoMax}`,
        ["undo one run at a time: --run RUN"],
      );
    return files;
  }

  private async begin(
    row: ProcessRow,
    context: CallContext,
    plan: Pick<Undo, "changes" | "files" | "redoOf" | "rewind">,
  ): Promise<Undone> {
    const { store, clock } = this.ports;
    const begun = { at: clock.now(), by: context.caller.username, requestKey: keyOf(context), ...plan };
    const undo = { ...begun, id: await store.beginUndo(row.pid, begun), done: false, redone: false };
    await this.carryOut(row, undo, false);
    return await this.resultOf(row, undo);
  }

  private async resultOf(row: ProcessRow, { files, changes, rewind, redoOf }: Undo): Promise<Undone> {
    const shown: ChangedFile[] = [];
    for (const { place: key, path, from, to } of files) {
      const place = await this.ports.places.named(row, key);
      const what = to === null ? "removed" : from === null ? "added" : "changed";
      shown.push({ path: `${place.shown}/${path}`, what, added: null, removed: null });
    }
    const meant = (await this.ports.store.changes(row.pid, "all")).filter(({ id }) => changes.includes(id));
    const isRedo = redoOf !== null;
    return {
      pid: row.pid,
      runs: isRedo ? [] : [...new Set(meant.map(({ runId }) => runId))],
      files: shown,
      rewound: rewind,
      notKept: isRedo ? [] : notKeptOf(meant),
      redo: isRedo ? null : `gsv undo ${row.pid} --redo`,
    };
  }

  /** `again`: after a crash, skips files that changed since. */
  private async carryOut(row: ProcessRow, undo: Undo, again: boolean): Promise<void> {
    const { places, callers, kernel, store, log } = this.ports;
    const owner = await kernel.accounts.byUid(row.ownerUid);
    const caller = await callers.person(row.ownerUid, owner?.home ?? "/");
    const faults: string[] = [];
    for (const key of new Set(undo.files.map(({ place }) => place))) {
      const place = await places.named(row, key);
      const inIt = inOrder(undo.files.filter((file) => file.place === key));
      const paths = inIt.map(({ path }) => path);
      const now = again ? await statesIn(place.repository, (await place.mark(paths, [])).commit, paths) : null;
      const meant = inIt.filter(
        ({ path, from, to }) => now === null || [from, to].some((each) => same(now.get(path) ?? null, each)),
      );
      faults.push(...(await restored(place, caller, meant)));
      await place.mark(paths, []);
    }
    await this.turnHistory(row, undo);
    await store.endUndo(row.pid, undo.id);
    if (faults.length === 0) return;
    log(`an undo of ${row.pid} is incomplete: ${faults.join("; ")}`);
    if (!again)
      throw new SysError(
        "EIO",
        `cannot restore ${faults.length} of ${undo.files.length} files`,
        faults.slice(0, SHOWN_MAX),
      );
  }

  /** Safe to repeat after a crash. */
  private async turnHistory({ pid }: ProcessRow, undo: Undo): Promise<void> {
    const { store, clock } = this.ports;
    const now = clock.now();
    if (undo.redoOf !== null) return void (await store.undoRewind(pid, { undo: undo.redoOf, now }));
    if (undo.rewind === null) return;
    const note = rewindNote({ by: undo.by, through: undo.rewind, files: undo.files.length });
    const done = await store.rewind(pid, { undo: undo.id, through: undo.rewind, note, now });
    if (done.ok && done.value === null) this.ports.log(`${pid} was not rewound: it has newer messages`);
  }
}

async function restored(place: ChangePlace, caller: Caller, files: readonly UndoneFile[]): Promise<string[]> {
  const faults: string[] = [];
  const restore = (path: string, to: FileState, bytes: Uint8Array) =>
    restoreFile(place, caller, { path, to, bytes }).catch((error: unknown) => {
      faults.push(`${place.shown}/${path}: ${messageOf(error)}`);
    });
  for (const { path, to } of files) if (to === null) await restore(path, to, new Uint8Array());
  const wanted = files.filter(({ to }) => to !== null);
  const oids = [...new Set(wanted.map(({ to }) => to?.oid ?? ""))];
  for await (const contents of contentsOf(place.repository, oids))
    for (const { path, to } of wanted) {
      const bytes = contents.get(to?.oid ?? "");
      if (bytes !== undefined) await restore(path, to, bytes);
    }
  return faults;
}

/** Sets of changes to try: those of the given run, else run by run from the newest. */
function candidates(all: readonly Change[], run: string | undefined): (readonly Change[])[] {
  if (run !== undefined) return [all.filter(({ runId }) => runId === run)];
  const runs = [...new Set(all.map(({ runId }) => runId).reverse())];
  return runs.map((runId) => all.filter((change) => change.runId === runId));
}

async function differenceIn(
  place: ChangePlace,
  changes: readonly Change[],
  touched: readonly Touched[],
  bytesMax: number,
) {
  const first = changes.find(({ after, before }) => after !== before);
  const last = changes.findLast(({ after, before }) => after !== before);
  const paths = touched.map(({ path }) => path);
  const range = { from: first?.before ?? EMPTY_TREE, to: last?.after ?? EMPTY_TREE };
  const { counts, text, truncated } = await differenceOf(place.repository, { ...range, paths, bytesMax });
  const files = touched.map(({ path, before, after }): ChangedFile => {
    const what = after === null ? "removed" : before === null ? "added" : "changed";
    return { path: `${place.shown}/${path}`, what, ...(counts.get(path) ?? { added: null, removed: null }) };
  });
  return { files, text, truncated };
}
