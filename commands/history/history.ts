// `gsv history show|search|export|segments|policy`. Without a verb it prints the newest page, like proc history.

import { isPid } from "../../src/abi/ids.ts";
import { quotedName } from "../../src/abi/process/process-name.ts";
import { wantsColour } from "../../src/lib/text/colour.ts";
import { localTime } from "../../src/lib/text/days.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import type { FoundText, SearchResult } from "../../src/syscalls/proc/history-service.ts";
import { foundHead, procHistoryCalls, searchNote } from "../../src/syscalls/proc/proc-history.ts";
import { looksLikeFlag } from "../args.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { noun } from "../derive.ts";
import { note } from "../io/status.ts";
import { printPage, printResult } from "../print.ts";
import { allProcesses } from "../proc/process-names.ts";
import { exportHistory } from "./history-export.ts";

const BOLD = "\x1b[1m";
const PLAIN = "\x1b[22m";

const searchCall = procHistoryCalls.find(({ name }) => name === "proc.search")!;

export async function history(): Promise<Command> {
  const made = await noun("history", "Show, search and edit histories", {
    show: "proc.history",
    search,
    export: exportHistory,
    segments: "proc.segments",
    policy: "proc.history.policy",
  });
  return { ...made, run: (args, io) => made.run(meansShow(args) ? ["show", ...args] : args, io) };
}

/** No words, a pid, or only flags other than --help. */
function meansShow(args: readonly string[]): boolean {
  if (args.some((arg) => arg === "--help" || arg === "-h")) return false;
  const first = args[0];
  return first === undefined || isPid(first) || (looksLikeFlag(first) && first !== "--");
}

const search: Command = command(
  {
    name: "history search",
    summary: searchCall.summary,
    input: searchCall.input,
    examples: searchCall.cli.examples,
    notes: ["Ignores case and accents. To print a whole message: gsv proc message --pid PID ID"],
  },
  async ({ args, json }, io) => {
    const result = await io.sys().call<SearchResult>("proc.search", args);
    if (json || !io.stdout.isTTY) await printResult(io, searchCall.cli.print, result, json);
    else await printLit(io, result);
    const { words = [] } = args as { readonly words?: readonly string[] };
    const last = words.at(-1) ?? "";
    if (result.found.length === 0 && io.stderr.isTTY && /^[\p{L}\p{N}]+$/u.test(last))
      await note(io, `whole words are looked for: ${quoted(`${last}*`)} finds those that begin so`);
    // Like grep.
    return result.found.length === 0 ? 1 : 0;
  },
);

/** Names in place of pids; hits are bold. The text itself is made inert. */
async function printLit(io: Io, result: SearchResult): Promise<void> {
  const isBold = wantsColour(true, io.env);
  const processes = result.found.length > 0 ? await allProcesses(io).catch(() => []) : [];
  const names = new Map(processes.map((each) => [each.pid, quotedName(each, processes)]));
  const lines = result.found.map((row) => {
    const head = foundHead({ ...row, pid: names.get(row.pid) ?? row.pid }, localTime);
    return `${reveal(head)} ${isBold ? lit(row) : reveal(row.snippet)}\n`;
  });
  if (lines.length > 0) await printPage(io, lines.join(""), { isInert: true });
  if (result.found.length === 0) await note(io, "(nothing found)");
  const more = searchNote(result);
  if (more !== null) await note(io, more);
}

function lit({ snippet, hits }: FoundText): string {
  let [text, at] = ["", 0];
  for (const [begin, end] of hits) {
    text += reveal(snippet.slice(at, begin)) + BOLD + reveal(snippet.slice(begin, end)) + PLAIN;
    at = end;
  }
  return text + reveal(snippet.slice(at));
}
