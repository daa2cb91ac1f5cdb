// What was said and done, as lines for scrollback, each once; and the answer that is being written, as the lines it has by now. Everything
// that comes from a model, a tool or a file is made inert here, before anything else looks at it.

import { withoutHostCommands } from "../../src/abi/process/host-commands.ts";
import type { Usage } from "../../src/abi/process/process.ts";
import { reveal, Sanitizer, sanitize } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { cardLines } from "../cards/card-view.ts";
import { overMark, PROMPT, RUNS, TYPED } from "../screen/marks.ts";
import { countText, durationText, usdText } from "../screen/numbers.ts";
import type { Theme } from "../screen/theme.ts";
import type { Entry } from "../state/effect.ts";
import { AnswerText, PROSE_COLUMNS_MAX } from "./answer.ts";
import { diffOf } from "./collapsed.ts";
import { outcomeOf } from "./outcome.ts";
import { subjectOf } from "./subject.ts";

export interface TranscriptOptions {
  readonly theme: Theme;
  readonly columns: () => number;
  readonly commit: (lines: readonly string[]) => void;
  /** Whether the terminal is told where a line was entered and where what came of it ends. */
  readonly marked?: boolean;
}

interface Open {
  readonly turn: number;
  /** As it came; what is shown of it went through the sanitiser. */
  text: string;
  readonly sanitizer: Sanitizer;
  readonly answer: AnswerText;
}

/** Of what was allowed or not, as it is kept. */
const DECIDED_LINES_MAX = 200;
/** What was quick and cost nothing needs no word. */
const QUICK_MS = 2000;
const DECIDED: { readonly [decision: string]: string } = { approve: "approved", answer: "answered", deny: "denied" };

export class Transcript {
  private open: Open | null = null;
  /** What was shown of the last answer: something else may have come between its parts. */
  private told: { readonly turn: number; readonly text: string } | null = null;
  /** Whether the last line is one of a group that has no gaps: tools that were used one after the other. */
  private inTools = false;
  /** Whether it is one of an answer. */
  private pouring = false;
  private began = false;
  /** Why the turn is asked for again, while nothing else was said. */
  private again: string | null = null;
  /** How to see more was said once. */
  private hinted = false;
  /** A mark that stands before what is committed next. */
  private mark = "";

  constructor(private readonly options: TranscriptOptions) {}

  /** The part of the answer that is not finished. */
  tail(): readonly string[] {
    const lines = this.open?.answer.tail() ?? [];
    return lines.length === 0 || this.pouring || !this.began ? lines : ["", ...lines];
  }

  add(entry: Entry): void {
    if (entry.kind !== "again") this.again = null;
    const { theme } = this.options;
    const { say, run, host } = theme.glyphs;
    if (entry.kind === "said") this.entered(theme.you(say), this.broken(withoutHostCommands(entry.text)));
    else if (entry.kind === "ran") this.entered(entry.host ? theme.needs(host) : theme.ok(run), entry.text);
    else if (entry.kind === "grows") this.grow(entry.turn, entry.text);
    else if (entry.kind === "text") this.commitText(entry.turn, entry.text);
    else if (entry.kind === "thought") this.thought(entry.tookMs);
    else if (entry.kind === "again") this.startAnew(entry.reason);
    else if (entry.kind === "result") this.result(entry);
    else if (entry.kind === "decided") this.decided(entry);
    else if (entry.kind === "ended") this.ended(entry);
    else if (entry.kind === "lines") this.block(entry.lines.flatMap((line) => this.wrapped(line)));
    else if (entry.kind === "note") this.block(this.wrapped(theme.dim(sanitize(entry.text))));
  }

  /** Words of a person, broken between words; a command stays as it can be copied. */
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
        text: this.toldOf(turn) ?? "",
        sanitizer: new Sanitizer(),
        answer: new AnswerText({ theme, columns }),
      };
    }
    const { open } = this;
    open.text += text;
    this.pour(open.answer.push(open.sanitizer.push(text)));
  }

  // What was stored is what counts: where it is not what was shown, it is shown whole.
  private commitText(turn: number, text: string): void {
    const shown = this.toldOf(turn);
    if (shown !== null && !text.startsWith(shown)) {
      this.close();
      this.told = null;
      this.block([this.options.theme.dim("the answer is another one now:")]);
    }
    const rest = text.slice(this.toldOf(turn)?.length ?? 0);
    if (rest !== "") this.grow(turn, rest);
    this.close();
    this.told = null;
  }

  /** What was shown of this answer; null where nothing was. */
  private toldOf(turn: number): string | null {
    if (this.open?.turn === turn) return this.open.text;
    return this.told?.turn === turn ? this.told.text : null;
  }

  private close(): void {
    const { open } = this;
    if (open === null) return;
    this.open = null;
    this.told = { turn: open.turn, text: open.text };
    this.pour([...open.answer.push(open.sanitizer.end()), ...open.answer.end()]);
  }

  /** Lines of the answer; the first of them is set off from what stands above. */
  private pour(lines: readonly string[]): void {
    if (lines.length === 0) return;
    if (!this.pouring) this.gap();
    this.pouring = true;
    this.inTools = false;
    this.options.commit(lines);
  }

  private block(lines: readonly string[]): void {
    this.close();
    this.gap();
    this.inTools = false;
    this.pouring = false;
    this.options.commit(lines);
  }

  private tool(lines: readonly string[]): void {
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

  /** Words of our own do not break in the middle; what comes after the first row is set in as that is. */
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
    return " · ctrl-o shows";
  }

  private result({ tool, args, ok, output, tookMs }: Entry & { readonly kind: "result" }): void {
    const { theme } = this.options;
    const { isGood, words, lines } = outcomeOf({ tool, args, ok, output });
    const glyph = isGood ? theme.ok(theme.glyphs.ok) : theme.bad(theme.glyphs.bad);
    const subject = reveal(subjectOf(tool, args)).replaceAll("\n", "⏎");
    const took = tookMs === null ? "" : durationText(tookMs);
    const told = [words, took].filter((part) => part !== "").join(" · ");
    const hint = ok && (diffOf(args) !== null || output.includes("\n")) ? this.hint() : "";
    const room = this.options.columns() - tool.length - told.length - hint.length - 8;
    const head =
      `${glyph} ${reveal(tool)} ${cutWidth(subject, Math.max(8, room))}  ${theme.dim(told + hint)}`.trimEnd();
    this.tool([head, ...lines.map((line) => theme.dim(`  ${line}`))]);
  }

  /** What was asked and what was said to it: whoever reads back finds both. */
  private decided({ ask, decision, by }: Entry & { readonly kind: "decided" }): void {
    const { theme, columns } = this.options;
    const isYes = decision === "approve" || decision === "answer";
    const glyph = isYes ? theme.ok(theme.glyphs.ok) : theme.bad(theme.glyphs.bad);
    const who = by === null ? "" : ` by ${reveal(by)}`;
    const said = ask.answered === undefined || by !== null ? "" : reveal(ask.answered).replaceAll("\n", "⏎");
    const subject = reveal(subjectOf(ask.tool, ask.args));
    const verdict = `${DECIDED[decision] ?? reveal(decision)}${who}`;
    const call = `${verdict}: ${reveal(ask.tool)} ${subject}`;
    const isWhole = ask.kind === "approval" && !subject.includes("\n") && Bun.stringWidth(call) < columns() - 3;
    const what = ask.kind === "question" ? said : reveal(ask.tool);
    const shown = isWhole ? call : `${verdict}${what === "" ? "" : `: ${what}`}`;
    const why = ask.kind === "question" || said === "" ? [] : [theme.dim(`  because ${said}`)];
    const asked = cardLines(ask, { theme, columns: columns() - 4, isSubjectSaid: isWhole }).map((line) => `  ${line}`);
    const body = [...asked, ...why];
    const left = body.length - DECIDED_LINES_MAX;
    const more = left > 0 ? [theme.dim(`  ${theme.glyphs.dots} ${left} lines more`)] : [];
    const lines = [...body.slice(0, DECIDED_LINES_MAX), ...more];
    const head = `${glyph} ${cutWidth(shown, Math.max(20, columns() - 3))}`;
    if (lines.length > 0) this.block([head, ...lines]);
    else this.tool([head]);
  }

  /** What was shown of it does not count any more. */
  private startAnew(reason: string): void {
    // Said once, however often it is tried.
    if (this.again !== reason) this.block(this.wrapped(this.options.theme.dim(`asked again: ${reveal(reason)}`)));
    this.close();
    this.again = reason;
    this.told = null;
  }

  private ended({ status, error, tookMs, usage }: Entry & { readonly kind: "ended" }): void {
    this.close();
    this.told = null;
    const { theme, marked: isMarked = false } = this.options;
    if (status === "aborted") this.block([theme.dim("stopped")]);
    else if (status !== "ok") this.block(marked(theme.bad(theme.glyphs.bad), (text) => text, error ?? status));
    const took = tookMs ?? 0;
    if (took >= QUICK_MS || usage.costUsd > 0) {
      this.block([theme.dim(`  ${[durationText(took), ...spentTexts(usage)].join(" · ")}`)]);
    }
    this.pouring = false;
    this.inTools = false;
    if (isMarked) this.mark = overMark(status === "ok");
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
