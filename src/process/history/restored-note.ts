// An archived history that another one begins with: its messages under new numbers, behind the line that a reset has drawn and before anything
// that was said since. Done again after a crash it gives the same. What a person never saw taken up is not in it, nor media that went.

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

/** Only while the process is being reset: its line says where the numbers begin. */
export async function restoreInto(ports: RestorePorts, pid: string, closing: Closing): Promise<void> {
  const archive = closing.restore === undefined ? null : await ports.archives.get(closing.restore);
  // One that was deleted since leaves nothing to begin with.
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
