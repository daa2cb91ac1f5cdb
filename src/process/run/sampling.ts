// A model answers for someone else than the run: an MCP server that a person allowed to ask it. The process pays, within its budget. Nothing of
// it enters the history.

import { SysError } from "../../abi/errno.ts";
import { charged } from "../../abi/process/money.ts";
import type { ModelRequest } from "../../abi/stream.ts";
import type { Model } from "../../kernel/models/model.ts";
import type { Clock } from "../../lib/clock.ts";
import { abortAfter, either } from "../../lib/wait.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { Ledger } from "../life/ledger.ts";
import type { Budgets } from "../limits/budgets.ts";
import { Costs } from "../limits/costs.ts";
import type { AskedModel } from "./model-calls.ts";
import { modelTurn, usable } from "./model-turn.ts";

export interface SamplingPorts {
  readonly clock: Clock;
  readonly store: Pick<ProcessStore, "waste">;
  readonly ledger: Pick<Ledger, "publish">;
  readonly budgets: Pick<Budgets, "reserve" | "settle">;
  readonly modelOf: (row: ProcessRow) => Promise<Model>;
  readonly log: (pid: string, asked: AskedModel) => Promise<void>;
}

export interface SampleRequest {
  readonly run: string;
  readonly system: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  readonly tokensMax: number;
  readonly signal: AbortSignal;
}

export interface Sample {
  readonly model: string;
  readonly text: string;
  readonly isCut: boolean;
}

const PATIENCE_MS = 120_000;
const CHARS_PER_TOKEN = 4;

export async function sample(ports: SamplingPorts, row: ProcessRow, asked: SampleRequest): Promise<Sample> {
  const { clock, store, ledger, budgets } = ports;
  const model = await ports.modelOf(row);
  if (model.missing !== null) throw new SysError("EAUTH", model.missing);
  const request = requestFrom(row, model, asked);
  const most = async () => new Costs().most(model, request, asked.tokensMax);
  const reserved = await budgets.reserve(row, { most, signal: asked.signal });
  if (reserved === "paused") throw new SysError("ELIMIT", "the budget of the process is used up");
  try {
    const [at, from] = [clock.now(), clock.mono()];
    const { provider } = model;
    const answer = await abortAfter(clock, PATIENCE_MS, (late) =>
      modelTurn({ provider, request, signal: either(asked.signal, late), clock, onDelta: null }),
    );
    const ms = Math.round(clock.mono() - from);
    await ports.log(row.pid, { model: model.name, at, ms, answer });
    if (answer.usage !== undefined) {
      const spent = { ...charged(model.rate, answer.usage), model: model.name, ms, now: clock.now() };
      await store.waste(row.pid, { ...spent, runId: asked.run });
      await ledger.publish(row);
    }
    const turn = usable(answer, model);
    if (turn.kind !== "turn") throw new SysError("EIO", turn.kind === "failure" ? turn.failure.message : "cancelled");
    const most = asked.tokensMax * CHARS_PER_TOKEN;
    const isCut = turn.stop === "length" || turn.text.length > most;
    return { model: model.name, text: turn.text.slice(0, most), isCut };
  } finally {
    await budgets.settle(reserved);
  }
}

function requestFrom({ pid, cwd }: ProcessRow, { model }: Model, { system, messages }: SampleRequest): ModelRequest {
  const history = messages.map(({ role, text }, at) => {
    const base = { id: at + 1, runId: null, timestamp: 0 };
    return role === "user" ? { ...base, role, content: text } : { ...base, role, content: { text } };
  });
  return { model, system, messages: history, tools: [], about: { pid, home: "/", cwd } };
}
