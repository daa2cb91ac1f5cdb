// Compaction of histories: decides whether one is due, has its older part summarised, and puts the summary in its place in one transaction.
// One at a time for each process. Nothing is deleted, and whatever fails on the way leaves the history as it was told before.

import type { Usage } from "../../../abi/process/process.ts";
import type { CompactionCause, HistoryPolicy, Segment } from "../../../abi/process/segment.ts";
import { USUAL_POLICY } from "../../../abi/process/segment.ts";
import type { ModelRequest } from "../../../abi/stream.ts";
import type { Model } from "../../../kernel/models/model.ts";
import type { Clock } from "../../../lib/clock.ts";
import { Serial } from "../../../lib/serial.ts";
import { plainSummary, summaryMessage } from "../../../prompts/compaction.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { ContextShape, ProcessStore } from "../../../store/process/verbs.ts";
import type { Ledger, SignalBody } from "../../life/ledger.ts";
import { type Cut, type Load, loadOf, planCut, rowTokens } from "./plan.ts";
import { askedIn, type Part, transcriptOf, untoldIn } from "./reading.ts";
import { type CompactionSettings, type Keep, messageTokens, type Rules, rulesFor, type Window } from "./rules.ts";
import { type Writing, writeSummary } from "./writer.ts";

export interface Facts extends CompactionSettings {
  readonly extractMemories: boolean;
  readonly window: Window;
}

export interface CompactorPorts {
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly facts: (row: ProcessRow, model: Model) => Promise<Facts>;
  /** What goes to a model with every request of the process besides its history, in bytes. */
  readonly fixedBytes: (row: ProcessRow) => Promise<number>;
  readonly about: (row: ProcessRow) => Promise<ModelRequest["about"]>;
  /** Writes down what should last; a failure of it is nobody's. */
  readonly remember: (row: ProcessRow, lasting: readonly string[], at: number) => Promise<void>;
}

/** How a history stands to the window of its model. */
export interface Standing {
  readonly shape: ContextShape;
  readonly policy: HistoryPolicy;
  readonly rules: Rules;
  readonly load: Load;
  /** What goes along with the history, in bytes. */
  readonly fixed: number;
  readonly window: Window;
  readonly extractMemories: boolean;
}

export interface Wish {
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

/** A summary takes this much of a window, and no more than this. */
const SUMMARY_SHARE = 0.04;
const SUMMARY_BYTES = { min: 2000, max: 24_000 };
const TRANSCRIPT_SHARE = 0.5;
const TRANSCRIPT_BYTES = { min: 8000, max: 400_000 };
const QUOTES_MAX = 10;
/** History of less than this part of what is too much decides nothing, whatever goes along with it. */
const FEW = 4;
const BYTES_PER_TOKEN = 4;
/** Of less than this nothing lasts that is worth a question. */
const LASTING_TOKENS_MIN = 300;

export class Compactor {
  private readonly turns = new Map<string, Serial>();

  constructor(private readonly ports: CompactorPorts) {}

  /** `rough`: what goes along with the history is weighed only where it could decide something. */
  async standing(row: ProcessRow, model: Model, how: "exact" | "rough" = "exact"): Promise<Standing> {
    const { store, facts, fixedBytes } = this.ports;
    const shape = await store.contextShape(row.pid);
    const policy = (await store.historyPolicy(row.pid)) ?? USUAL_POLICY;
    const { window, ...settings } = await facts(row, model);
    const rules = rulesFor(policy, settings, window);
    const bare = loadOf(shape, 0);
    const isFar = bare.tokens * FEW < rules.fullAtTokens;
    const isEnough = how === "rough" && (bare.source === "provider" || isFar);
    const fixed = isEnough ? 0 : await fixedBytes(row);
    const { extractMemories } = settings;
    return { shape, policy, rules, load: loadOf(shape, fixed), fixed, window, extractMemories };
  }

  /** Null where there is nothing to compact, or where history moved on meanwhile. */
  compact(row: ProcessRow, wish: Wish): Promise<Compacted | null> {
    const turns = this.turns.get(row.pid) ?? new Serial();
    this.turns.set(row.pid, turns);
    return turns.run(() => this.now(row, wish));
  }

  private async now(row: ProcessRow, wish: Wish): Promise<Compacted | null> {
    const { store, ledger, clock } = this.ports;
    const [model] = wish.models;
    if (model === undefined) return null;
    const standing = await this.standing(row, model);
    const { shape, load } = standing;
    const cut = planCut(shape, wish.keep);
    if (cut === null) return null;
    const part = await this.partOf(row, shape, cut);
    const writing = await this.written(row, { wish, standing, part });
    if (writing.kind === "aborted") return null;
    const asked = await askedIn(store, part, QUOTES_MAX);
    const text = writing.kind === "written" ? writing.written.summary : plainSummary(writing.why, asked);
    const wordForWord = stillAsked(shape, cut) ? (asked.at(-1)?.text ?? null) : null;
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
    await this.tell(row, wish, stored.value);
    if (writing.kind === "written") await this.ports.remember(row, writing.written.lasting, clock.now());
    return { segment: stored.value, goes: cut.goes, stays: cut.stays };
  }

  /** Has written down what should last of a history that goes as a whole; what that used, or null where nobody was asked. */
  async lastingOf(
    row: ProcessRow,
    { models, signal }: Pick<Wish, "models" | "signal">,
  ): Promise<{ readonly model: string; readonly usage: Usage; readonly priced: boolean } | null> {
    const [model] = models;
    if (model === undefined) return null;
    const standing = await this.standing(row, model, "rough");
    const { shape, extractMemories } = standing;
    const last = shape.rows.at(-1);
    if (!extractMemories || last === undefined || rowTokens(shape) < LASTING_TOKENS_MIN) return null;
    const part = await this.partOf(row, shape, { toSeq: last.seq });
    const wish = { cause: "asked", keep: { messages: 0, tokens: 0 }, models, signal, runId: null } as const;
    const writing = await this.written(row, { wish, standing, part });
    if (writing.kind === "aborted") return null;
    const at = row.lastActiveAt ?? this.ports.clock.now();
    if (writing.kind === "written") await this.ports.remember(row, writing.written.lasting, at);
    return writing;
  }

  private async partOf({ pid }: ProcessRow, shape: ContextShape, { toSeq }: Pick<Cut, "toSeq">): Promise<Part> {
    const { store } = this.ports;
    const untold = await untoldIn(store, pid);
    if (shape.segment !== null) return { pid, fromSeq: shape.segment.toSeq + 1, toSeq, untold };
    const [first] = (await store.history(pid, { limit: 1, afterSeq: 0 })).messages;
    return { pid, fromSeq: first?.id ?? 1, toSeq, untold };
  }

  private async written(
    row: ProcessRow,
    given: { readonly wish: Wish; readonly standing: Standing; readonly part: Part },
  ): Promise<Writing> {
    const { store, about, clock } = this.ports;
    const { models, signal } = given.wish;
    const { shape, window, extractMemories } = given.standing;
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

  private async tell(row: ProcessRow, { runId: run, cause }: Wish, segment: Segment): Promise<void> {
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

/** What was asked last stands for itself while something that a person said stays. */
function stillAsked({ rows }: ContextShape, { toSeq }: Cut): boolean {
  return !rows.some(({ seq, role }) => seq > toSeq && role === "user");
}
