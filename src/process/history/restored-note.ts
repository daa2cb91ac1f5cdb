// Restores an archived history into a process: its messages get new numbers, after the reset and before newer messages. Safe to repeat after a
// crash. Leaves out undelivered messages and deleted media.

import type { Message, ToolCall, ToolOutcome } from "../../abi/process/message.ts";
import type { ObjectStore } from "../../objects/objects.ts";
import type { ArchiveRows } from "../../store/kernel/processes/archives.ts";
import type { Closing, ProcessStore } from "../../store/process/verbs.ts";
import { archiveLines } from "./archive.ts";

export interface RestorePorts {
  readonly archives: ArchiveRows;
  readonly objects: Pick<ObjectStore, "read">;
  readonly store: Pick<ProcessStore, "graft">;
}

interface ArchivedMessage {
  readonly id: number | null;
  readonly role: Message["role"];
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  readonly outcome?: ToolOutcome;
  readonly run_id?: string;
  readonly origin?: Message["origin"];
  readonly ts: number;
}

const PAGE_ROWS = 200;

/** Only during a reset, which defines the first number. */
export async function restoreInto(ports: RestorePorts, pid: string, closing: Closing): Promise<void> {
  const archive = closing.restore === undefined ? null : await ports.archives.get(closing.restore);
  // The archive was deleted meanwhile.
  if (archive === null) return;
  let page: Message[] = [];
  let id = closing.cutSeq;
  const put = async () => {
    if (page.length > 0) await ports.store.graft(pid, { messages: page, segments: [] });
    page = [];
  };
  for await (const line of archiveLines(ports.objects, archive.key)) {
    const record = JSON.parse(line) as ArchivedMessage;
    if (record.id === null) continue;
    page.push(messageFrom(record, ++id));
    if (page.length >= PAGE_ROWS) await put();
  }
  await put();
}

function messageFrom(record: ArchivedMessage, id: number): Message {
  const { role, content, origin } = record;
  const base = { id, runId: record.run_id ?? null, timestamp: record.ts, ...(origin === undefined ? {} : { origin }) };
  if (role === "assistant") {
    const { thinking, tool_calls: toolCalls } = record;
    const said = { text: content, ...(thinking === undefined ? {} : { thinking }) };
    return { ...base, role, content: { ...said, ...(toolCalls === undefined ? {} : { toolCalls }) } };
  }
  if (role !== "toolResult") return { ...base, role, content };
  const { toolName = "", isError = false, outcome = "completed", tool_call_id: toolCallId = "" } = record;
  return { ...base, role, content: { toolName, isError, outcome, toolCallId, output: content } };
}
