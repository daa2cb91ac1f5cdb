// Compacts histories: decides if compaction is due, has the older part summarized, and replaces it with the summary in one transaction. One
// at a time per process. Nothing is deleted, and an error leaves the history unchanged.

import type { Usage } from "../../../abi/process/process.ts";
import type { CompactionCause, HistoryPolicy, Segment } from "../../../abi/process/segment.ts";
import { USUAL_POLICY } from "../../../abi/process/segment.ts";
import type { ModelRequest } from "../../../abi/stream.ts";
import type { Model } from "../../../kernel/models/model.ts";
import { settingsFor } from "../../../kernel/settings/config.ts";
import { Serial } from "../../../lib/serial.ts";
import { plainSummary, summaryMessage } from "../../../prompts/compaction.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../../store/kernel/sqlite.ts";
import type { ContextShape } from "../../../store/process/verbs.ts";
import type { LedgerPorts, SignalBody } from "../../life/ledger.ts";
import { type Cut, type Load, loadOf, planCut, rowTokens } from "./plan.ts";
import { hiddenIn, type Part, requestsIn, transcriptOf } from "./reading.ts";
import { type Keep, messageTokens, type Rules, rulesFor, type Window } from "./rules.ts";
import { type Writing, writeSummary } from "./writer.ts";

export interface CompactorPorts extends LedgerPorts {
  readonly config: KernelStore["config"];
  /** Bytes of a request besides the history: system text and tools. */
  readonly fixedBytes: (row: ProcessRow) => Promise<number>;
  readonly about: (row: ProcessRow) => Promise<ModelRequest["about"]>;
  /** Stores memories. Its errors are only logged. */
  readonly remember: (row: ProcessRow, memories: readonly string[], at: number) => Promise<void>;
}

/** A history compared with the window of its model. */
export interface ContextLoad {
  readonly shape: ContextShape;
  readonly policy: HistoryPolicy;
  readonly rules: Rules;
  readonly load: Load;
  readonly fixed: number;
  readonly window: Window;
  readonly extractMemories: boolean;
}

export interface CompactRequest {
  readonly cause: CompactionCause;
  readonly keep: Keep;
  readonly models: readonly Model[];
  readonly signal: AbortSignal;
  readonly runId: string | null;
}

export interface Compacted {
  readonly segment: Segment;
  readonly goes: number;
  readonly stays: number;
}

/** Share of the window for a summary, and its limits. */
const SUMMARY_SHARE = 0.04;
const SUMMARY_BYTES = { min: 2000, max: 24_000 };
const TRANSCRIPT_SHARE = 0.5;
const TRANSCRIPT_BYTES = { min: 8000, max: 400_000 };
const QUOTES_MAX = 10;
/** A history below a quarter of the limit is never compacted, whatever else the request holds. */
const FEW = 4;
const BYTES_PER_TOKEN = 4;
/** Shorter histories are not worth a model call for memories. */
const LASTING_TOKENS_MIN = 300;

export class Compactor {
  private readonly turns = new Map<string, Serial>();

  constructor(private readonly ports: CompactorPorts) {}

  /** `rough`: skips the size of system text and tools if it cannot matter. */
  async load(row: ProcessRow, model: Model, how: "exact" | "rough" = "exact"): Promise<ContextLoad> {
    const { store, config, fixedBytes } = this.ports;
    const shape = await store.contextShape(row.pid);
    const policy = (await store.historyPolicy(row.pid)) ?? USUAL_POLICY;
    const { window, ...settings } = await factsFor(config, row, model);
    const rules = rulesFor(policy, settings, window);
    const bare = loadOf(shape, 0);
    const isFar = bare.tokens * FEW < rules.fullAtTokens;
    const isEnough = how === "rough" && (bare.source === "provider" || isFar);
    const fixed = isEnough ? 0 : await fixedBytes(row);
    const { extractMemories } = settings;
    return { shape, policy, rules, load: loadOf(shape, fixed), fixed, window, extractMemories };
  }

  /** null if there is nothing to compact or the history changed meanwhile. */
  compact(row: ProcessRow, wish: CompactRequest): Promise<Compacted | null> {
    const turns = this.turns.get(row.pid) ?? new Serial();
    this.turns.set(row.pid, turns);
    return turns.run(() => this.now(row, wish));
  }

  private async now(row: ProcessRow, wish: CompactRequest): Promise<Compacted | null> {
    const { store, ledger, clock } = this.ports;
    const [model] = wish.models;
    if (model === undefined) return null;
    const contextLoad = await this.load(row, model);
    const { shape, load } = contextLoad;
    const cut = planCut(shape, wish.keep);
    if (cut === null) return null;
    const part = await this.partOf(row, shape, cut);
    const writing = await this.written(row, { wish, contextLoad, part });
    if (writing.kind === "aborted") return null;
    const asked = await requestsIn(store, part, QUOTES_MAX);
    const text = writing.kind === "written" ? writing.written.summary : plainSummary(writing.why, asked);
    // If no user message stays, the summary quotes the last one.
    const isAllGone = !shape.rows.some(({ seq, role }) => seq > cut.toSeq && role === "user");
    const wordForWord = isAllGone ? (asked.at(-1)?.text ?? null) : null;
    const summary = summaryMessage({ fromSeq: part.fromSeq, toSeq: cut.toSeq, lastAsked: wordForWord }, text);
    const tokensAfter = Math.max(1, load.tokens - cut.tokensGone) + messageTokens(Buffer.byteLength(summary));
    const stored = await ledger.write(row, () =>
      store.compact(row.pid, {
        generation: shape.generation,
        after: shape.segment,
        toSeq: cut.toSeq,
        summary,
        cause: wish.cause,
        model: writing.kind === "written" ? writing.model : null,
        spent: { by: writing.model, usage: writing.usage, priced: writing.priced },
        tokensBefore: load.tokens,
        tokensAfter,
        now: clock.now(),
      }),
    );
    if (!stored.ok || stored.value === null) return null;
    await this.signal(row, wish, stored.value);
    if (writing.kind === "written") await this.ports.remember(row, writing.written.memories, clock.now());
    return { segment: stored.value, goes: cut.goes, stays: cut.stays };
  }

  /** Extracts memories from a whole history. Returns the usage; null if no model was asked. */
  async extractMemories(
    row: ProcessRow,
    { models, signal }: Pick<CompactRequest, "models" | "signal">,
  ): Promise<{ readonly model: string; readonly usage: Usage; readonly priced: boolean } | null> {
    const [model] = models;
    if (model === undefined) return null;
    const contextLoad = await this.load(row, model, "rough");
    const { shape, extractMemories } = contextLoad;
    const last = shape.rows.at(-1);
    if (!extractMemories || last === undefined || rowTokens(shape) < LASTING_TOKENS_MIN) return null;
    const part = await this.partOf(row, shape, { toSeq: last.seq });
    const wish = { cause: "asked", keep: { messages: 0, tokens: 0 }, models, signal, runId: null } as const;
    const writing = await this.written(row, { wish, contextLoad, part });
    if (writing.kind === "aborted") return null;
    const at = row.lastActiveAt ?? this.ports.clock.now();
    if (writing.kind === "written") await this.ports.remember(row, writing.written.memories, at);
    return writing;
  }

  private async partOf({ pid }: ProcessRow, shape: ContextShape, { toSeq }: Pick<Cut, "toSeq">): Promise<Part> {
    const { store } = this.ports;
    const isHidden = await hiddenIn(store, pid);
    if (shape.segment !== null) return { pid, fromSeq: shape.segment.toSeq + 1, toSeq, isHidden };
    const [first] = (await store.history(pid, { limit: 1, afterSeq: 0 })).messages;
    return { pid, fromSeq: first?.id ?? 1, toSeq, isHidden };
  }

  private async written(
    row: ProcessRow,
    given: { readonly wish: CompactRequest; readonly contextLoad: ContextLoad; readonly part: Part },
  ): Promise<Writing> {
    const { store, about, clock } = this.ports;
    const { models, signal } = given.wish;
    const { shape, window, extractMemories } = given.contextLoad;
    const room = window.windowTokens * BYTES_PER_TOKEN;
    const transcript = await transcriptOf(store, given.part, within(room * TRANSCRIPT_SHARE, TRANSCRIPT_BYTES));
    const { segment } = shape;
    const earlier = segment === null ? null : await store.messageText(row.pid, whole(segment.summarySeq));
    const task = {
      models,
      about: await about(row),
      earlier: earlier?.text ?? null,
      transcript,
      bytesMax: within(room * SUMMARY_SHARE, SUMMARY_BYTES),
      remember: extractMemories,
      signal,
    };
    return await writeSummary(task, clock);
  }

  private async signal(row: ProcessRow, { runId: run, cause }: CompactRequest, segment: Segment): Promise<void> {
    const { id, fromSeq, toSeq, summarySeq: seq, tokensBefore, tokensAfter, model } = segment;
    const about = { segment: id, fromSeq, toSeq, seq, tokensBefore, tokensAfter, model, cause };
    const signal: SignalBody =
      run === null ? { name: "process.compacted", ...about } : { name: "chat.compacted", run, ...about };
    await this.ports.ledger.publish(row, [signal]);
  }
}

function whole(seq: number) {
  return { seq, offset: 0, charsMax: SUMMARY_BYTES.max * 2 };
}

function within(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.floor(Math.min(max, Math.max(min, value)));
}

async function factsFor(config: KernelStore["config"], { ownerUid }: ProcessRow, model: Model) {
  const setting = await settingsFor(config, { uid: ownerUid, client: undefined });
  const number = (name: Parameters<typeof setting>[0]) => Number(setting(name).text);
  const ifSet = (name: Parameters<typeof setting>[0]) => (setting(name).layer === "default" ? null : number(name));
  return {
    enabled: setting("compaction.enabled").text === "true",
    extractMemories: setting("compaction.extractMemories").text === "true",
    reserveTokens: ifSet("compaction.reserveTokens"),
    keepRecentTokens: ifSet("compaction.keepRecentTokens"),
    window: model.window ?? {
      windowTokens: number("ai.contextWindowTokens"),
      outputTokens: number("ai.maxTokens"),
    },
  };
}
