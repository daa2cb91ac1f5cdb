import type { Usage } from "../../../src/abi/process/process.ts";
import { countText, usdText } from "../../screen/numbers.ts";

export function spentText({ input, cacheRead, cacheWrite, output, costUsd }: Usage): string {
  const read = input + cacheRead + cacheWrite;
  const tokens = read + output > 0 ? [`${countText(read)} in, ${countText(output)} out`] : [];
  return [...tokens, ...(costUsd > 0 ? [usdText(costUsd)] : [])].join(" · ");
}
