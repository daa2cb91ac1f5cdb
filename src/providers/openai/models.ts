// The list of models as OpenAI gives it, names alone, and as compatible servers do, each with what it has to say besides.

import type { ServedModel } from "../../abi/stream.ts";
import { countOf, recordOf } from "../json.ts";

type Told = { readonly [key: string]: unknown };

const MILLION = 1_000_000;

export function servedModels(data: unknown): ServedModel[] {
  return (Array.isArray(data) ? (data as unknown[]) : []).flatMap((row) => {
    const told = recordOf(row) ?? {};
    return typeof told.id === "string" ? [served(told.id, told)] : [];
  });
}

function served(id: string, told: Told): ServedModel {
  const provider = recordOf(told.top_provider);
  const output = first(provider?.max_completion_tokens, told.max_completion_tokens, told.max_output_tokens);
  const price = priceOf(recordOf(told.pricing));
  const inputs = recordOf(told.architecture)?.input_modalities;
  return {
    id,
    windowTokens: first(
      provider?.context_length,
      told.context_length,
      told.max_model_len,
      told.context_window,
      recordOf(told.meta)?.n_ctx,
      recordOf(told.meta)?.n_ctx_train,
    ),
    ...(output === null ? {} : { outputTokens: output }),
    ...(price === null ? {} : { price }),
    ...(Array.isArray(inputs) ? { sees: (inputs as unknown[]).includes("image") } : {}),
  };
}

function first(...told: readonly unknown[]): number | null {
  for (const each of told) if ((countOf(each) ?? 0) > 0) return countOf(each);
  return null;
}

/** Told for one token, as text; what reads or writes a cache costs as what goes in where nothing is said of it. */
function priceOf(told: Told | null): ServedModel["price"] | null {
  const usd = (value: unknown) => {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
    // To a millionth of a dollar for a million: what a product of two roundings leaves is no price.
    return number >= 0 ? Math.round(number * MILLION * MILLION) / MILLION : null;
  };
  const [input, output] = [usd(told?.prompt), usd(told?.completion)];
  if (told === null || input === null || output === null) return null;
  const [cacheRead, cacheWrite] = [usd(told.input_cache_read) ?? input, usd(told.input_cache_write) ?? input];
  return { input, output, cacheRead, cacheWrite };
}
