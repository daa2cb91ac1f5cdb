// How a process is held and let go, over plain lists: one group of the store's verbs.

import type { WaitsFor } from "../../src/abi/process/process.ts";
import type { HoldVerbs } from "../../src/store/process/head.ts";
import type { Outcome } from "../../src/store/process/verbs.ts";
import { plainHead } from "./model-reads.ts";
import type { Step } from "./model-segments.ts";
import { ModelToldStore } from "./model-told.ts";
import { hold } from "./model-verbs.ts";

type Given<V extends keyof HoldVerbs, N extends number> = Parameters<HoldVerbs[V]>[N];

export abstract class ModelHoldingStore extends ModelToldStore implements HoldVerbs {
  protected abstract owned<T>(pid: string, epoch: number, step: Step<T>): Outcome<T>;

  async fail(pid: string): Promise<void> {
    this.verb(pid, (process) => {
      process.epoch++;
      process.broken = true;
      process.active = null;
      return null;
    });
  }

  async hold(pid: string, wish: Given<"hold", 1>) {
    return this.verb(pid, (process) => {
      hold(process, wish);
      return plainHead(process);
    });
  }

  restart = async (pid: string, epoch: number, { runId, restarts, waitsFor }: Given<"restart", 2>) =>
    this.owned(pid, epoch, (process) => {
      if (process.currentRun !== runId) return "fenced";
      process.restarts = restarts;
      process.pause(waitsFor);
      return null;
    });

  async pause(pid: string, waitsFor: WaitsFor | null, { model }: Given<"pause", 2>) {
    return this.verb(pid, (process) => {
      process.pause(waitsFor, model);
      return plainHead(process);
    });
  }
}
