// Entries as lines for scrollback, each written once, and the open answer as its present lines. Text of models, tools and files is made inert
// here, before anything else reads it.

import { withoutHostCommands } from "../../src/abi/process/host-commands.ts";
import type { Usage } from "../../src/abi/process/process.ts";
import { reveal, Sanitizer, sanitize } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { DECIDED, isPlan, realSubject } from "../approval-card/approval-card-title.ts";
import { cardLines, dangerRows } from "../approval-card/approval-card-view.ts";
import type { Line } from "../screen/links.ts";
import { countText, durationText, usdText } from "../screen/numbers.ts";
import type { Theme } from "../screen/theme.ts";
import type { Entry, EntryOf } from "../state/effect.ts";
import { AnswerText, PROSE_COLUMNS_MAX } from "./answer.ts";
import { diffOf } from "./collapsed.ts";
import { outcomeOf } from "./outcome.ts";
import { subjectOf } from "./subject.ts";

const mark = (letter: string) => `\x1b]133;${letter}\x1b\\`;

/** Before the glyph of an entered line, after the glyph, and before the output. */
const PROMPT = mark("A");
const TYPED = mark("B");
const RUNS = mark("C");

export interface TranscriptOptions {
  readonly theme: Theme;
  readonly columns: () => number;
  readonly commit: (lines: readonly Line[]) => void;
  /** A line of an answer with links to the files that it names. */
  readonly linked?: (line: string) => Line;
  /** The terminal understands marks (OSC 133). */
  readonly marked?: boolean;
}

interface Open {
  readonly turn: number;
  /** As the model sent it; the sanitised text is shown. */
  text: string;
  readonly sanitizer: Sanitizer;
  readonly answer: AnswerText;
}

/** What became of an approved call. */
interface Outcome {
  readonly isGood: boolean;
  readonly about: string;
  readonly rows: readonly string[];
}

const NO_OUTCOME: Outcome = { isGood: true, about: "", rows: [] };

const PLAN_TOOL = "Plan";
/** Of a request whose path does not fit its title. */
const PATH_ROW = /^ +(?:path|given as): /;
const DECIDED_LINES_MAX = 200;
/** A quick run without cost gets no summary. */
const QUICK_MS = 2000;
const HINT = " · ctrl-o expand";

/** An entry of these kinds comes after the calls of a turn, so an approved call that has no result by then gets none. */
const AFTER_CALLS: ReadonlySet<Entry["kind"]> = new Set([
  "delta",
  "text",
  "thought",
  "retry",
  "failure",
  "ended",
  "note",
]);

type Printers = { readonly [Kind in Entry["kind"]]: (entry: EntryOf<Kind>) => void };

export class Transcript {
  private open: Open | null = null;
  /** The shown part of the last answer: another entry may come between its parts. */
  private shown: { readonly turn: number; readonly text: string } | null = null;
  /** The last line is of a call: calls in a row have no gap. */
  private inTools = false;
  /** The last line is of an answer. */
  private pouring = false;
  private began = false;
  /** The reason of the last retry, if no other entry followed. */
  private retried: string | null = null;
  private hinted = false;
  /** Approved calls without a result: both are one entry. */
  private readonly approved: EntryOf<"decided">[] = [];
  private mark = "";
  private readonly printers: Printers;

  constructor(private readonly options: TranscriptOptions) {
    const { theme } = options;
    const { say, run, host } = theme.glyphs;
    this.printers = {
      message: ({ text }) => this.entered(theme.you(say), this.broken(withoutHostCommands(text))),
      command: ({ text, host: isHost }) => this.entered(isHost ? theme.needs(host) : theme.ok(run), text),
      delta: ({ turn, text }) => this.grow(turn, text),
      text: ({ turn, text }) => this.commitText(turn, text),
      thought: ({ tookMs }) => this.thought(tookMs),
      retry: ({ reason }) => this.retry(reason),
      failure: ({ reason }) => this.failure(reason),
      result: (entry) => this.result(entry),
      decided: (entry) => this.decidedLater(entry),
      ended: (entry) => this.ended(entry),
      lines: ({ lines }) => this.block(lines.flatMap((line) => this.wrapped(line))),
      note: ({ text }) => this.block(this.wrapped(theme.dim(sanitize(text)))),
    };
  }

  tail(): readonly string[] {
    const lines = this.open?.answer.tail() ?? [];
    return lines.length === 0 || this.pouring || !this.began ? lines : ["", ...lines];
  }

  add<Kind extends Entry["kind"]>(entry: EntryOf<Kind>): void {
    if (entry.kind !== "retry") this.retried = null;
    if (AFTER_CALLS.has(entry.kind)) for (const each of this.approved.splice(0)) this.decided(each);
    const print = this.printers[entry.kind] as (entry: EntryOf<Kind>) => void;
    print(entry);
  }

  /** Prose breaks between words; a command stays whole, to be copied. */
  private broken(text: string): string {
    const columns = Math.max(10, Math.min(this.options.columns() - 1, PROSE_COLUMNS_MAX) - 2);
    return Bun.wrapAnsi(sanitize(text), columns, { hard: true, trim: false }).replace(/ +$/gm, "");
  }

  private entered(glyph: string, text: string): void {
    const { theme, marked: isMarked = false } = this.options;
    const [begins, typed, ends] = isMarked ? [PROMPT, TYPED, RUNS] : ["", "", ""];
    const lines = marked(`${begins}${glyph}${typed}`, theme.bold, text);
    this.block([...lines.slice(0, -1), `${lines.at(-1) ?? ""}${ends}`]);
  }

  private grow(turn: number, text: string): void {
    if (this.open?.turn !== turn) {
      this.close();
      const { theme, columns } = this.options;
      this.open = {
        turn,
        text: this.shownOf(turn) ?? "",
        sanitizer: new Sanitizer(),
        answer: new AnswerText({ theme, columns }),
      };
    }
    const { open } = this;
    open.text += text;
    this.pour(open.answer.push(open.sanitizer.push(text)));
  }

  // The stored text counts: if it differs from the shown one, it is shown whole.
  private commitText(turn: number, text: string): void {
    const shown = this.shownOf(turn);
    if (shown !== null && !text.startsWith(shown)) {
      this.close();
      this.shown = null;
      this.block([this.options.theme.dim("The answer has changed:")]);
    }
    const rest = text.slice(this.shownOf(turn)?.length ?? 0);
    if (rest !== "") this.grow(turn, rest);
    this.close();
    this.shown = null;
  }

  private shownOf(turn: number): string | null {
    if (this.open?.turn === turn) return this.open.text;
    return this.shown?.turn === turn ? this.shown.text : null;
  }

  private close(): void {
    const { open } = this;
    if (open === null) return;
    this.open = null;
    this.shown = { turn: open.turn, text: open.text };
    this.pour([...open.answer.push(open.sanitizer.end()), ...open.answer.end()]);
  }

  private pour(lines: readonly string[]): void {
    if (lines.length === 0) return;
    if (!this.pouring) this.gap();
    this.pouring = true;
    this.inTools = false;
    this.options.commit(lines.map((line) => this.linked(line)));
  }

  private linked(line: string): Line {
    return this.options.linked?.(line) ?? line;
  }

  private block(lines: readonly Line[]): void {
    this.close();
    this.gap();
    this.inTools = false;
    this.pouring = false;
    this.options.commit(lines);
  }

  private tool(lines: readonly Line[]): void {
    this.close();
    if (!this.inTools) this.gap();
    this.inTools = true;
    this.pouring = false;
    this.options.commit(lines);
  }

  private gap(): void {
    if (this.began) this.options.commit([this.mark]);
    this.mark = "";
    this.began = true;
  }

  /** Wrapped rows keep the indent of their line. */
  private wrapped(line: string): readonly string[] {
    const indent = /^ */.exec(line)?.[0] ?? "";
    const room = Math.max(10, this.options.columns() - 1 - indent.length);
    const rows = Bun.wrapAnsi(line.slice(indent.length), room, { hard: true });
    return rows.split("\n").map((row) => indent + row);
  }

  private thought(tookMs: number | null): void {
    const took = tookMs === null ? "" : ` for ${durationText(tookMs)}`;
    this.block([this.options.theme.dim(`  thought${took}${this.hint()}`)]);
  }

  private hint(): string {
    if (this.hinted) return "";
    this.hinted = true;
    return HINT;
  }

  private result(entry: EntryOf<"result">): void {
    const { tool, args, ok, output, tookMs } = entry;
    const { theme } = this.options;
    const { isGood, words: outcome, lines } = outcomeOf({ tool, args, ok, output });
    const glyph = isGood ? theme.ok(theme.glyphs.ok) : theme.bad(theme.glyphs.bad);
    // The plan is above, whole.
    const isPlanned = tool === PLAN_TOOL;
    const verdict = isGood ? "accepted" : "sent back";
    const subject = isPlanned ? verdict : reveal(subjectOf(tool, args)).replaceAll("\n", "⏎");
    const words = isPlanned ? "" : outcome;
    const took = tookMs === null ? "" : durationText(tookMs);
    const about = [words, took].filter((part) => part !== "").join(" · ");
    const room = this.options.columns() - tool.length - about.length - 5;
    const isLong = ok && (diffOf(args) !== null || output.includes("\n"));
    // The hint must not cut the subject.
    const hint = isLong && Bun.stringWidth(subject) + HINT.length <= room ? this.hint() : "";
    const head =
      `${glyph} ${reveal(tool)} ${cutWidth(subject, Math.max(8, room - hint.length))}  ${theme.dim(about + hint)}`.trimEnd();
    const rows = lines.flatMap((line) => this.wrapped(`  ${line}`)).map(theme.dim);
    const decided = this.takeApproved(entry);
    if (decided === null) this.tool([this.linked(head), ...rows]);
    else this.decided(decided, { isGood, about, rows });
  }

  /** What another person approved is shown at once: the card has just gone. */
  private decidedLater(entry: EntryOf<"decided">): void {
    if (entry.decision === "approve" && entry.by === null) this.approved.push(entry);
    else this.decided(entry);
  }

  private takeApproved({ tool, args }: EntryOf<"result">): EntryOf<"decided"> | null {
    const at = this.approved.findIndex(({ ask }) => ask.tool === tool && Bun.deepEquals(ask.args, args));
    return this.approved.splice(at, at < 0 ? 0 : 1)[0] ?? null;
  }

  /** The request, the decision and the outcome: the transcript is the audit trail. */
  private decided({ ask, decision, by }: EntryOf<"decided">, outcome: Outcome = NO_OUTCOME): void {
    const { theme, columns } = this.options;
    const isYes = outcome.isGood && (decision === "approve" || decision === "answer");
    const glyph = isYes ? theme.ok(theme.glyphs.ok) : theme.bad(theme.glyphs.bad);
    const who = by === null ? "" : ` by ${reveal(by)}`;
    const answer = ask.ourAnswer === undefined || by !== null ? "" : reveal(ask.ourAnswer).replaceAll("\n", "⏎");
    const subject = realSubject(ask);
    const verdict = `${DECIDED[decision] ?? reveal(decision)}${who}`;
    const call = `${verdict}: ${reveal(ask.tool)} ${reveal(subject)}`;
    const isLine = ask.kind === "approval" && !isPlan(ask) && !subject.includes("\n");
    const about = outcome.about === "" ? "" : `  ${outcome.about}`;
    const room = Math.max(20, columns() - 3 - Bun.stringWidth(about));
    const isWhole = isLine && Bun.stringWidth(call) <= room;
    const what = ask.kind === "question" ? answer : reveal(ask.tool);
    const shown = isWhole ? call : `${verdict}${what === "" ? "" : `: ${what}`}`;
    const why = ask.kind === "question" || answer === "" ? [] : [theme.dim(`  reason: ${answer}`)];
    const request = cardLines(ask, { theme, columns: columns() - 4, isInTitle: isWhole });
    const dangers = ask.call === "shell.exec" ? dangerRows(ask, { theme, columns: columns() }) : [];
    const asked = [...dangers, ...request].map((line) => `  ${line}`);
    const body = [...asked, ...why];
    const left = body.length - DECIDED_LINES_MAX;
    const more = left > 0 ? [theme.dim(`  ${theme.glyphs.dots} ${left} more lines`)] : [];
    const lines = [...body.slice(0, DECIDED_LINES_MAX), ...more].map((line) =>
      PATH_ROW.test(line) ? this.linked(line) : line,
    );
    const head = `${glyph} ${cutWidth(shown, room)}${theme.dim(about)}`;
    if (lines.length > 0) this.block([this.linked(head), ...lines, ...outcome.rows]);
    else this.tool([this.linked(head), ...outcome.rows]);
  }

  /** The shown part of the answer is void. The reason is shown once for any number of retries. */
  private failure(reason: string): void {
    const { theme } = this.options;
    this.close();
    this.shown = null;
    this.block(marked(theme.bad(theme.glyphs.bad), (text) => text, this.broken(reveal(reason))));
  }

  private retry(reason: string): void {
    if (this.retried !== reason) this.block(this.wrapped(this.options.theme.dim(`Retrying: ${reveal(reason)}`)));
    this.close();
    this.retried = reason;
    this.shown = null;
  }

  private ended({ status, error, tookMs, usage }: EntryOf<"ended">): void {
    this.close();
    this.shown = null;
    const { theme, marked: isMarked = false } = this.options;
    if (status === "aborted") this.block([theme.dim("Stopped")]);
    else if (status !== "ok")
      this.block(marked(theme.bad(theme.glyphs.bad), (text) => text, this.broken(error ?? status)));
    const took = tookMs ?? 0;
    if (took >= QUICK_MS || usage.costUsd > 0) {
      this.block([theme.dim(`  ${[durationText(took), ...spentTexts(usage)].join(" · ")}`)]);
    }
    this.pouring = false;
    this.inTools = false;
    if (isMarked) this.mark = mark(`D;${status === "ok" ? 0 : 1}`);
  }
}

function marked(glyph: string, paint: (text: string) => string, text: string): readonly string[] {
  return sanitize(text)
    .split("\n")
    .map((line, index) => (index === 0 ? `${glyph} ${paint(line)}` : `  ${paint(line)}`));
}

function spentTexts({ input, cacheRead, cacheWrite, output, costUsd }: Usage): readonly string[] {
  const read = input + cacheRead + cacheWrite;
  const tokens = read + output > 0 ? [`${countText(read)} in, ${countText(output)} out`] : [];
  return costUsd > 0 ? [...tokens, usdText(costUsd)] : tokens;
}
