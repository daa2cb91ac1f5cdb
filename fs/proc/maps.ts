// /proc/PID/maps: contents of the next request, by source and tokens.

import type { Caller } from "../../src/abi/identity.ts";
import type { BillLine } from "../../src/abi/process/prompt.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Row } from "../generated/synthetic.ts";
import { unlessGone } from "../read/context-files.ts";

interface PromptSizes {
  readonly model: string;
  readonly windowTokens: number | null;
  readonly tokens: number;
  readonly bytes: number;
  readonly bill: readonly BillLine[];
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
}

export function mapsRow(sysFor: (caller: Caller) => Sys): Row {
  return {
    path: "/*/maps",
    text: async (caller, [pid = ""]) =>
      mapsText(await unlessGone(`/${pid}`, sysFor(caller).call("proc.prompt", { pid }))),
  };
}

/** One line per file, tool and message role. */
function mapsText({ model, windowTokens, tokens, bytes, bill, leftOut }: PromptSizes): string {
  const lines = bill.map(
    (line) => `${line.source}\t${line.bytes}\t${line.tokens}\t${shareOf(line.tokens, tokens)}\t${plain(line.what)}`,
  );
  const window = windowTokens === null ? "" : ` of ${windowTokens}`;
  return [
    `# next request to ${plain(model)}: about ${tokens} tokens${window}, ${bytes} bytes`,
    "# source\tbytes\ttokens\tshare\twhat",
    ...lines,
    ...leftOut.map(({ path, why }) => `# left out (${why}): ${plain(path)}`),
    "",
  ].join("\n");
}

function shareOf(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)}%`;
}

function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, "?");
}
