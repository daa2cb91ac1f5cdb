// Compaction of a model process, said with plain lists: which messages a model is told, and in what order.

import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Message } from "../../src/abi/process/message.ts";
import type { HistoryPolicy, Segment } from "../../src/abi/process/segment.ts";
import type { SegmentVerbs } from "../../src/store/process/history/segments.ts";
import type { Compaction, ContextShape, Graft, Outcome, Refusal, Undone } from "../../src/store/process/verbs.ts";
import type { ModelProcess } from "./model-process.ts";
import { sizeOf, windowOf } from "./model-reads.ts";

export type Step<T> = (process: ModelProcess) => T | Refusal;

export abstract class ModelSegments implements SegmentVerbs {
  protected abstract get(pid: string): ModelProcess;
  protected abstract verb<T>(pid: string, step: Step<T>): Outcome<T>;

  context = async (pid: string) => contextOf(this.get(pid), LIMITS.contextBytesMax);
  /** What a provider counted is a matter of rows that the model does not keep. */
  contextShape = async (pid: string) => ({ ...shapeOf(this.get(pid), LIMITS.contextBytesMax), counted: null });
  compact = async (pid: string, wish: Compaction) => this.verb(pid, (process) => compact(process, wish));
  undoCompaction = async (pid: string, { now }: { readonly now: number }) =>
    this.verb(pid, (process) => undoCompaction(process, now));
  graft = async (pid: string, part: Graft) => this.verb(pid, (process) => graft(process, part));
  segments = async (pid: string) => this.get(pid).segments;
  historyPolicy = async (pid: string) => this.get(pid).policy;
  setHistoryPolicy = async (pid: string, policy: HistoryPolicy | null) =>
    this.verb(pid, (process) => {
      process.policy = policy;
      return null;
    });
}

function active(process: ModelProcess): Segment | null {
  return process.segments.findLast(({ undoneAt }) => undoneAt === null) ?? null;
}

function spoken(process: ModelProcess, segment: Segment | null): readonly Message[] {
  const summaries = process.segments.map(({ summarySeq }) => summarySeq);
  const all = process.messages.map(({ message }) => message);
  const isRewound = (id: number) =>
    process.context.rewinds.some(({ fromSeq, toSeq, noteSeq, undoneAt }) =>
      undoneAt === null ? id >= fromSeq && id <= toSeq : id === noteSeq,
    );
  return all.filter(({ id }) => id > (segment?.toSeq ?? 0) && !summaries.includes(id) && !isRewound(id));
}

function summaryOf(process: ModelProcess, segment: Segment | null): Message | undefined {
  return process.messages.find(({ message }) => message.id === segment?.summarySeq)?.message;
}

function contextOf(process: ModelProcess, bytesMax: number): readonly Message[] {
  const segment = active(process);
  const summary = summaryOf(process, segment);
  const rows = windowOf(spoken(process, segment), Math.max(0, bytesMax - sizeOf(summary)));
  return summary === undefined ? rows.messages : [summary, ...rows.messages];
}

function shapeOf(process: ModelProcess, bytesMax: number): Omit<ContextShape, "counted"> {
  const segment = active(process);
  const all = spoken(process, segment);
  const summaryBytes = sizeOf(summaryOf(process, segment));
  const { begin } = windowOf(all, Math.max(0, bytesMax - summaryBytes));
  const rows = all.slice(begin).map((message) => ({ seq: message.id, role: message.role, bytes: sizeOf(message) }));
  return { generation: process.generation, segment, summaryBytes, rows, isWhole: begin === 0 };
}

function compact(process: ModelProcess, wish: Compaction): Segment | null | Refusal {
  if (process.closing?.reason === "kill") return "no-process";
  const before = active(process);
  const fromSeq = before === null ? (process.messages[0]?.message.id ?? 1) : before.toSeq + 1;
  const isPlanned = process.closing === null && process.generation === wish.generation && before?.id === wish.after?.id;
  if (!isPlanned || wish.toSeq < fromSeq || wish.toSeq >= process.nextSeq - 1) return null;
  const { id: summarySeq } = process.enterMessage({
    role: "system",
    content: wish.summary,
    runId: process.currentRun,
    timestamp: wish.now,
    origin: { kind: "kernel" },
  });
  const { toSeq, cause, model, tokensBefore, tokensAfter, now: createdAt } = wish;
  const id = ++process.segmentsEver;
  const about = { cause, model, tokensBefore, tokensAfter, createdAt, undoneAt: null };
  const segment: Segment = { id, fromSeq, toSeq, summarySeq, ...about };
  process.segments.push(segment);
  if (wish.spent !== null) {
    const { by, ...spent } = wish.spent;
    const runId = process.currentRun ?? `compaction-${summarySeq}`;
    process.usage.add({ ...spent, runId, turn: 0, model: by, wasted: false, now: wish.now });
  }
  return segment;
}

function undoCompaction(process: ModelProcess, now: number): Undone | Refusal {
  if (process.closing !== null) return "no-process";
  const segment = active(process);
  if (segment === null) return { undone: null, later: 0 };
  const later = process.nextSeq - 1 - segment.summarySeq;
  if (later > 0 || process.currentRun !== null) return { undone: null, later: Math.max(1, later) };
  const undone = { ...segment, undoneAt: now };
  process.segments = process.segments.map((each) => (each.id === segment.id ? undone : each));
  return { undone, later: 0 };
}

function graft(process: ModelProcess, { messages, segments, rewinds = [] }: Graft): null {
  const last = process.messages.at(-1)?.message.id ?? 0;
  for (const message of messages)
    if (message.id > last) process.messages.push({ generation: process.generation, message });
  for (const segment of segments)
    if (!process.segments.some(({ id }) => id === segment.id)) process.segments.push(segment);
  for (const rewind of rewinds)
    if (!process.context.rewinds.some(({ undo }) => undo === rewind.undo)) process.context.rewinds.push(rewind);
  process.segmentsEver = Math.max(process.segmentsEver, ...process.segments.map(({ id }) => id));
  process.nextSeq = Math.max(process.nextSeq, (messages.at(-1)?.id ?? 0) + 1);
  return null;
}
