// A model call as a row of a process's call log: model, time, duration, tokens, outcome. Failed calls are logged too; texts are not. Pure.

import { MODEL_CALL } from "../../abi/stream.ts";
import type { Folded } from "../../providers/fold.ts";
import type { LoggedCall } from "../../store/process/verbs.ts";

export interface AskedModel {
  readonly model: string;
  readonly at: number;
  readonly ms: number;
  readonly answer: Folded;
}

export function modelCall({ model, at, ms, answer }: AskedModel): Omit<LoggedCall, "args"> & { readonly args: object } {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = answer.usage ?? {};
  const all = input + cacheRead + cacheWrite;
  const tokens = all + output === 0 ? {} : { in: all, cached: cacheRead, out: output };
  const outcome = answer.kind === "turn" ? "ok" : answer.kind === "failure" ? answer.failure.class : "aborted";
  return { at, call: MODEL_CALL, args: { model, ...tokens }, outcome, ms: Math.round(ms * 1000) / 1000 };
}

export function lastAsked(rows: readonly Pick<LoggedCall, "call" | "args">[]): string | null {
  const { args = "" } = rows.findLast(({ call }) => call === MODEL_CALL) ?? {};
  const [, name] = /^\{"model":("(?:[^"\\]|\\.)*")/.exec(args) ?? [];
  return name === undefined ? null : (JSON.parse(name) as string);
}
