// Limits the size of the arguments of a model's tool calls, which are stored, shown to people and sent to the model again each turn. A call
// with too large arguments is not carried out: an excerpt, marked as one, is stored in their place, and its result tells the model what to
// do instead.

import { LIMITS } from "../../abi/config/limits.ts";
import type { ToolCall } from "../../abi/process/message.ts";
import { jsonBytes } from "../../lib/text/fitting.ts";
import { headAndTail } from "../../lib/text/truncate.ts";

type Args = ToolCall["args"];

/** No tool has a parameter of this name. */
const CUT = "[cut]";
const EXCERPT_BYTES = 2048;

/** The calls of a turn as they are stored. */
export function storable(calls: readonly ToolCall[]): readonly ToolCall[] {
  let kept = 0;
  return calls.map((call) => {
    const bytes = jsonBytes(call.args);
    if (bytes <= LIMITS.toolArgsBytesMax && kept + bytes <= LIMITS.toolArgsPerTurnBytesMax) {
      kept += bytes;
      return call;
    }
    return { ...call, args: { [CUT]: headAndTail(JSON.stringify(call.args), EXCERPT_BYTES).text, bytes } };
  });
}

/** Why a call was not carried out whose arguments are an excerpt; null for all others. */
export function tooHeavy(tool: string, args: Args): string | null {
  if (!Object.hasOwn(args, CUT)) return null;
  const { toolArgsBytesMax: one, toolArgsPerTurnBytesMax: all } = LIMITS;
  return [
    `EFBIG: ${tool} was not carried out: its arguments take ${args.bytes} bytes.`,
    `One call takes at most ${one} bytes, all calls of a turn together ${all}.`,
    "Do it in pieces: Write the beginning of a long file, then add each further part with Edit, one call a turn.",
  ].join("\n");
}
