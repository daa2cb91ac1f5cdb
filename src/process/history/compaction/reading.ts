// Reads the part of a history to summarize, with a size limit: all of it if it fits, else its beginning and end. Messages that hold earlier
// summaries are skipped.

import type { Message } from "../../../abi/process/message.ts";
import { joined, transcriptLine } from "../../../prompts/compaction.ts";
import type { ProcessStore } from "../../../store/process/verbs.ts";

export interface Part {
  readonly pid: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Messages that models do not get: summaries and rewound messages. */
  readonly isHidden: (seq: number) => boolean;
}

export async function hiddenIn(
  store: Pick<ProcessStore, "segments" | "rewinds">,
  pid: string,
): Promise<Part["isHidden"]> {
  const summaries = new Set((await store.segments(pid)).map(({ summarySeq }) => summarySeq));
  const rewinds = await store.rewinds(pid);
  return (seq) =>
    summaries.has(seq) ||
    rewinds.some(({ fromSeq, toSeq, noteSeq, undoneAt }) =>
      undoneAt === null ? seq >= fromSeq && seq <= toSeq : seq === noteSeq,
    );
}

const PAGE = { limit: 200, bytesMax: 512 * 1024 };
const HEAD_SHARE = 0.35;

async function* pages(
  store: Pick<ProcessStore, "history">,
  { pid, fromSeq, toSeq, isHidden }: Part,
  order: "onwards" | "backwards",
): AsyncGenerator<Message> {
  let [after, before] = [fromSeq - 1, toSeq + 1];
  while (after + 1 < before) {
    const range = order === "onwards" ? { afterSeq: after, beforeSeq: before } : { beforeSeq: before };
    const { messages } = await store.history(pid, { ...PAGE, ...range });
    const first = messages[0];
    const last = messages.at(-1);
    if (first === undefined || last === undefined) return;
    const within = messages.filter(({ id }) => id >= fromSeq && !isHidden(id));
    yield* order === "onwards" ? within : within.reverse();
    if (order === "onwards") after = last.id;
    else before = first.id;
  }
}

export async function transcriptOf(
  store: Pick<ProcessStore, "history">,
  part: Part,
  bytesMax: number,
): Promise<string> {
  const head: string[] = [];
  let bytes = 0;
  let through = part.fromSeq - 1;
  let isWhole = true;
  const kept = { lines: 0, through };
  for await (const message of pages(store, part, "onwards")) {
    const line = transcriptLine(message);
    bytes += weightOf(line);
    if (bytes > bytesMax) {
      isWhole = false;
      break;
    }
    head.push(line);
    through = message.id;
    if (bytes <= bytesMax * HEAD_SHARE) Object.assign(kept, { lines: head.length, through });
  }
  if (isWhole) return head.join("\n");
  const tail: string[] = [];
  let first = part.toSeq + 1;
  const rest = { ...part, fromSeq: kept.through + 1 };
  bytes = head.slice(0, kept.lines).reduce((sum, line) => sum + weightOf(line), 0);
  for await (const message of pages(store, rest, "backwards")) {
    const line = transcriptLine(message);
    bytes += weightOf(line);
    if (bytes > bytesMax && tail.length > 0) break;
    tail.unshift(line);
    first = message.id;
  }
  return joined(head.slice(0, kept.lines), tail, first - kept.through - 1);
}

function weightOf(line: string): number {
  return Buffer.byteLength(line) + 1;
}

/** The newest messages of people in the part, oldest first. */
export async function requestsIn(
  store: Pick<ProcessStore, "history">,
  part: Part,
  countMax: number,
): Promise<{ readonly id: number; readonly text: string }[]> {
  const asked: { id: number; text: string }[] = [];
  let looked = 0;
  for await (const message of pages(store, part, "backwards")) {
    if (++looked > LOOKED_MAX || asked.length === countMax) break;
    if (message.role === "user") asked.unshift({ id: message.id, text: message.content });
  }
  return asked;
}

const LOOKED_MAX = 5000;
