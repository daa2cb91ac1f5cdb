// A model that a run can ask: its provider, its names, its price and its limits.

import { SysError } from "../../abi/errno.ts";
import { charged, type Rate } from "../../abi/process/money.ts";
import type { ModelRequest, Provider } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ModelTrial } from "../../syscalls/run/ai.ts";
import { failureText } from "./failure-text.ts";

export interface Model {
  readonly provider: Provider;
  /** The provider's name for it. */
  readonly model: string;
  /** The environment variable of its key; null if the key is stored or not needed. */
  readonly keyFrom: string | null;
  /** The name shown to people and kept in history. */
  readonly name: string;
  /** Why it cannot be asked yet; null if it can. */
  readonly missing: string | null;
  /** Of its server. */
  readonly address?: string;
  readonly rate: Rate;
  /** Tells keys apart without revealing them. */
  readonly keyMark: string | null;
  /** Token limits of a request and of an answer; null if no server limits them. */
  readonly window: { readonly windowTokens: number; readonly outputTokens: number } | null;
}

const TRIAL: Pick<ModelRequest, "system" | "tools"> = { system: "", tools: [] };

/** Tests a model with one tiny request. */
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
    if (event.type === "error") {
      const failure = { ...event.failure, message: failureText(event.failure, model) };
      return { model: model.name, ok: false, ms, text, usage: null, priced: true, failure };
    }
    if (event.type === "aborted") break;
  }
  throw new SysError("ECANCELED", "the test call was cancelled");
}
