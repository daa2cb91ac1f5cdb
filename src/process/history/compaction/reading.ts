// Reads the part of a history that is to be summarised, within bounds however long it is: all of it where it fits, else its beginning and
// its end. The messages that hold earlier summaries are no part of what was said.

import type { Message } from "../../../abi/process/message.ts";
import { joined, transcriptLine } from "../../../prompts/compaction.ts";
import type { ProcessStore } from "../../../store/process/verbs.ts";

export interface Part {
  readonly pid: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Messages that no model is told as such: summaries, and what was taken back. */
  readonly untold: (seq: number) => boolean;
}

export async function untoldIn(
  store: Pick<ProcessStore, "segments" | "rewinds">,
  pid: string,
): Promise<Part["untold"]> {
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

/** Messages of the part from its beginning, or from its end. */
async function* pages(
  store: Pick<ProcessStore, "history">,
  { pid, fromSeq, toSeq, untold }: Part,
  order: "onwards" | "backwards",
): AsyncGenerator<Message> {
  let [after, before] = [fromSeq - 1, toSeq + 1];
  while (after + 1 < before) {
    const range = order === "onwards" ? { afterSeq: after, beforeSeq: before } : { beforeSeq: before };
    const { messages } = await store.history(pid, { ...PAGE, ...range });
    const first = messages[0];
    const last = messages.at(-1);
    if (first === undefined || last === undefined) return;
    const within = messages.filter(({ id }) => id >= fromSeq && !untold(id));
    yield* order === "onwards" ? within : within.reverse();
    if (order === "onwards") after = last.id;
    else before = first.id;
  }
}

/** At most so many bytes, about. */
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

/** What people said in the part, the newest last, at most so many. */
export async function askedIn(
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
