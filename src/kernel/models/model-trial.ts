// Tests a model with one tiny real call.

import { SysError } from "../../abi/errno.ts";
import { charged } from "../../abi/process/money.ts";
import type { ModelRequest } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ModelTrial } from "../../syscalls/run/ai.ts";
import type { Model } from "./model.ts";

const TRIAL: Pick<ModelRequest, "system" | "tools"> = { system: "", tools: [] };

export async function tried(model: Model, clock: Clock, signal: AbortSignal): Promise<Omit<ModelTrial, "address">> {
  const began = clock.mono();
  const messages = [
    { id: 1, runId: null, timestamp: 0, role: "user", content: "Answer with one word: ready" },
  ] as const;
  const about = { pid: "trial", home: "/", cwd: "/" };
  let text = "";
  for await (const event of model.provider.stream({ ...TRIAL, model: model.model, messages, about }, signal)) {
    if (event.type === "text") text += event.text;
    const ms = Math.round(clock.mono() - began);
    if (event.type === "done") {
      return { model: model.name, ok: true, ms, text, ...charged(model.rate, event.usage), failure: null };
    }
    if (event.type === "error")
      return { model: model.name, ok: false, ms, text, usage: null, priced: true, failure: event.failure };
    if (event.type === "aborted") break;
  }
  throw new SysError("ECANCELED", "the test call was cancelled");
}
