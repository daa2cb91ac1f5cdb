// `/new`: flags of `spawn` first, then the prompt.

import { spawnAs } from "../../commands/approvals/trust.ts";
import { flagsOf } from "../../commands/args.ts";
import { shortText } from "../../src/lib/text/truncate.ts";
import { LABEL_CHARS } from "../talk/job-effects.ts";

const FLAG = /\s*(--?[a-zA-Z][^\s=]*)(=(?:"[^"]*"|'[^']*'|[^\s"'])*)?(?=\s|$)/y;
const WORDS = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
const QUOTED = /"([^"]*)"|'([^']*)'/g;
const VALUE = /\s*(?:"[^"]*"|'[^']*'|[^\s"'])+(?=\s|$)/y;

/** The index of the prompt; `takes`: the flag has a value. */
function wordsAt(rest: string, takes: (flag: string) => boolean): number {
  let at = 0;
  for (;;) {
    FLAG.lastIndex = at;
    const [whole, flag = "", value] = FLAG.exec(rest) ?? [];
    if (whole === undefined) return at;
    at += whole.length;
    if (value !== undefined || !takes(flag)) continue;
    VALUE.lastIndex = at;
    at += VALUE.exec(rest)?.[0].length ?? 0;
  }
}

interface Made {
  readonly argv: readonly string[];
  /** For the transcript. */
  readonly shown: readonly string[];
}

/** The command, word for word; null if the flags need expansion. */
export async function spawnOf(rest: string): Promise<Made | null> {
  const flags = flagsOf((await spawnAs("spawn")).spec.input);
  // An unknown flag takes the next word, and the command refuses both.
  const at = wordsAt(rest, (flag) => flags.get(flag)?.spec.kind !== "flag");
  const typed = rest.slice(0, at).trim();
  if (/[$`\\]/.test(typed.replace(/'[^']*'/g, ""))) return null;
  const given = typed.match(WORDS)?.map((word) => word.replace(QUOTED, (_, one = "", two = "") => one + two)) ?? [];
  const words = rest.slice(at).trim();
  const isLabelled = words === "" || given.some((word) => /^--label(?:=|$)/.test(word));
  const asked = words === "" ? [] : ["--prompt", words];
  const label = isLabelled ? [] : ["--label", shortText(words, LABEL_CHARS)];
  const shown = ["spawn", ...given, ...asked];
  return { argv: [...shown, ...label], shown };
}
