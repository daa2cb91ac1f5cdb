// The calls of blocks of code, as the plain model keeps them: beside the others, with their results in them.

import type { NestedCall, NestRequest } from "../../src/store/process/nested.ts";
import type { ModelProcess } from "./model-process.ts";

export function nest(process: ModelProcess, { block, position, call }: NestRequest): null | "fenced" {
  const outer = process.openCall(block);
  if (outer?.status !== "dispatched") return "fenced";
  const { runId, generation } = outer;
  process.calls.push({ ...call, runId, generation, status: "registered", block, position });
  return null;
}

export function nestedIn({ calls }: ModelProcess, block: string): NestedCall[] {
  return calls
    .filter((call) => call.block === block)
    .map(({ runId: _, generation: __, position = 0, result = null, ...call }) => ({ position, call, result }));
}
