// A failure of a model in one sentence for people: the provider, what it did, and what to type if a person can fix it. The server's own
// words stay where only they say what is wrong. Pure.

import type { Failure } from "../../abi/stream.ts";
import { serverOf } from "../../providers/table.ts";
import { providerOf } from "./outages.ts";

interface Asked {
  readonly name: string;
  readonly model: string;
  readonly keyFrom: string | null;
}

const OUTAGES: { readonly [status: number]: string } = { 503: "is unavailable", 529: "is overloaded" };
const PREFIX = /^the server answered \d+(?:: )?/;

function addressSetting(provider: string): string {
  return serverOf(provider)?.urlSetting ?? "ai.baseUrl";
}

export function failureText(failure: Failure, { name, model, keyFrom }: Asked): string {
  const provider = providerOf(name);
  const { status, message } = failure;
  if (status === undefined) {
    const said = message.replace(/\bthe model server\b/, provider);
    return failure.class === "server"
      ? `${said}. Another address: gsv config set ${addressSetting(provider)} URL`
      : said;
  }
  const words = message.replace(PREFIX, "");
  const why = words === "" ? "" : `: ${words}`;
  switch (failure.class) {
    case "auth":
      return `${provider} refused ${keyFrom ?? "the key"} (${status}). Another: gsv auth provider ${provider}`;
    case "model":
      return `${provider} has no model ${model} (${status}). To see its models: gsv models --provider ${provider}`;
    case "throttle":
      return `${provider} has reached its rate limit (${status})`;
    case "quota":
      return `${provider} has no quota left (${status})${why}`;
    case "outage":
      return `${provider} ${OUTAGES[status] ?? "has a server error"} (${status})`;
    default:
      return `${provider} refused the request (${status})${why}`;
  }
}
