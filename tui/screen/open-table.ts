// A table while its rows come in: a row is parsed and laid out once, and all rows again only if a column gets wider. The lines are those that
// the whole table would have.

import { type Cells, type Markdown, naturalWidths, rowLines, widthsWithin } from "./markdown.ts";
import type { Theme } from "./theme.ts";

/** The row below the head. */
const RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

export class OpenTable {
  private readonly head: string;
  private readonly rows: Cells[] = [];
  /** Lines of the block that are in `rows`. */
  private taken = 2;
  private natural: readonly number[] = [];
  private widths: readonly number[] = [];
  private lines: string[] = [];
  private columns = 0;
  private isTable: boolean;

  constructor(
    private readonly markdown: Markdown,
    private readonly theme: Theme,
    /** Grows. */
    readonly block: readonly string[],
  ) {
    this.head = block.slice(0, 2).join("\n");
    const first = markdown.cells(this.head);
    this.isTable = first?.length === 1;
    if (first !== null) this.take(first);
  }

  /** Whether a block may be a table. */
  static begins([head = "", rule = ""]: readonly string[]): boolean {
    return head.includes("|") && rule.includes("|") && RULE.test(rule);
  }

  /** Null if the block is something else after all. `last` is the unfinished row. */
  draw(last: string, columns: number): readonly string[] | null {
    const fresh = this.parsed(this.block.slice(this.taken));
    const open = this.parsed(last.trim() === "" ? [] : [last]);
    this.isTable &&= fresh !== null && open !== null;
    if (!this.isTable || fresh === null || open === null) return null;
    this.take(fresh);
    this.taken = this.block.length;
    const widths = widthsWithin(naturalWidths(open, this.natural), columns);
    if (columns !== this.columns || !Bun.deepEquals(widths, this.widths)) {
      [this.columns, this.widths] = [columns, widths];
      this.lines = [...rowLines(this.rows, widths, this.theme)];
    } else this.lines.push(...rowLines(fresh, widths, null));
    return [...this.lines, ...rowLines(open, widths, null)];
  }

  private take(rows: readonly Cells[]): void {
    this.rows.push(...rows);
    this.natural = naturalWidths(rows, this.natural);
  }

  private parsed(rows: readonly string[]): readonly Cells[] | null {
    if (rows.length === 0) return [];
    const cells = this.markdown.cells([this.head, ...rows].join("\n"));
    return cells?.length === rows.length + 1 ? cells.slice(1) : null;
  }
}
