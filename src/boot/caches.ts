// Builds the caches of a kernel that have no owner, and limits all caches by the setting kernel.memory, also when it changes.

import { CacheBudget } from "../lib/memory/cache-budget.ts";
import { TemporaryBytes } from "../lib/memory/growing-bytes.ts";
import type { HomePaths } from "../paths.ts";
import type { CacheParts } from "./core.ts";
import type { SettingParts } from "./settings.ts";

export function bootCaches({ temporaryDir }: HomePaths): CacheParts {
  const budget = new CacheBudget();
  const temporary = new TemporaryBytes(temporaryDir, () => budget.fit());
  temporary.clear();
  return { budget, temporary };
}

export function limitCaches({ budget, temporary }: CacheParts, { configNow, onConfig }: SettingParts): void {
  budget.add({
    name: "temporary files",
    bytes: () => temporary.bytes,
    shrink: (bytesMax) => temporary.shrink(bytesMax),
  });
  const limit = () => budget.limit(configNow()["kernel.memory"] * 2 ** 20);
  limit();
  onConfig(limit);
}
