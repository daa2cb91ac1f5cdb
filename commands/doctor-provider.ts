// `gsv doctor --provider`: one tiny call to whoever would answer now, and what came of it in plain words.

import type { FailureClass } from "../src/abi/stream.ts";
import type { Finding } from "../src/doctor/examine.ts";
import type { ModelTrial } from "../src/syscalls/ai-service.ts";
import type { Io } from "./command.ts";

const FIXES: { readonly [C in FailureClass]: string } = {
  throttle: "wait; a run does that by itself",
  quota: "the account has no credit or has reached its limit: its provider's console says which",
  outage: "the server has trouble of its own: try again later, or name another in ai.fallback",
  network: "nobody answers there: check the network, ai.baseUrl and the address in the environment",
  timeout: "the server is there and says nothing: try again, or a smaller model",
  config: "gsv config list -v ai shows what is set, and where",
  auth: "gsv auth provider NAME keeps a key; a variable of the environment wins over it",
  request: "the server does not take the request: gsv models lists the models it has",
  overflow: "the model takes less than one word: choose another",
  protocol: "what answers speaks in another way: ai.providerStyle says responses or chat",
  content: "the model would not answer",
};

export async function tryProvider(io: Io): Promise<Finding> {
  const trial = await io.sys().call<ModelTrial>("ai.test", {});
  const { model, ms, failure, usage } = trial;
  if (failure !== null) {
    const what = `${model}: ${failure.message} (${failure.class})`;
    return { check: "provider", level: "problem", what, fix: FIXES[failure.class] };
  }
  const tokens = usage === null ? "" : `, ${usage.input + usage.cacheRead} tokens in and ${usage.output} out`;
  return { check: "provider", level: "ok", what: `${model} answered in ${ms} ms${tokens}` };
}
