// Ollama's models: a list of names, then details for each. A model without details is listed with unknown facts.

import type { ServedModel } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import { countOf, recordOf } from "../json.ts";

/** GET, or POST if there is a body. */
export type Asks = (path: string, waitMs: number, body?: object) => Promise<unknown>;

type Row = { readonly [key: string]: unknown };

const LIST_MS = 10_000;
/** Short: a user may be waiting for the list. */
const DESCRIPTION_MS = 300;
const DESCRIPTIONS_MS = 600;
const AT_ONCE = 4;

export async function modelsListed(ask: Asks, clock: Pick<Clock, "mono">): Promise<readonly ServedModel[]> {
  const rows = rowsOf(recordOf(await ask("/api/tags", LIST_MS))?.models);
  const told = rows.map(modelOf);
  const left = told.flatMap(({ windowTokens }, at) => (windowTokens === null ? [at] : []));
  const until = clock.mono() + DESCRIPTIONS_MS;
  const describe = async () => {
    for (let at = left.shift(); at !== undefined && clock.mono() < until; at = left.shift()) {
      const row = rows[at];
      if (row !== undefined) told[at] = modelOf({ ...row, ...(await described(ask, row.name)) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, describe));
  return told;
}

async function described(ask: Asks, model: unknown): Promise<Row> {
  const { capabilities, model_info: facts } =
    recordOf(await ask("/api/show", DESCRIPTION_MS, { model }).catch(() => null)) ?? {};
  // The key starts with the model family.
  const [, window] = Object.entries(recordOf(facts) ?? {}).find(([key]) => key.endsWith(".context_length")) ?? [];
  return { context_length: window, ...(capabilities === undefined ? {} : { capabilities }) };
}

function rowsOf(models: unknown): readonly (Row & { readonly name: string })[] {
  return (Array.isArray(models) ? models : []).flatMap((row: unknown) => {
    const { name, ...more } = recordOf(row) ?? {};
    return typeof name === "string" ? [{ ...more, name }] : [];
  });
}

function modelOf({ name, context_length: window, capabilities }: Row): ServedModel {
  const can = Array.isArray(capabilities) ? (capabilities as unknown[]) : null;
  const sees = can === null ? {} : { sees: can.includes("vision") };
  return { id: String(name), windowTokens: countOf(window), ...sees };
}
