// Keeps the request of a run within the window of its model: compacts before the model is asked, and again if the provider reports a full
// window. If the history must not or cannot be compacted, the run ends with an error that says what to do.

import type { Failure } from "../../../abi/stream.ts";
import type { Model } from "../../../kernel/models/model.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { Ledger } from "../../life/ledger.ts";
import type { Compactor, ContextLoad } from "./compactor.ts";
import { rowTokens } from "./plan.ts";
import { tokensOf } from "./rules.ts";

export interface InRun {
  readonly row: ProcessRow;
  readonly run: { readonly runId: string };
  readonly signal: AbortSignal;
}

export interface Room {
  /** null if the model may be asked, even if nothing helped: the server decides. */
  before(run: InRun, models: readonly [Model, ...Model[]]): Promise<Failure | null>;
  /** After the provider reported a full window: true if the history is shorter now. */
  afterOverflow(run: InRun, models: readonly [Model, ...Model[]]): Promise<boolean>;
}

type Cause = "pressure" | "overflow";

export function roomOf(compactor: Compactor, ledger: Ledger): Room {
  async function make({ row, run, signal }: InRun, models: readonly Model[], found: ContextLoad, cause: Cause) {
    const { keep } = found.rules;
    // The provider's count is more reliable than our estimate: cut half, whatever the estimate says.
    const tokens = Math.min(keep.tokens, Math.floor(rowTokens(found.shape) / 2));
    ledger.emit(row, { name: "chat.compacting", run: run.runId, cause });
    const wish = { cause, keep: { ...keep, tokens }, models, signal, runId: run.runId } as const;
    return await compactor.compact(row, wish);
  }

  return {
    async before(run, models) {
      if (!isTooMuch(await compactor.load(run.row, models[0], "rough"))) return null;
      const found = await compactor.load(run.row, models[0]);
      if (!isTooMuch(found)) return null;
      const { rules } = found;
      if (rules.overflow === "fail") return full(run.row.pid, found);
      if (rules.overflow === "auto-compact" && wouldHelp(found)) await make(run, models, found, "pressure");
      return null;
    },

    async afterOverflow(run, models) {
      const found = await compactor.load(run.row, models[0]);
      if (found.rules.overflow !== "auto-compact") return false;
      return (await make(run, models, found, "overflow")) !== null;
    },
  };
}

function isTooMuch({ rules, load, shape }: ContextLoad): boolean {
  return load.tokens > rules.fullAtTokens || !shape.isWhole;
}

// If nearly all of a request is not history, a summary each turn costs more than it saves.
function wouldHelp({ shape, fixed }: ContextLoad): boolean {
  const history = rowTokens(shape);
  return !shape.isWhole || history > HELPFUL_SHARE * (history + tokensOf(fixed));
}

const HELPFUL_SHARE = 0.1;

function full(pid: string, { load, rules }: ContextLoad): Failure {
  const share = Math.round((load.tokens / rules.availableTokens) * 100);
  return {
    class: "overflow",
    message: `the history of ${pid} fills ${share} % of the context window. Shorten it: gsv compact ${pid}`,
  };
}
