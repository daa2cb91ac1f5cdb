// The price of a model: the one in settings, none for local models, else the price from its server or from gsv's list.

import { FREE, priceSet, pricesFrom, type Rate } from "../../abi/process/money.ts";
import type { ServedModel } from "../../abi/stream.ts";
import { factsOf } from "../../providers/models.ts";
import { type Choice, choiceText, OFFLINE } from "../../providers/table.ts";
import type { AskersSettings } from "./model-access.ts";

/** Local models are free, except `script`, which may play a model that costs. */
const UNPAID: readonly string[] = [OFFLINE.provider, "ollama"];

export function rateOf(settings: AskersSettings, choice: Choice, served?: ServedModel | null): Rate {
  const own = priceSet(pricesSet(settings), choiceText(choice));
  if (own !== null) return { price: own, isOwn: true };
  if (UNPAID.includes(choice.provider)) return { price: FREE, isOwn: false };
  return { price: factsOf(choice.provider, choice.model, 0, served).price, isOwn: false };
}

/** Invalid stored values count as not set. */
function pricesSet(settings: AskersSettings) {
  try {
    return pricesFrom(settings.text("ai.prices"));
  } catch {
    return {};
  }
}
