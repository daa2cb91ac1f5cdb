// Model lists of OpenAI (names only) and of compatible servers (with details).

import type { ServedModel } from "../../abi/stream.ts";
import { countOf, type JsonObject, recordOf } from "../json.ts";

const MILLION = 1_000_000;

export function servedModels(data: unknown): ServedModel[] {
  return (Array.isArray(data) ? (data as unknown[]) : []).flatMap((row) => {
    const fields = recordOf(row) ?? {};
    return typeof fields.id === "string" ? [served(fields.id, fields)] : [];
  });
}

function served(id: string, fields: JsonObject): ServedModel {
  const provider = recordOf(fields.top_provider);
  const output = first(provider?.max_completion_tokens, fields.max_completion_tokens, fields.max_output_tokens);
  const price = priceOf(recordOf(fields.pricing));
  const inputs = recordOf(fields.architecture)?.input_modalities;
  return {
    id,
    windowTokens: first(
      provider?.context_length,
      fields.context_length,
      fields.max_model_len,
      fields.context_window,
      recordOf(fields.meta)?.n_ctx,
      recordOf(fields.meta)?.n_ctx_train,
    ),
    ...(output === null ? {} : { outputTokens: output }),
    ...(price === null ? {} : { price }),
    ...(Array.isArray(inputs) ? { sees: (inputs as unknown[]).includes("image") } : {}),
  };
}

function first(...fields: readonly unknown[]): number | null {
  for (const each of fields) if ((countOf(each) ?? 0) > 0) return countOf(each);
  return null;
}

/** Prices per token, as text. Cache prices default to the input price. */
function priceOf(fields: JsonObject | null): ServedModel["price"] | null {
  const usd = (value: unknown) => {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
    // Round to a millionth of a dollar per million tokens: removes floating point noise.
    return number >= 0 ? Math.round(number * MILLION * MILLION) / MILLION : null;
  };
  const [input, output] = [usd(fields?.prompt), usd(fields?.completion)];
  if (fields === null || input === null || output === null) return null;
  const [cacheRead, cacheWrite] = [usd(fields.input_cache_read) ?? input, usd(fields.input_cache_write) ?? input];
  return { input, output, cacheRead, cacheWrite };
}
