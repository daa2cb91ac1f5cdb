// What a model is charged by: the price somebody set for it, none for what this machine answers itself, else what its server or gsv's own list
// says.

import { FREE, priceSet, pricesFrom, type Rate } from "../../abi/process/money.ts";
import type { ServedModel } from "../../abi/stream.ts";
import { factsOf } from "../../providers/models.ts";
import { type Choice, choiceText, OFFLINE } from "../../providers/table.ts";
import type { AskersSettings } from "./model-access.ts";

/** Nobody is paid for what this machine answers itself; a script may play a model that costs. */
const UNPAID: readonly string[] = [OFFLINE.provider, "ollama"];

export function rateOf(settings: AskersSettings, choice: Choice, served?: ServedModel | null): Rate {
  const own = priceSet(pricesSet(settings), choiceText(choice));
  if (own !== null) return { price: own, isOwn: true };
  if (UNPAID.includes(choice.provider)) return { price: FREE, isOwn: false };
  return { price: factsOf(choice.provider, choice.model, 0, served).price, isOwn: false };
}

/** What was set wrong by an older gsv, or for one command, counts as not set. */
function pricesSet(settings: AskersSettings) {
  try {
    return pricesFrom(settings.text("ai.prices"));
  } catch {
    return {};
  }
}
