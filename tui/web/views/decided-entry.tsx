import { reveal } from "../../../src/lib/text/sanitize.ts";
import { DECIDED, isPlan, realSubject } from "../../approval-card/approval-card-title.ts";
import type { Note } from "../store/talk.ts";
import { Diff } from "../text/diff.tsx";
import { shownLines } from "../text/diff-lines.ts";

/** A request and its decision stay in the conversation: it is the record of what was allowed. */
export function DecidedEntry({ ask, decision, by }: Extract<Note, { readonly kind: "decided" }>) {
  const isYes = decision === "approve" || decision === "answer";
  const diff = ask.about?.diff ?? null;
  const subject = ask.kind === "question" || isPlan(ask) ? "" : reveal(realSubject(ask)).replaceAll("\n", "⏎");
  return (
    <article className="entry call" aria-label="Decision">
      <p className="call-line">
        <span className={`glyph ${isYes ? "ok" : "bad"}`} aria-hidden="true">
          {isYes ? "✓" : "✗"}
        </span>
        <span className="tool">
          {DECIDED[decision] ?? reveal(decision)}
          {by !== null && by !== "kernel" && ` by ${reveal(by)}`}
        </span>
        <span className="subject">
          {ask.kind === "question" ? "" : reveal(ask.tool)} {subject}
        </span>
      </p>
      {(ask.ourAnswer ?? "") !== "" && <p className="reason dim">{reveal(ask.ourAnswer ?? "")}</p>}
      {diff !== null && !isYes && <Diff lines={shownLines(diff)} label="Requested changes" />}
    </article>
  );
}
