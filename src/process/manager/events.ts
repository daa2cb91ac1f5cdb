// Events of the process manager, in its own vocabulary, and their translation from signals. Pure. Order and cleanup are the manager's.

import { messageOf, SysError } from "../../abi/errno.ts";
import type { Signal } from "../../abi/signal.ts";

interface Common {
  readonly session_id?: string;
  readonly subtype?: string;
  readonly total_cost_usd?: number;
  readonly num_turns?: number;
  readonly duration_ms?: number;
}

interface Failed {
  readonly message: string;
  readonly type: string;
}

export type ClaudeStreamEvent = Common &
  (
    | { readonly type: "content_block_start"; readonly content_block: Block }
    | { readonly type: "content_block_delta"; readonly delta: { readonly type: string; readonly text: string } }
    | { readonly type: "assistant"; readonly message: { readonly role: "assistant"; readonly content: string } }
    | { readonly type: "thinking"; readonly thinking: boolean }
    | { readonly type: "result"; readonly total_cost_usd: number; readonly result: string | null }
    | { readonly type: "error"; readonly error: Failed }
    | { readonly type: "tool_status" | "queue_status"; readonly statusMessage: string }
    | { readonly type: "system"; readonly statusMessage: string }
    | ({ readonly type: "approval_request" } & ApprovalWire)
    | { readonly type: "session_started" | "session_stopped" }
    | { readonly type: "session_exited"; readonly result: "exited" }
  );

interface Block {
  readonly type: "tool_use";
  readonly name: string;
  readonly input: object;
}

/** Without the tool's arguments; the description shows what matters. */
export interface ApprovalWire {
  readonly id: string;
  readonly sessionId: string;
  readonly toolName: string;
  readonly description: string;
  readonly createdAt: number;
  readonly timeoutMs: number | null;
}

export type EventCallback = (sessionId: string, event: ClaudeStreamEvent) => void;

/** Events within a run. Start, end and pauses are not included. */
export function eventsOf(signal: Signal): readonly ClaudeStreamEvent[] {
  switch (signal.name) {
    case "chat.delta":
      return [{ type: "content_block_delta", delta: { type: `${signal.kind}_delta`, text: signal.text } }];
    case "chat.text":
      return [{ type: "assistant", message: { role: "assistant", content: signal.text } }];
    case "chat.tool_call":
      return [
        { type: "content_block_start", content_block: { type: "tool_use", name: signal.tool, input: signal.args } },
        { type: "tool_status", statusMessage: `[${signal.tool}] started` },
      ];
    case "chat.tool_result":
      return [{ type: "tool_status", statusMessage: `[${signal.tool}] ${signal.ok ? "done" : "failed"}` }];
    case "chat.restart":
      return [systemEvent("retry", signal.reason)];
    case "process.timeout_warning":
      return [
        systemEvent(
          "timeout_warning",
          `stopped at ${new Date(signal.endsAt).toISOString()} if nothing happens until then`,
        ),
      ];
    case "process.credits":
      return signal.isExhausted
        ? [errorEvent("credits_exhausted", signal.text)]
        : [systemEvent("low_credits", signal.text)];
    case "process.budget":
      return [systemEvent("budget", signal.text)];
    default:
      return [];
  }
}

export function resultOf(signal: Extract<Signal, { readonly name: "chat.complete" }>): ClaudeStreamEvent {
  const { status, text, usage } = signal;
  return { type: "result", subtype: status === "ok" ? "success" : status, result: text, total_cost_usd: usage.costUsd };
}

function systemEvent(subtype: string, statusMessage: string): ClaudeStreamEvent {
  return { type: "system", subtype, statusMessage };
}

export function errorEvent(type: string, message: string): ClaudeStreamEvent {
  return { type: "error", error: { type, message } };
}

export function startFailure(error: unknown): ClaudeStreamEvent {
  const isAbsent = error instanceof SysError && error.message.startsWith("no such project");
  return errorEvent(isAbsent ? "not_found" : "spawn_error", messageOf(error));
}
