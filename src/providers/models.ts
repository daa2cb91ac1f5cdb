// Model data: window, price, abilities, aliases. Prices: US dollars per million tokens, as published in mid-November 2026. A window
// reported by the server wins. Unlisted models work with the assumptions of `unknownModel`.

import type { Price } from "../abi/process/money.ts";
import type { ServedModel, Thinking } from "../abi/stream.ts";

export interface ModelFacts {
  readonly id: string;
  readonly provider: string;
  readonly windowTokens: number;
  readonly outputTokens: number;
  /** Null if unknown; then it counts as 0. */
  readonly price: Price | null;
  readonly thinking: Thinking;
  readonly sees: boolean;
  readonly aliases: readonly string[];
  /** True if listed below. */
  readonly isKnown: boolean;
}

type Row = readonly [
  id: string,
  windowTokens: number,
  outputTokens: number,
  price: readonly [input: number, output: number, cacheRead: number] | null,
  thinking: Thinking,
  ...aliases: string[],
];

const MILLION = 1_000_000;

const ANTHROPIC: readonly Row[] = [
  ["claude-sonnet-5-5", MILLION, 128_000, [2, 10, 0.2], "adaptive", "sonnet", "claude"],
  ["claude-opus-5-5", MILLION, 128_000, [4, 20, 0.4], "always", "opus"],
  ["claude-haiku-5-5", MILLION, 128_000, null, "adaptive", "haiku"],
  ["claude-fable-5-1", MILLION, 128_000, [10, 50, 1], "always", "fable"],
  ["claude-opus-5", MILLION, 128_000, [5, 25, 0.5], "adaptive"],
  ["claude-sonnet-5", MILLION, 128_000, [2, 10, 0.2], "adaptive"],
  ["claude-sonnet-4-6", 200_000, 64_000, [3, 15, 0.3], "adaptive"],
  ["claude-haiku-4-5", 200_000, 64_000, [1, 5, 0.1], "budget"],
  ["claude-opus-4-5", 200_000, 64_000, [5, 25, 0.5], "budget"],
  ["claude-sonnet-4-5", 200_000, 64_000, [3, 15, 0.3], "budget"],
];

const OPENAI: readonly Row[] = [
  ["gpt-5.4", MILLION, 128_000, [2.5, 15, 0.25], "effort", "gpt"],
  ["gpt-5.4-mini", MILLION, 128_000, [0.75, 4.5, 0.075], "effort", "gpt-mini"],
  ["gpt-5.4-nano", MILLION, 128_000, [0.2, 1.25, 0.02], "effort", "gpt-nano"],
  ["gpt-5.5", MILLION, 128_000, [5, 30, 0.5], "effort"],
  ["gpt-5", 400_000, 128_000, [1.25, 10, 0.125], "effort"],
  ["gpt-5-mini", 400_000, 128_000, [0.25, 2, 0.025], "effort"],
  ["gpt-5-nano", 400_000, 128_000, [0.05, 0.4, 0.005], "effort"],
  ["gpt-4.1", 1_047_576, 32_768, [2, 8, 0.5], "none"],
  ["gpt-4.1-mini", 1_047_576, 32_768, [0.4, 1.6, 0.1], "none"],
  ["gpt-4o", 128_000, 16_384, [2.5, 10, 1.25], "none"],
  ["gpt-4o-mini", 128_000, 16_384, [0.15, 0.6, 0.075], "none"],
  ["o3", 200_000, 100_000, [2, 8, 0.5], "effort"],
  ["o4-mini", 200_000, 100_000, [1.1, 4.4, 0.275], "effort"],
];

const MODELS: readonly ModelFacts[] = [...rows("anthropic", ANTHROPIC), ...rows("openai", OPENAI)];

function rows(provider: string, table: readonly Row[]): ModelFacts[] {
  return table.map(([id, windowTokens, outputTokens, price, thinking, ...aliases]) => ({
    id,
    provider,
    windowTokens,
    outputTokens,
    price: price === null ? null : priced(provider, price),
    thinking,
    sees: true,
    aliases,
    isKnown: true,
  }));
}

// Anthropic charges 25 % more for cache writes, OpenAI nothing.
function priced(provider: string, [input, output, cacheRead]: readonly [number, number, number]): Price {
  return { input, output, cacheRead, cacheWrite: provider === "anthropic" ? input * 1.25 : input };
}

export function knownModels(provider?: string): readonly ModelFacts[] {
  return MODELS.filter((model) => provider === undefined || model.provider === provider);
}

/** Default model of a provider; null if only its server knows. */
export function usualModel(provider: string): string | null {
  return MODELS.find((model) => model.provider === provider)?.id ?? null;
}

/** By id or alias. Ids may end with a snapshot date. */
export function modelNamed(name: string, provider?: string): ModelFacts | null {
  const plain = name.replace(/-20\d{6}$|-20\d\d-\d\d-\d\d$/, "");
  const found = knownModels(provider).find(({ id, aliases }) => id === plain || aliases.includes(name));
  if (found === undefined) return null;
  return found.id === plain ? { ...found, id: name } : found;
}

/** Assumptions for unlisted models: configured window, longest answers, no price, no vision. */
function unknownModel(provider: string, id: string, windowTokens: number): ModelFacts {
  const isNewClaude = provider === "anthropic" && id.startsWith("claude-");
  return {
    id,
    provider,
    windowTokens,
    outputTokens: isNewClaude ? 64_000 : windowTokens,
    price: null,
    thinking: "none",
    sees: isNewClaude,
    aliases: [],
    isKnown: false,
  };
}

/** Facts from the list and the server. The server wins for sizes and abilities, the list for prices. */
export function factsOf(
  provider: string,
  id: string,
  windowTokens: number,
  served: ServedModel | null = null,
): ModelFacts {
  const facts = modelNamed(id, provider) ?? unknownModel(provider, id, windowTokens);
  if (served === null) return facts;
  const window = served.windowTokens ?? facts.windowTokens;
  return {
    ...facts,
    windowTokens: window,
    outputTokens: served.outputTokens ?? Math.min(facts.outputTokens, window),
    price: facts.price ?? served.price ?? null,
    thinking: facts.isKnown ? facts.thinking : (served.thinking ?? facts.thinking),
    sees: served.sees ?? facts.sees,
  };
}

/** Default maximum window for Ollama: fits most models on one machine. */
const OLLAMA_WINDOW_TOKENS = 32_768;

/** Window to request from Ollama. */
export function ollamaWindow(windowTokens: number): number {
  return Math.min(OLLAMA_WINDOW_TOKENS, windowTokens);
}
