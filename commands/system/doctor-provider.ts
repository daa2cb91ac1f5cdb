// `gsv doctor --provider`: one tiny call to whoever would answer now, and what came of it in plain words.

import type { FailureClass } from "../../src/abi/stream.ts";
import type { Finding } from "../../src/doctor/examine.ts";
import type { ModelTrial } from "../../src/syscalls/run/ai-service.ts";
import type { Io } from "../command.ts";

/** What to do about a failure, for a provider at an address. */
const FIXES: { readonly [C in FailureClass]: (provider: string, address: string) => string } = {
  throttle: () => "wait: a run does that by itself",
  quota: (provider) => `the account at ${provider} has no credit or has reached a limit: its console says which`,
  outage: (provider) => `${provider} has trouble of its own: try again later, or name another model in ai.fallback`,
  network: (_, address) =>
    `nobody that is a model server answers at ${address}: check the network, a proxy, and the address`,
  timeout: (_, address) => `${address} takes the connection and says nothing: try again, or a smaller model`,
  config: () => "gsv config list -v ai shows what is set, and where",
  auth: (provider) => `gsv auth provider ${provider} keeps a key; a variable of the environment wins over it`,
  request: (provider) => `gsv models --provider ${provider} lists the models it has`,
  overflow: () => "the model takes less than one word: choose another",
  protocol: (_, address) => `${address} speaks in another way: ai.providerStyle says responses or chat`,
  content: () => "the model is there and would not answer this: that is its own affair",
};

export async function tryProvider(io: Io): Promise<Finding> {
  return explained(await io.sys().call<ModelTrial>("ai.test", {}));
}

function explained({ model, address, ms, failure, usage }: ModelTrial): Finding {
  const [provider = model] = model.split(/[/:]/);
  const where = address === null ? "" : ` at ${address}`;
  if (failure !== null) {
    const what = `${model}${where}: ${failure.message} (${failure.class})`;
    return { check: "provider", level: "problem", what, fix: FIXES[failure.class](provider, address ?? provider) };
  }
  const tokens = usage === null ? "" : `, ${usage.input + usage.cacheRead} tokens in and ${usage.output} out`;
  return { check: "provider", level: "ok", what: `${model}${where} answered in ${ms} ms${tokens}` };
}
