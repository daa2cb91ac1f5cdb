// A tool call as one line; opened, its arguments or its diff, and its output.

import { useState } from "react";
import { reveal, sanitize } from "../../../src/lib/text/sanitize.ts";
import { durationText } from "../../screen/numbers.ts";
import { lineIn } from "../../talk/change.ts";
import { outcomeOf } from "../../talk/outcome.ts";
import { subjectOf } from "../../talk/subject.ts";
import type { CallItem } from "../store/items.ts";
import { Diff } from "../text/diff.tsx";
import { changeLines, type DiffLine } from "../text/diff-lines.ts";

const OUTPUT_CHARS_MAX = 200_000;
/** A change is shown without a click if it is short. */
const SHOWN_LINES = 24;
const SHOWN_BY_ARGS = new Set(["content", "oldString", "newString", "path", "command"]);

export function CallEntry({ item }: { readonly item: CallItem }) {
  const { tool, args, result } = item;
  const lines = result?.ok === false ? null : linesOf(item);
  const [isOpen, setOpen] = useState<boolean | null>(null);
  const isShown = isOpen ?? (lines !== null && lines.length <= SHOWN_LINES);
  const outcome = result === null ? null : outcomeOf({ tool, args, ok: result.ok, output: result.output });
  const about = [outcome?.words ?? "", result?.tookMs == null ? "" : durationText(result.tookMs)]
    .filter(Boolean)
    .join(" · ");
  const [glyph, tone] = outcome === null ? ["·", "dim"] : outcome.isGood ? ["✓", "ok"] : ["✗", "bad"];
  return (
    <article className="entry call" aria-label={`Call of ${tool}`}>
      <button type="button" className="call-line" aria-expanded={isShown} onClick={() => setOpen(!isShown)}>
        <span className={`glyph ${tone}`} aria-hidden="true">
          {glyph}
        </span>
        <span className="tool">{reveal(tool)}</span>
        <span className="subject">{reveal(subjectOf(tool, args)).replaceAll("\n", "⏎")}</span>
        <span className="dim about">{result === null ? "running" : about}</span>
      </button>
      {isShown && lines !== null && <Diff lines={lines} label={`Changes of ${subjectOf(tool, args)}`} />}
      {isShown && <Rest item={item} hasDiff={lines !== null} />}
      {!isShown && outcome !== null && outcome.lines.length > 0 && (
        <pre className="output bad-lines">{outcome.lines.join("\n")}</pre>
      )}
    </article>
  );
}

function Rest({ item: { args, result }, hasDiff }: { readonly item: CallItem; readonly hasDiff: boolean }) {
  const rest = Object.entries(args).filter(
    ([name, value]) => !SHOWN_BY_ARGS.has(name) || (!hasDiff && String(value).includes("\n")),
  );
  return (
    <>
      {rest.map(([name, value]) => (
        <pre key={name} className="output">
          <span className="dim">{reveal(name)}: </span>
          {sanitize(typeof value === "string" ? value : JSON.stringify(value))}
        </pre>
      ))}
      {result !== null && !(hasDiff && result.ok) && result.output !== "" && (
        <pre className="output" tabIndex={0}>
          {sanitize(result.output.slice(0, OUTPUT_CHARS_MAX))}
        </pre>
      )}
    </>
  );
}

/** Of a call that changes a file; null of any other. */
function linesOf({ args, result }: CallItem): readonly DiffLine[] | null {
  const { oldString, newString, content } = args as { readonly [name: string]: unknown };
  if (typeof oldString === "string" && typeof newString === "string")
    return changeLines(oldString, newString, lineIn(result?.output ?? null));
  return typeof content === "string" ? changeLines("", content, 1) : null;
}
