// What a run does about the window of its model: makes room before the model is asked, and once more when its provider says that there is
// none. A history that may not be compacted, or cannot, ends the run in words that say what helps.

import type { Failure } from "../../../abi/stream.ts";
import type { Model } from "../../../kernel/models/model.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { Ledger } from "../../life/ledger.ts";
import type { Compactor, Standing } from "./compactor.ts";
import { rowTokens } from "./plan.ts";
import { tokensOf } from "./rules.ts";

export interface InRun {
  readonly row: ProcessRow;
  readonly run: { readonly runId: string };
  readonly signal: AbortSignal;
}

export interface Room {
  /** Null when the model may be asked, which it also may where nothing helps: its server has the last word. */
  before(run: InRun, models: readonly [Model, ...Model[]]): Promise<Failure | null>;
  /** The provider says that the window is full: true when there is less now. */
  afterOverflow(run: InRun, models: readonly [Model, ...Model[]]): Promise<boolean>;
}

type Cause = "pressure" | "overflow";

export function roomOf(compactor: Compactor, ledger: Ledger): Room {
  async function make({ row, run, signal }: InRun, models: readonly Model[], found: Standing, cause: Cause) {
    const { keep } = found.rules;
    // Whoever counted knows better than an estimate what is too much: half of it goes, whatever the estimate says of the rest.
    const tokens = Math.min(keep.tokens, Math.floor(rowTokens(found.shape) / 2));
    ledger.emit(row, { name: "chat.compacting", run: run.runId, cause });
    const wish = { cause, keep: { ...keep, tokens }, models, signal, runId: run.runId } as const;
    return await compactor.compact(row, wish);
  }

  return {
    async before(run, models) {
      if (!isTooMuch(await compactor.standing(run.row, models[0], "rough"))) return null;
      const found = await compactor.standing(run.row, models[0]);
      if (!isTooMuch(found)) return null;
      const { rules } = found;
      if (rules.overflow === "fail") return full(run.row.pid, found);
      if (rules.overflow === "auto-compact" && wouldHelp(found)) await make(run, models, found, "pressure");
      return null;
    },

    async afterOverflow(run, models) {
      const found = await compactor.standing(run.row, models[0]);
      if (found.rules.overflow !== "auto-compact") return false;
      return (await make(run, models, found, "overflow")) !== null;
    },
  };
}

function isTooMuch({ rules, load, shape }: Standing): boolean {
  return load.tokens > rules.fullAtTokens || !shape.isWhole;
}

// Where nearly all of a request is not history, a summary at each turn would cost more than it makes room for.
function wouldHelp({ shape, fixed }: Standing): boolean {
  const history = rowTokens(shape);
  return !shape.isWhole || history > HELPFUL_SHARE * (history + tokensOf(fixed));
}

const HELPFUL_SHARE = 0.1;

function full(pid: string, { load, rules }: Standing): Failure {
  const share = Math.round((load.tokens / rules.availableTokens) * 100);
  return {
    class: "overflow",
    message: `the history of ${pid} fills ${share} % of the context window. Shorten it: gsv compact ${pid}`,
  };
}
