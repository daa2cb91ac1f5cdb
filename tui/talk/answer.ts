// An answer while the model writes it: finished blocks become lines for scrollback, once; the open block is drawn again with each delta. Code
// is finished line by line, a list item by item, everything else at the next empty line.

import { highlight, type Open } from "../screen/highlight.ts";
import { Markdown } from "../screen/markdown.ts";
import { OpenTable } from "../screen/open-table.ts";
import type { Theme } from "../screen/theme.ts";

export interface AnswerOptions {
  readonly theme: Theme;
  readonly columns: () => number;
}

export const PROSE_COLUMNS_MAX = 96;
const INDENT = "  ";
const CODE_INDENT = "      ";
const FENCE = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/;
const HEADING = /^ {0,3}#{1,6}\s/;

export class AnswerText {
  /** Lines of the open block, without the last, unfinished one. */
  private block: string[] = [];
  private last = "";
  private fence: { readonly mark: string; readonly language: string; open: Open } | null = null;
  /** The next block needs an empty line before it. */
  private began = false;
  private tight = false;
  /** The drawn open block: keys are painted between deltas. */
  private shown: { readonly columns: number; readonly lines: readonly string[] } | null = null;

  private table: OpenTable | null = null;
  private readonly markdown: Markdown;

  constructor(private readonly options: AnswerOptions) {
    this.markdown = new Markdown(options.theme);
  }

  /** Takes sanitised text and returns the finished lines. */
  push(text: string): readonly string[] {
    this.shown = null;
    const lines = (this.last + text).split("\n");
    this.last = lines.pop() ?? "";
    return lines.flatMap((line) => this.take(line));
  }

  tail(): readonly string[] {
    const columns = this.options.columns();
    if (this.shown?.columns !== columns) this.shown = { columns, lines: this.drawnTail() };
    return this.shown.lines;
  }

  private drawnTail(): readonly string[] {
    if (this.fence !== null) return this.last === "" ? [] : [this.codeLine(this.last)];
    const table = this.openTable()?.draw(this.last, this.proseColumns());
    if (table != null) return [...this.gap(""), ...indented(table)];
    const open = [...this.block, ...(this.last === "" ? [] : [this.last])];
    return open.length === 0 ? [] : [...this.gap(open[0] ?? ""), ...this.drawn(open)];
  }

  end(): readonly string[] {
    this.shown = null;
    const rest = this.last === "" ? [] : this.take(this.last);
    this.last = "";
    this.fence = null;
    return [...rest, ...this.flush()];
  }

  private take(line: string): readonly string[] {
    if (this.fence !== null) return this.takeCode(line);
    const fence = FENCE.exec(line);
    if (fence !== null) {
      const before = this.flush();
      this.fence = { mark: fence[1] ?? "```", language: fence[2] ?? "", open: null };
      const gap = this.began ? [""] : [];
      this.began = true;
      this.tight = false;
      return [...before, ...gap];
    }
    if (line.trim() === "") {
      const done = this.flush();
      if (done.length > 0) this.tight = false;
      return done;
    }
    if (HEADING.test(line)) {
      const before = this.flush();
      this.block = [line];
      return [...before, ...this.flush()];
    }
    const before = this.isNextItem(line) ? this.flush() : [];
    if (before.length > 0) this.tight = true;
    this.block.push(line);
    return before;
  }

  /** An item ends where the next one of its level begins. */
  private isNextItem(line: string): boolean {
    const [first = ""] = this.block;
    return ITEM.test(line) && ITEM.test(first) && indentOf(line) <= indentOf(first);
  }

  private takeCode(line: string): readonly string[] {
    const fence = this.fence;
    if (fence === null) return [];
    if (line.trim().startsWith(fence.mark) && line.trim().replaceAll(fence.mark[0] ?? "`", "") === "") {
      this.fence = null;
      return [];
    }
    const { text, open } = highlight(line, fence.language, fence.open, this.options.theme);
    fence.open = open;
    return [(CODE_INDENT + text).trimEnd()];
  }

  private codeLine(line: string): string {
    return CODE_INDENT + highlight(line, this.fence?.language ?? "", this.fence?.open ?? null, this.options.theme).text;
  }

  private flush(): readonly string[] {
    const { block } = this;
    if (block.length === 0) return [];
    this.block = [];
    this.table = null;
    const lines = [...this.gap(block[0] ?? ""), ...this.drawn(block)];
    this.began = true;
    return lines;
  }

  private gap(first: string): readonly string[] {
    return this.began && !(this.tight && ITEM.test(first)) ? [""] : [];
  }

  /** Draws a growing table in the time of its new rows. */
  private openTable(): OpenTable | null {
    if (!OpenTable.begins(this.block)) return null;
    if (this.table?.block !== this.block) this.table = new OpenTable(this.markdown, this.options.theme, this.block);
    return this.table;
  }

  private drawn(block: readonly string[]): readonly string[] {
    return indented(this.markdown.lines(block.join("\n"), this.proseColumns()));
  }

  private proseColumns(): number {
    return Math.min(this.options.columns() - 1, PROSE_COLUMNS_MAX) - INDENT.length;
  }
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line === "" ? "" : INDENT + line));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
