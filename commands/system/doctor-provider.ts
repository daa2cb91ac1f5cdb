// `gsv doctor --provider`: one tiny call to the current model, and the result in plain words.

import type { FailureClass } from "../../src/abi/stream.ts";
import type { Finding } from "../../src/doctor/examine.ts";
import type { ModelTrial } from "../../src/syscalls/run/ai.ts";
import type { Io } from "../command.ts";

/** How to fix a failure of a provider at an address. */
const FIXES: { readonly [C in FailureClass]: (provider: string, address: string) => string } = {
  throttle: () => "wait: runs retry automatically",
  quota: (provider) => `the account at ${provider} has no credit or reached a limit: see its console`,
  outage: (provider) => `${provider} has an outage: try again later, or set another model in ai.fallback`,
  network: (_, address) => `no model server at ${address}: check the network, the proxy and the address`,
  timeout: (_, address) => `${address} accepts connections but does not answer: try again, or a smaller model`,
  config: () => "gsv config list -v ai shows what is set, and where",
  auth: (provider) => `gsv auth provider ${provider} keeps a key; a variable of the environment wins over it`,
  request: (provider) => `gsv models --provider ${provider} lists the models it has`,
  overflow: () => "the context of the model is too small: choose another",
  protocol: (_, address) => `${address} uses another API: set ai.providerStyle to responses or chat`,
  content: () => "the model works but declined to answer",
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
