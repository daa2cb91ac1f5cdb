// Texts, plans and ends of runs in the words of the Agent Client Protocol. Pure.

import type { RunStatus } from "../../../src/abi/process/process.ts";
import type { Json } from "./rpc.ts";

const REASONS: { readonly [S in RunStatus]?: string } = {
  ok: "end_turn",
  aborted: "cancelled",
  limit: "max_turn_requests",
  blocked: "end_turn",
};

/** null if the run failed: then the prompt is answered with an error. */
export function stopReason(status: RunStatus): string | null {
  return REASONS[status] ?? null;
}

export function chunk(sessionUpdate: string, text: string): Json {
  return { sessionUpdate, content: { type: "text", text } };
}

export function planUpdate(steps: readonly string[], status: "pending" | "in_progress" | "completed"): Json {
  return { sessionUpdate: "plan", entries: steps.map((content) => ({ content, priority: "medium", status })) };
}
