// What a process is told and what it changed, as plain lists: two groups of the store's verbs.

import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Change, ChangeVerbs, Undo } from "../../src/store/process/files/changes.ts";
import type { KnownFile, KnownVerbs } from "../../src/store/process/files/known.ts";
import type { Rewind, RewindVerbs } from "../../src/store/process/history/rewinds.ts";
import type { PromptVerbs, StoredPrompt } from "../../src/store/process/prompts.ts";
import type { Timing, TimingVerbs } from "../../src/store/process/timing.ts";
import type { ModelProcess } from "./model-process.ts";
import { ModelSegments } from "./model-segments.ts";

export class ModelTold {
  readonly files = new Map<string, string>();
  readonly turns: StoredPrompt[] = [];
  changes: (Change & { readonly ended: boolean })[] = [];
  undos: Undo[] = [];
  rewinds: Rewind[] = [];
  made = 0;
  timing: Timing | null = null;
  known: (KnownFile & { readonly text: string | null })[] = [];
}

export abstract class ModelToldStore
  extends ModelSegments
  implements PromptVerbs, ChangeVerbs, KnownVerbs, RewindVerbs, TimingVerbs
{
  protected abstract unlessFenced(pid: string, step: (process: ModelProcess) => void): void;

  async contextFiles(pid: string) {
    const files = [...this.get(pid).context.files].map(([name, text]) => ({ name, text }));
    return files.sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  async setContextFile(pid: string, { name, text }: { readonly name: string; readonly text: string | null }) {
    let changed = false;
    this.unlessFenced(pid, ({ context: { files } }) => {
      changed = text !== null || files.has(name);
      if (text === null) files.delete(name);
      else files.set(name, text);
    });
    return changed;
  }

  /** Newest first; the text of one goes when those that are newer leave no room for it. */
  async knowFile(pid: string, file: KnownFile & { readonly text: string | null }) {
    this.unlessFenced(pid, ({ context }) => {
      const others = context.known.filter(({ target, path }) => target !== file.target || path !== file.path);
      const kept = [file, ...others].slice(0, LIMITS.knownFilesMax);
      let bytes = 0;
      context.known = kept.map((each) => {
        bytes += Buffer.byteLength(each.text ?? "");
        return bytes > LIMITS.knownTextsBytesMax ? { ...each, text: null } : each;
      });
    });
  }

  async knownFile(pid: string, { target, path }: Pick<KnownFile, "target" | "path">) {
    return this.get(pid).context.known.find((each) => each.target === target && each.path === path) ?? null;
  }

  async knownFiles(pid: string, { place, limit }: Parameters<KnownVerbs["knownFiles"]>[1]) {
    return this.get(pid)
      .context.known.filter(
        ({ target, path }) => place === undefined || (place.target === target && place.path === path),
      )
      .slice(0, limit)
      .map(({ text: _, ...known }) => known);
  }

  timing = async (pid: string) => this.get(pid).context.timing;

  async keepTiming(pid: string, timing: Timing) {
    this.unlessFenced(pid, ({ context }) => {
      context.timing = timing;
    });
  }

  async keepPrompt(pid: string, turn: StoredPrompt) {
    this.unlessFenced(pid, ({ context }) => context.turns.push(turn));
  }

  async keptPrompt(pid: string, { runId, turn }: { readonly runId?: string; readonly turn?: number }) {
    const { turns } = this.get(pid).context;
    const run = runId ?? turns.at(-1)?.runId;
    return turns.findLast((each) => each.runId === run && (turn === undefined || each.turn === turn)) ?? null;
  }

  async beginChange(pid: string, change: Parameters<ChangeVerbs["beginChange"]>[1]) {
    this.unlessFenced(pid, ({ context, nextSeq: seq, runs }) => {
      const rest = { after: null, leftOut: [], fault: null, undoneBy: null, ended: false };
      context.changes.push({ ...change, ...rest, seq, turn: runs.get(change.runId)?.turn ?? 0, id: ++context.made });
    });
  }

  async endChange(pid: string, id: number, { changed, ...end }: Parameters<ChangeVerbs["endChange"]>[2]) {
    this.unlessFenced(pid, ({ context }) => {
      context.changes = context.changes.flatMap((each) =>
        each.id !== id ? [each] : changed ? [{ ...each, ...end, ended: true }] : [],
      );
    });
  }

  async changes(pid: string, which: Parameters<ChangeVerbs["changes"]>[1]) {
    const meant = (each: Change & { readonly ended: boolean }) => {
      if (which === "all") return true;
      if ("open" in which) return each.ended !== which.open;
      return "runId" in which ? each.runId === which.runId : each.seq > which.sinceSeq;
    };
    return this.get(pid)
      .context.changes.filter(meant)
      .map(({ ended: _, ...each }) => each);
  }

  async beginUndo(pid: string, undo: Parameters<ChangeVerbs["beginUndo"]>[1]) {
    let id = 0;
    this.unlessFenced(pid, ({ context }) => {
      id = ++context.made;
      context.undos.unshift({ ...undo, id, done: false, redone: false });
    });
    return id;
  }

  async endUndo(pid: string, id: number) {
    this.unlessFenced(pid, ({ context }) => {
      const undo = context.undos.find((each) => each.id === id);
      if (undo === undefined) return;
      const undoneBy = undo.redoOf === null ? id : null;
      context.changes = context.changes.map((each) => (undo.changes.includes(each.id) ? { ...each, undoneBy } : each));
      context.undos = context.undos.map((each) => {
        if (each.id === id) return { ...each, done: true };
        return each.id === undo.redoOf ? { ...each, redone: true } : each;
      });
    });
  }

  async undos(pid: string) {
    return this.get(pid).context.undos;
  }

  async rewinds(pid: string) {
    return this.get(pid).context.rewinds;
  }

  async rewind(pid: string, { undo, through, note, now }: Parameters<RewindVerbs["rewind"]>[1]) {
    return this.verb(pid, (process): Rewind | null | "no-process" => {
      if (process.closing !== null) return "no-process";
      const known = process.context.rewinds.find((each) => each.undo === undo);
      if (known !== undefined) return known;
      const toSeq = process.nextSeq - 1;
      if (process.currentRun !== null || through >= toSeq) return null;
      const isOver = (each: { readonly undoneAt: number | null; readonly toSeq: number }) =>
        each.undoneAt === null && each.toSeq > through;
      const segments = process.segments.filter(isOver).map(({ id }) => id);
      process.segments = process.segments.map((each) => (isOver(each) ? { ...each, undoneAt: now } : each));
      const origin = { kind: "kernel" } as const;
      const said = process.enterMessage({ role: "system", content: note, runId: null, timestamp: now, origin });
      const about = { segments, createdAt: now, undoneAt: null };
      const rewind: Rewind = { undo, fromSeq: through + 1, toSeq, noteSeq: said.id, ...about };
      process.context.rewinds.push(rewind);
      return rewind;
    });
  }

  async undoRewind(pid: string, { undo, now }: Parameters<RewindVerbs["undoRewind"]>[1]) {
    return this.verb(pid, (process): null | "no-process" => {
      if (process.closing !== null) return "no-process";
      const known = process.context.rewinds.find((each) => each.undo === undo && each.undoneAt === null);
      if (known === undefined) return null;
      process.segments = process.segments.map((each) =>
        known.segments.includes(each.id) ? { ...each, undoneAt: null } : each,
      );
      process.context.rewinds = process.context.rewinds.map((each) =>
        each.undo === undo ? { ...each, undoneAt: now } : each,
      );
      return null;
    });
  }
}
