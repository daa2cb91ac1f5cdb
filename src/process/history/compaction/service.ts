// The service behind compaction: run, preview and undo it, and set the rules of a process.

import { SysError } from "../../../abi/errno.ts";
import type { Caller } from "../../../abi/identity.ts";
import { USUAL_POLICY } from "../../../abi/process/segment.ts";
import type { Model } from "../../../kernel/models/model.ts";
import { visibleProcess } from "../../../kernel/registry.ts";
import { shortText } from "../../../lib/text/truncate.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../../store/process/verbs.ts";
import type { CallContext } from "../../../syscalls/define.ts";
import {
  type CompactResult,
  type ContextState,
  type Conversations,
  segmentName,
} from "../../../syscalls/proc/history-service.ts";
import type { Ledger } from "../../life/ledger.ts";
import { taken } from "../../life/processes.ts";
import type { Compactor, ContextLoad } from "./compactor.ts";
import { planCut } from "./plan.ts";
import { hiddenIn, requestsIn } from "./reading.ts";

export interface CompactionPorts {
  readonly kernel: KernelStore;
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly compactor: Compactor;
  /** The model of the process, then its fallbacks. */
  readonly modelsOf: (context: CallContext, row: ProcessRow) => Promise<readonly [Model, ...Model[]]>;
  readonly now: () => number;
}

const ASKED_SHOWN = 10;
const ASKED_CHARS_MAX = 120;
const NEVER = new AbortController().signal;

export function compactionService(ports: CompactionPorts): Pick<Conversations, "compact" | "policy"> {
  const { kernel, store, ledger, compactor } = ports;

  async function visible(caller: Caller, pid: string): Promise<ProcessRow> {
    const row = await visibleProcess(kernel, caller, pid);
    await ledger.open(row);
    return row;
  }

  return {
    async compact(context, { pid, keep, preview, undo }) {
      const row = await visible(context.caller, pid);
      if (undo && preview) throw new SysError("EINVAL", "--undo and --preview cannot be combined");
      if (undo) return await undone(ports, row);
      const models = await ports.modelsOf(context, row);
      const wish = { messages: keep, tokens: Number.POSITIVE_INFINITY };
      const before = await compactor.load(row, models[0]);
      if (preview) return await previewed(ports, row, { before, keep: wish });
      const asked = { cause: "asked", keep: wish, models, signal: NEVER, runId: null } as const;
      const done = await compactor.compact(row, asked);
      if (done === null) return nothing(pid, before);
      const { segment, goes: trimmed, stays: kept } = done;
      const { fromSeq, toSeq, tokensBefore, tokensAfter, model } = segment;
      const archivedTo = `/proc/${pid}/segments/${segmentName(segment)}`;
      const about = { fromSeq, toSeq, trimmed, kept, tokensBefore, tokensAfter, model, archivedTo };
      return { pid, did: "compacted", ...about, asked: [] };
    },

    async policy(context, { pid, change, unset }) {
      const row = await visible(context.caller, pid);
      if (unset && change !== null) throw new SysError("EINVAL", "--unset cannot be combined with other changes");
      const set = await store.historyPolicy(pid);
      if (unset || change !== null) {
        const policy = change === null ? null : { ...(set ?? USUAL_POLICY), ...change };
        await ledger.write(row, async () => taken(pid, await store.setHistoryPolicy(pid, policy)));
      }
      const [model] = await ports.modelsOf(context, row);
      const contextLoad = await compactor.load(row, model);
      const isSet = (await store.historyPolicy(pid)) !== null;
      return { pid, policy: contextLoad.policy, isSet, context: stateOf(model, contextLoad) };
    },
  };
}

async function undone({ store, ledger, now }: CompactionPorts, row: ProcessRow): Promise<CompactResult> {
  const { pid } = row;
  const outcome = await ledger.write(row, () => store.undoCompaction(pid, { now: now() }));
  const { undone: segment, later } = taken(pid, outcome);
  if (segment === null && later === 0) throw new SysError("ENOENT", `no compaction to undo in ${pid}`);
  if (segment === null)
    throw new SysError("ECONFLICT", `too late to undo: ${pid} has new messages since its last compaction`, [
      `to list the summarized parts: gsv history segments ${pid}; full text: /proc/${pid}/segments`,
    ]);
  const { rows } = await store.contextShape(pid);
  const { fromSeq, toSeq, tokensBefore, tokensAfter, model } = segment;
  const about = { fromSeq, toSeq, trimmed: 0, kept: rows.length, model, archivedTo: null, asked: [] };
  return { pid, did: "undone", ...about, tokensBefore: tokensAfter, tokensAfter: tokensBefore };
}

async function previewed(
  { store }: CompactionPorts,
  { pid }: ProcessRow,
  {
    before,
    keep,
  }: { readonly before: ContextLoad; readonly keep: { readonly messages: number; readonly tokens: number } },
): Promise<CompactResult> {
  const { shape, load } = before;
  const cut = planCut(shape, keep);
  if (cut === null) return nothing(pid, before);
  const [first] = (await store.history(pid, { limit: 1, afterSeq: shape.segment?.toSeq ?? 0 })).messages;
  const fromSeq = first?.id ?? 1;
  const isHidden = await hiddenIn(store, pid);
  const asked = await requestsIn(store, { pid, fromSeq, toSeq: cut.toSeq, isHidden }, ASKED_SHOWN);
  return {
    pid,
    did: "preview",
    fromSeq,
    toSeq: cut.toSeq,
    trimmed: cut.goes,
    kept: cut.stays,
    tokensBefore: load.tokens,
    tokensAfter: Math.max(1, load.tokens - cut.tokensGone),
    model: null,
    archivedTo: null,
    asked: asked.map(({ id, text }) => ({ id, text: shortText(text, ASKED_CHARS_MAX) })),
  };
}

function nothing(pid: string, { shape, load }: ContextLoad): CompactResult {
  const none = { fromSeq: null, toSeq: null, trimmed: 0, kept: shape.rows.length, model: null, archivedTo: null };
  return { pid, did: "nothing", ...none, tokensBefore: load.tokens, tokensAfter: load.tokens, asked: [] };
}

function stateOf({ name: model }: Model, { load, rules, window }: ContextLoad): ContextState {
  const pressure = load.tokens / rules.availableTokens;
  const level = pressure >= 1 ? "full" : pressure >= 0.9 ? "critical" : pressure >= 0.75 ? "warn" : "ok";
  return {
    model,
    tokens: load.tokens,
    source: load.source,
    windowTokens: window.windowTokens,
    availableTokens: rules.availableTokens,
    pressure: Math.round(pressure * 10_000) / 10_000,
    level,
    compactsAtTokens: rules.fullAtTokens,
    overflow: rules.overflow,
    keeps: { messages: Number.isFinite(rules.keep.messages) ? rules.keep.messages : null, tokens: rules.keep.tokens },
    settings: rules.settings,
  };
}
