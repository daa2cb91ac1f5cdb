// Has a model write a summary, once, within a time limit. Never throws: without a summary the history is still shortened, with a notice
// that gives the reason.

import { charged } from "../../../abi/process/money.ts";
import { NO_USAGE, type Usage } from "../../../abi/process/process.ts";
import type { ModelRequest } from "../../../abi/stream.ts";
import type { Model } from "../../../kernel/models/model.ts";
import type { Clock } from "../../../lib/clock.ts";
import { abortAfter } from "../../../lib/wait.ts";
import { summaryFrom, summaryRequest, summarySystem, type Written } from "../../../prompts/compaction.ts";
import { modelTurn } from "../../run/model-turn.ts";

export interface Task {
  readonly models: readonly Model[];
  readonly about: ModelRequest["about"];
  readonly earlier: string | null;
  readonly transcript: string;
  readonly bytesMax: number;
  readonly remember: boolean;
  readonly signal: AbortSignal;
}

export type Writing =
  | {
      readonly kind: "written";
      readonly model: string;
      readonly usage: Usage;
      readonly priced: boolean;
      readonly written: Written;
    }
  | {
      readonly kind: "failed";
      readonly why: string;
      readonly model: string;
      readonly usage: Usage;
      readonly priced: boolean;
    }
  | { readonly kind: "aborted" };

const PATIENCE_MS = 120_000;
const BYTES_PER_WORD = 8;

export function requestFor(task: Omit<Task, "models" | "signal">, model: string): ModelRequest {
  const { about, earlier, transcript, bytesMax, remember } = task;
  const words = Math.max(100, Math.floor(bytesMax / BYTES_PER_WORD / 100) * 100);
  return {
    model,
    system: summarySystem({ words, remember }),
    messages: [{ id: 1, runId: null, timestamp: 0, role: "user", content: summaryRequest(earlier, transcript) }],
    tools: [],
    about,
    purpose: "summary",
  };
}

/** Asks the first model, then its first fallback. */
export async function writeSummary(task: Task, clock: Clock): Promise<Writing> {
  let failed: Writing = {
    kind: "failed",
    why: "no model configured",
    model: "none",
    usage: NO_USAGE,
    priced: true,
  };
  for (const { provider, model, name, missing, rate } of task.models.slice(0, 2)) {
    if (missing !== null) {
      failed = { kind: "failed", why: missing, model: name, usage: NO_USAGE, priced: true };
      continue;
    }
    const request = requestFor(task, model);
    const answer = await abortAfter(clock, PATIENCE_MS, (late) =>
      modelTurn({ provider, request, signal: AbortSignal.any([task.signal, late]), clock, onDelta: null }),
    );
    if (task.signal.aborted) return { kind: "aborted" };
    const cost = charged(rate, answer.usage ?? NO_USAGE);
    if (answer.kind === "turn") {
      const written = summaryFrom(answer.text, task.bytesMax);
      if (written !== null) return { kind: "written", model: name, ...cost, written };
    }
    const why =
      answer.kind === "failure"
        ? answer.failure.message
        : answer.kind === "aborted"
          ? `${name} took longer than ${PATIENCE_MS / 1000} s`
          : `${name} wrote no summary`;
    failed = { kind: "failed", why, model: name, ...cost };
  }
  return failed;
}
