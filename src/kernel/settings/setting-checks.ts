// Checks of settings beyond their schema: unknown models and providers, invalid addresses, policies and prices. Loaded only for writes.

import { SysError } from "../../abi/errno.ts";
import { parsePolicy } from "../../abi/policy.ts";
import { budgetStated } from "../../abi/process/budget.ts";
import { pricesFrom } from "../../abi/process/money.ts";
import { PROFILES } from "../../abi/process/process.ts";
import { ollamaUrl, serverUrl } from "../../providers/access.ts";
import { choiceOf, choiceOfProvider } from "../../providers/table.ts";

export function checkSetting(name: string, value: string): void {
  CHECKS[name]?.(value);
}

const CHECKS: { readonly [key: string]: (value: string) => void } = {
  "ai.model": (model) => void choiceOf(model),
  "ai.provider": (provider) => void choiceOfProvider(provider),
  "ai.fallback": checkFallback,
  "ai.tools.approval": checkPolicy,
  ...Object.fromEntries(PROFILES.map((profile) => [`ai.profile.${profile}.tools.approval`, checkPolicy])),
  "ai.baseUrl": checkUrl,
  "ai.prices": (json) => void pricesFrom(json),
  "session.identityLinks": checkLinks,
  "budget.day": checkBudget,
  "budget.task": checkBudget,
  "baseUrls.anthropic": checkUrl,
  "baseUrls.openai": checkUrl,
  "baseUrls.ollama": (text) => void (text.trim() === "none" || ollamaUrl(text) !== null || refuseUrl()),
};

function checkPolicy(text: string): void {
  parsePolicy(text);
}

function checkFallback(json: string): void {
  for (const each of JSON.parse(json) as readonly unknown[]) {
    if (typeof each !== "string")
      throw new SysError("ECONFIG", 'ai.fallback must be a list of model names, such as ["openai/gpt-5.4"]');
    choiceOf(each);
  }
}

function checkLinks(json: string): void {
  for (const names of Object.values(JSON.parse(json) as object)) {
    if (Array.isArray(names) && names.every((name) => typeof name === "string")) continue;
    throw new SysError("ECONFIG", "session.identityLinks must list addresses for each name", [
      'for example: {"alice": ["telegram:4711", "discord:ali"]}',
    ]);
  }
}

function checkBudget(text: string): void {
  try {
    budgetStated(text);
  } catch (error) {
    throw error instanceof SysError ? new SysError("ECONFIG", error.message, error.hints) : error;
  }
}

function checkUrl(text: string): void {
  if (serverUrl(text) === null) refuseUrl();
}

// The address is not quoted: it may contain a password.
function refuseUrl(): never {
  throw new SysError("ECONFIG", "not a server address", ["use http(s)://HOST/PATH, without user or password"]);
}
