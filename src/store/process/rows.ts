// Conversion between rows and values. Only this file knows the columns.

import type { MediaRef, Message, Origin, Seal, ToolCall, ToolOutcome } from "../../abi/process/message.ts";
import { type Approval, NO_USAGE, type RunEnd, type RunStatus, type Usage } from "../../abi/process/process.ts";
import { type ApprovalColumns, approvalOf } from "../approval.ts";
import type { Db } from "../open.ts";

/** Of calls without a result. */
export const OPEN_CALL = "status IN ('registered', 'asking', 'approved', 'answered', 'dispatched')";

/** answered: the result is known, and waits for the results of earlier calls. */
export type CallStatus = "registered" | "asking" | "approved" | "answered" | "dispatched" | ToolOutcome;

export interface CallRow {
  readonly dispatchId: string;
  readonly callId: string;
  readonly tool: string;
  readonly call: string | null; // the syscall behind the tool; null for a tool nobody knows
  readonly args: { readonly [key: string]: unknown };
  readonly repeat: "read" | "effect" | "resume";
  readonly status: CallStatus;
  readonly block?: string; // the call whose block of code makes it
  readonly isHeld?: true; // its server has asked a person, so it has begun
}

export interface ArchiveRecord {
  readonly [field: string]: unknown;
}

export type MessageRow = {
  readonly id: number;
  readonly conversation_id: string;
  readonly generation: number;
  readonly role: Message["role"];
  readonly content: string;
  readonly tool_calls: string | null;
  readonly tool_call_id: string | null;
  readonly media_json: string | null;
  readonly origin_json: string | null;
  readonly run_id: string | null;
  readonly created_at: number;
};

export type QueueRow = {
  readonly id: number;
  readonly run_id: string | null;
  readonly generation: number;
  readonly kind: "user" | "event";
  readonly wakes: number;
  readonly urgent: number;
  readonly message: string;
  readonly media_json: string | null;
  readonly overrides_json: string | null;
  readonly origin_json: string | null;
  readonly created_at: number;
};

export type HilRow = ApprovalColumns & {
  readonly dispatch_id: string;
  readonly tool_name: string;
  readonly syscall: string;
};

type RunRow = {
  readonly run_id: string;
  readonly status: RunStatus | null;
  readonly reason: string | null;
  readonly text: string | null;
  readonly error: string | null;
  readonly merged_into: string | null;
  readonly usage_json: string | null;
};

type ToolCallRow = {
  readonly dispatch_id: string;
  readonly call_id: string;
  readonly tool: string;
  readonly call: string | null;
  readonly args_json: string;
  readonly repeat: CallRow["repeat"];
  readonly status: CallStatus;
  readonly block: string | null;
  readonly held_json: string | null;
};

interface AssistantExtra {
  readonly thinking?: string;
  readonly seal?: Seal;
  readonly toolCalls?: readonly ToolCall[];
}

interface ResultExtra {
  readonly toolName: string;
  readonly isError: boolean;
  readonly outcome: ToolOutcome;
}

export function messageFromRow(row: MessageRow): Message {
  const origin = row.origin_json === null ? {} : { origin: JSON.parse(row.origin_json) as Origin };
  const base = { id: row.id, runId: row.run_id, timestamp: row.created_at, ...origin };
  if (row.role === "assistant") {
    const extra = JSON.parse(row.tool_calls ?? "{}") as AssistantExtra;
    return { ...base, role: "assistant", content: { text: row.content, ...extra } };
  }
  if (row.role === "toolResult") {
    const extra = JSON.parse(row.tool_calls ?? "{}") as ResultExtra;
    return {
      ...base,
      role: "toolResult",
      content: { ...extra, toolCallId: row.tool_call_id ?? "", output: row.content },
    };
  }
  if (row.role === "system") return { ...base, role: "system", content: row.content };
  const media = row.media_json === null ? {} : { media: JSON.parse(row.media_json) as readonly MediaRef[] };
  return { ...base, role: "user", content: row.content, ...media };
}

/** The caller took the number from the head. */
export function insertMessage(db: Db, generation: number, message: Message): void {
  const { text, extra, callId } = columnsOf(message);
  db.insert("messages", {
    id: message.id,
    generation,
    role: message.role,
    content: text,
    tool_calls: extra,
    tool_call_id: callId,
    media_json: message.role === "user" && message.media !== undefined ? JSON.stringify(message.media) : null,
    origin_json: message.origin === undefined ? null : JSON.stringify(message.origin),
    run_id: message.runId,
    created_at: message.timestamp,
  });
}

function columnsOf(message: Message): { text: string; extra: string | null; callId: string | null } {
  switch (message.role) {
    case "assistant": {
      const { text, ...extra } = message.content;
      return { text, extra: Object.keys(extra).length === 0 ? null : JSON.stringify(extra), callId: null };
    }
    case "toolResult": {
      const { output, toolCallId, ...extra } = message.content;
      return { text: output, extra: JSON.stringify(extra), callId: toolCallId };
    }
    default:
      return { text: message.content, extra: null, callId: null };
  }
}

/** One line of an archive, with the field names of the archive format. */
export function archiveRecord(row: MessageRow): ArchiveRecord {
  const extra = JSON.parse(row.tool_calls ?? "{}") as AssistantExtra & Partial<ResultExtra>;
  const { thinking, toolCalls, ...rest } = extra;
  return {
    id: row.id,
    conversation_id: row.conversation_id,
    generation: row.generation,
    role: row.role,
    content: row.content,
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(row.tool_call_id === null ? {} : { tool_call_id: row.tool_call_id, ...rest }),
    ...(row.media_json === null ? {} : { media: JSON.parse(row.media_json) as readonly MediaRef[] }),
    ...(row.run_id === null ? {} : { run_id: row.run_id }),
    ...(row.origin_json === null ? {} : { origin: JSON.parse(row.origin_json) as Origin }),
    ts: row.created_at,
  };
}

/** A message that never entered history, so it has no number. */
export function undeliveredRecord(row: QueueRow): ArchiveRecord {
  return {
    id: null,
    conversation_id: "default",
    generation: row.generation,
    role: row.kind === "user" ? "user" : "system",
    content: row.message,
    undelivered: true,
    ...(row.run_id === null ? {} : { run_id: row.run_id }),
    ...(row.origin_json === null ? {} : { origin: JSON.parse(row.origin_json) as Origin }),
    ts: row.created_at,
  };
}

/** The open request of the first open call of the run, or of a call by a code block. */
export function blockingRequest(db: Db, pid: string): Approval | null {
  const row = db.get<HilRow>(
    `SELECT h.* FROM pending_hil h JOIN pending_tool_calls c USING (dispatch_id) WHERE h.decision IS NULL
     AND (c.block IS NOT NULL OR NOT EXISTS (SELECT 1 FROM pending_tool_calls e WHERE e.run_id = c.run_id
       AND e.block IS NULL AND (e.turn, e.position) < (c.turn, c.position) AND e.${OPEN_CALL}))
     ORDER BY h.created_at, h.request_id LIMIT 1`,
  );
  return row === null ? null : approvalFromRow(row, pid);
}

export function approvalFromRow(row: HilRow, pid: string): Approval {
  return approvalOf(row, { pid, tool: row.tool_name, call: row.syscall });
}

export function callFromRow(row: ToolCallRow): CallRow {
  return {
    dispatchId: row.dispatch_id,
    callId: row.call_id,
    tool: row.tool,
    call: row.call,
    args: JSON.parse(row.args_json) as CallRow["args"],
    repeat: row.repeat,
    status: row.status,
    ...(row.block === null ? {} : { block: row.block }),
    ...(row.held_json === null ? {} : { isHeld: true as const }),
  };
}

export function runEnd(db: Db, runId: string): RunEnd | "open" | null {
  const row = db.get<RunRow>("SELECT * FROM runs WHERE run_id = ?", runId);
  if (row === null) {
    return db.get("SELECT 1 AS one FROM message_queue WHERE run_id = ?", runId) === null ? null : "open";
  }
  if (row.status === null) return "open";
  return {
    runId: row.run_id,
    status: row.status,
    reason: row.reason ?? "",
    text: row.text,
    error: row.error,
    mergedInto: row.merged_into,
    usage: row.usage_json === null ? NO_USAGE : (JSON.parse(row.usage_json) as Usage),
  };
}

export function runReads(dbOf: (pid: string) => Db) {
  return {
    runEnd: async (pid: string, runId: string) => runEnd(dbOf(pid), runId),
    runBegan: async (pid: string, runId: string) =>
      dbOf(pid).get<{ at: number }>("SELECT started_at AS at FROM runs WHERE run_id = ?", runId)?.at ?? null,
  };
}

interface CallPlace {
  readonly run_id: string;
  readonly generation: number;
  readonly turn: number;
  readonly position: number;
  readonly created_at: number;
  readonly block?: string;
}

export function insertCall(
  db: Db,
  { dispatchId, callId, tool, call, args, repeat }: Omit<CallRow, "status">,
  place: CallPlace,
): void {
  const row = { dispatch_id: dispatchId, call_id: callId, tool, call, args_json: JSON.stringify(args), repeat };
  db.insert("pending_tool_calls", { ...row, status: "registered", ...place });
}
