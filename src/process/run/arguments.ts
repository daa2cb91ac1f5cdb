// Limits the size of a model's tool call arguments: they are stored, shown to people and sent to the model again each turn. A call with too
// large arguments does not run. A marked excerpt is stored instead, and the result tells the model what to do.

import { LIMITS } from "../../abi/config/limits.ts";
import type { ToolCall } from "../../abi/process/message.ts";
import { jsonBytes } from "../../lib/text/fitting.ts";
import { headAndTail } from "../../lib/text/truncate.ts";

type Args = ToolCall["args"];

/** No tool has a parameter of this name. */
const CUT = "[cut]";
const EXCERPT_BYTES = 2048;

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

/** The error for a call whose arguments are an excerpt; null for all others. */
export function tooHeavy(tool: string, args: Args): string | null {
  if (!Object.hasOwn(args, CUT)) return null;
  const { toolArgsBytesMax: one, toolArgsPerTurnBytesMax: all } = LIMITS;
  return [
    `EFBIG: ${tool} did not run: its arguments have ${args.bytes} bytes.`,
    `The limit is ${one} bytes for one call and ${all} for all calls of a turn.`,
    "Work in pieces: Write the first part of a long file, then add each further part with Edit, one call a turn.",
  ].join("\n");
}
