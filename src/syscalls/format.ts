// How results read as text. Pure, and small enough to come with every declaration.

import type { Message } from "../abi/message.ts";
import type { WaitsFor } from "../abi/process.ts";
import type { Closed, TraceRow } from "./services.ts";

/** 42s, 7m, 3h, 12d: one unit, as `ps` would. */
export function ageText(sinceMs: number, nowMs: number = Date.now()): string {
  const seconds = Math.max(0, Math.floor((nowMs - sinceMs) / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

export function waitsForText(waits: WaitsFor): string {
  return waits.kind === "approval" ? `approval ${waits.id} (${waits.summary})` : waits.reason;
}

export function closedText(verb: "reset" | "killed", closed: Closed): string {
  if (closed.pending) return `${verb === "reset" ? "reset" : "end"} of ${closed.pid} follows this turn`;
  const lost = closed.undelivered > 0 ? `, ${closed.undelivered} undelivered among them` : "";
  if (closed.archivedTo === null) return `${verb} ${closed.pid} (nothing archived)`;
  return `${verb} ${closed.pid} (archived ${closed.archivedMessages} messages${lost} to ${closed.archivedTo})`;
}

export function messageLine(message: Message): string {
  const head = `[${new Date(message.timestamp).toISOString()}] ${message.role}:`;
  switch (message.role) {
    case "assistant": {
      const calls = (message.content.toolCalls ?? []).map((call) => `[tool] ${call.name} ${JSON.stringify(call.args)}`);
      return [message.content.text === "" ? head : `${head} ${message.content.text}`, ...calls].join("\n");
    }
    case "toolResult":
      return `${head} ${message.content.toolName}${message.content.isError ? ` (${message.content.outcome})` : ""}: ${message.content.output}`;
    default:
      return `${head} ${message.content}`;
  }
}

export function traceLine(row: TraceRow): string {
  return `${new Date(row.at).toISOString()} ${row.call}(${row.args}) = ${row.outcome} <${row.ms.toFixed(1)} ms>`;
}
