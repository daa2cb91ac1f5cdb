// What a process is told, as plain lists: a group of the store's verbs.

import type { ToldTurn, ToldVerbs } from "../../src/store/process/told.ts";
import type { ModelProcess } from "./model-process.ts";

export class ModelTold {
  readonly files = new Map<string, string>();
  readonly turns: ToldTurn[] = [];
}

export abstract class ModelToldStore implements ToldVerbs {
  protected abstract get(pid: string): ModelProcess;
  protected abstract unlessFenced(pid: string, step: (process: ModelProcess) => void): void;

  approvedWhy = async (pid: string, dispatchId: string) => this.get(pid).approvedWhy(dispatchId);

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

  async keepPrompt(pid: string, turn: ToldTurn) {
    this.unlessFenced(pid, ({ context }) => context.turns.push(turn));
  }

  async keptPrompt(pid: string, { runId, turn }: { readonly runId?: string; readonly turn?: number }) {
    const { turns } = this.get(pid).context;
    const run = runId ?? turns.at(-1)?.runId;
    return turns.findLast((each) => each.runId === run && (turn === undefined || each.turn === turn)) ?? null;
  }
}
