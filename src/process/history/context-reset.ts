// Context reset after a number of user messages: the model continues with a short tail of the conversation, stored as a segment, so nothing is
// deleted. Done at the start of the next run.

import { CHAT_LINES_MAX, type ChatLine, chatLinesIn, conversationHistory } from "../../prompts/conversation-history.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { ContextShape } from "../../store/process/history/segments.ts";
import type { Claimed, ProcessStore } from "../../store/process/verbs.ts";
import type { LedgerPorts } from "../life/ledger.ts";

export interface ContextResetPorts extends LedgerPorts {
  /** Number of messages; null for never. */
  readonly turnsOf: (row: ProcessRow) => Promise<number | null>;
}

const PAGE = 60;
const PAGES_MAX = 10;
const BYTES_PER_TOKEN = 4;

export class ContextResets {
  /** Processes to reset at their next run, whatever the number of messages. */
  private readonly asked = new Map<string, { readonly hasNews: boolean }>();

  constructor(private readonly ports: ContextResetPorts) {}

  /** Without new messages, the next run continues the interrupted one. */
  ask(pid: string, { hasNews }: { readonly hasNews: boolean } = { hasNews: true }): void {
    this.asked.set(pid, { hasNews });
  }

  async begin(row: ProcessRow, run: Claimed): Promise<void> {
    const news = run.entered[0];
    if (run.resumed || news === undefined) return;
    const asked = this.asked.get(row.pid);
    this.asked.delete(row.pid);
    const turns = asked === undefined ? await this.ports.turnsOf(row) : 1;
    if (turns === null) return;
    const { store } = this.ports;
    const shape = await store.contextShape(row.pid);
    const before = shape.rows.filter(({ seq }) => seq < news.id);
    if (before.filter(({ role }) => role === "user").length < turns) return;
    const summary = conversationHistory(await lastLines(store, row.pid, news.id), asked ?? { hasNews: true });
    if (summary !== null) await this.replace(row, run, { shape, before, summary });
  }

  private async replace(
    row: ProcessRow,
    { runId: run }: Claimed,
    {
      shape,
      before,
      summary,
    }: { readonly shape: ContextShape; readonly before: ContextShape["rows"]; readonly summary: string },
  ): Promise<void> {
    const { store, ledger, clock } = this.ports;
    const toSeq = before.at(-1)?.seq ?? 0;
    const tokensBefore = tokensOf(before.reduce((sum, { bytes }) => sum + bytes, shape.summaryBytes));
    const tokensAfter = tokensOf(Buffer.byteLength(summary));
    const wish = { generation: shape.generation, after: shape.segment, toSeq, summary, cause: "turns" } as const;
    const counted = { tokensBefore, tokensAfter, now: clock.now() };
    const stored = await store.compact(row.pid, { ...wish, ...counted, model: null, spent: null });
    if (!stored.ok || stored.value === null) return;
    const { id: segment, fromSeq, summarySeq: seq } = stored.value;
    const about = { segment, fromSeq, toSeq, seq, tokensBefore, tokensAfter, model: null, cause: "turns" } as const;
    await ledger.publish(row, [{ name: "chat.compacted", run, ...about }]);
  }
}

function tokensOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BYTES_PER_TOKEN));
}

async function lastLines(store: ProcessStore, pid: string, before: number): Promise<ChatLine[]> {
  let lines: ChatLine[] = [];
  for (let [page, beforeSeq] = [0, before]; page < PAGES_MAX && lines.length < CHAT_LINES_MAX; page++) {
    const { messages, hasMoreBefore } = await store.history(pid, { limit: PAGE, beforeSeq });
    lines = [...chatLinesIn(messages), ...lines];
    beforeSeq = messages[0]?.id ?? 0;
    if (!hasMoreBefore) break;
  }
  return lines;
}
