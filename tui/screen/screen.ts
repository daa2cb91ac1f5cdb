// The only writer of the terminal. Scrollback is above: each line is written once. The live part is below: its lines are overwritten in place,
// and never exceed the rows of the screen. One write for each paint; nothing clears scrollback.

import type { Clock } from "../../src/lib/clock.ts";
import { CursorQuestions } from "./cursor-questions.ts";
import { type Line, plainLine } from "./links.ts";

export interface Tty {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
  /** Reads the size again; listeners get a change. */
  look?(): void;
  /** Reports a new size late, as a multiplexer does. */
  readonly lags?: boolean;
}

export interface Live {
  readonly lines: readonly string[];
  readonly cursor: Cursor | null;
}

export interface Cursor {
  readonly row: number;
  readonly column: number;
}

const PAINT_MS = 16;
/** Between paints while text streams in: 30 a second are enough to read along. */
const STEADY_MS = 33;
const CSI = "\x1b[";
/** A paint this soon before a late report of a new size was made at the new size. */
const LAG_MS = 300;
// Synchronized output (DEC 2026). Without it little tears, because rows are overwritten in place.
const [BEGIN, END] = [`${CSI}?2026h`, `${CSI}?2026l`];
const [HIDE, SHOW] = [`${CSI}?25l`, `${CSI}?25h`];
const [NO_WRAP, WRAP] = [`${CSI}?7l`, `${CSI}?7h`];
const [CLEAR_LINE_END, CLEAR_BELOW] = [`${CSI}K`, `${CSI}J`];
const [ALT_ON, ALT_OFF] = [`${CSI}?1049h${CSI}H${CLEAR_BELOW}`, `${CSI}?1049l`];

type Mode = "main" | "alt" | "released";

export class Screen {
  private mode: Mode = "main";
  private committed: Line[] = [];
  /** The live part on the terminal, and its cursor. */
  private shown: readonly string[] = [];
  private paintedAt: readonly number[] = [];
  private at: Cursor = { row: 0, column: 0 };
  private shownColumns: number;
  private shownRows = 0;
  /** Rows that were written above the live part since its place was last unknown: with them one knows that it is at the bottom. */
  private rowsAbove = 0;
  private alt: readonly string[] = [];
  private due: (() => void) | null = null;
  private lastPaint = Number.NEGATIVE_INFINITY;
  readonly questions: CursorQuestions;
  /** The terminal was asked for its cursor after a change of its width: no paint until it answers or the time is over. */
  private isAsking = false;
  /** Counts the changes of size, and the times that the place of the live part was lost: answers for an earlier one are too late. */
  private sizes = 0;
  private places = 0;
  /** Rows above the cursor that the terminal made by wrapping the cursor's row. */
  private wrapped = 0;

  /** `live` is called once for each paint. */
  constructor(
    private readonly tty: Tty,
    private readonly clock: Clock,
    private readonly live: () => Live,
  ) {
    this.shownColumns = tty.columns;
    this.questions = new CursorQuestions((text) => tty.write(text), clock);
  }

  /** Lines for scrollback, written with the next paint, or as soon as they are final. */
  commit(lines: readonly Line[]): void {
    for (const line of lines) this.committed.push(line);
    this.schedule();
  }

  changed(): void {
    this.schedule();
  }

  /** `isLast`: the live part ends here, so waiting lines are written as they are. */
  paint({ isLast = false } = {}): void {
    this.due?.();
    this.due = null;
    if (this.mode === "main") this.tty.look?.();
    if (this.mode !== "main" || this.isAsking) return;
    this.lastPaint = this.clock.mono();
    const above = this.finalLines(isLast);
    const frame = this.atBottom(this.fitted(), above);
    const text = above.length === 0 && this.isSameShape(frame) ? this.changedRows(frame) : this.whole(frame, above);
    if (text === "") return;
    this.tty.write(`${BEGIN}${HIDE}${text}${frame.cursor === null ? "" : SHOW}${END}`);
  }

  /** Removes them from the committed lines, in order. */
  private finalLines(isLast: boolean): readonly string[] {
    const final: string[] = [];
    for (const line of this.committed) {
      const text = typeof line === "string" ? line : (line.final() ?? (isLast ? line.text : null));
      if (text === null) break;
      final.push(text);
    }
    this.committed.splice(0, final.length);
    return final;
  }

  /** Full screen for a view; committed lines wait until it closes. */
  enterAlt(): void {
    if (this.mode !== "main") return;
    this.paint({ isLast: true });
    this.mode = "alt";
    this.alt = [];
    this.tty.write(`${ALT_ON}${HIDE}`);
  }

  paintAlt(lines: readonly string[]): void {
    if (this.mode !== "alt") return;
    const { rows, columns } = this.tty;
    const next = lines.slice(0, rows).map((line) => cut(line, columns));
    let text = "";
    for (let row = 0; row < Math.max(next.length, this.alt.length); row++)
      if (next[row] !== this.alt[row]) text += `${CSI}${row + 1};1H${next[row] ?? ""}${CLEAR_LINE_END}`;
    this.alt = next;
    if (text !== "") this.tty.write(`${BEGIN}${NO_WRAP}${text}${WRAP}${END}`);
  }

  leaveAlt(): void {
    if (this.mode !== "alt") return;
    this.mode = "main";
    this.tty.write(ALT_OFF);
    this.paint();
  }

  /** The terminal has a new size and has rewrapped its rows. */
  resized(): void {
    this.alt = [];
    if (this.mode === "alt") this.tty.write(`${CSI}H${CLEAR_BELOW}`);
    if (this.mode !== "main") return;
    if (this.at.column < this.tty.columns || this.shown.length === 0) this.paint();
    else this.askWhere();
  }

  // Some terminals wrap the cursor's row if it is too long now, others cut it.
  private askWhere(): void {
    this.isAsking = true;
    const size = ++this.sizes;
    this.questions.ask((place) => {
      if (size !== this.sizes) return;
      this.isAsking = false;
      const { columns } = this.tty;
      // The column tells a wrapped row from one that was cut.
      const isWrapped = place !== null && place.column < columns - 1 && place.column === this.at.column % columns;
      if (isWrapped) this.wrapped = Math.floor(this.at.column / columns);
      this.paint();
    });
  }

  /** Asks for the row in which the live part begins, to keep it at the bottom. */
  findPlace(): void {
    const { places, rowsAbove, at } = this;
    this.questions.ask((place) => {
      if (place === null || places !== this.places) return;
      this.rowsAbove = Math.min(this.tty.rows, this.rowsAbove - rowsAbove + Math.max(0, place.row - at.row));
    });
  }

  /** Removes the live part, for another program. */
  release(): void {
    if (this.mode === "alt") this.leaveAlt();
    if (this.mode !== "main") return;
    this.paint({ isLast: true });
    this.tty.write(`${this.toTop()}${CLEAR_BELOW}${WRAP}${SHOW}`);
    this.forget();
    this.mode = "released";
  }

  /** After an error: restores the terminal's mode and draws nothing. */
  abandon(): void {
    if (this.mode === "released") return;
    const back = this.mode === "alt" ? ALT_OFF : this.toTop();
    this.tty.write(`${back}${CLEAR_BELOW}${WRAP}${SHOW}`);
    this.mode = "released";
  }

  /** Continues on a line of its own, wherever the program left the cursor. */
  reclaim(): void {
    if (this.mode !== "released") return;
    // Before the paint: a listener for the new size would paint too.
    this.tty.look?.();
    this.mode = "main";
    // From the first column the blanks stay in this row; from any other they wrap into the next.
    this.tty.write(`${WRAP}${" ".repeat(Math.max(0, this.tty.columns - 1))}\r${CLEAR_BELOW}`);
    this.forget();
    this.findPlace();
    this.paint();
  }

  /** Another program wrote without being lent the terminal: paints again below its output. */
  lost(): void {
    if (this.mode === "alt") this.resized();
    if (this.mode !== "main") return;
    this.mode = "released";
    this.reclaim();
  }

  /** Pushes the screen into scrollback; the live part moves to the top. */
  pushUp(): void {
    if (this.mode !== "main") return;
    this.paint({ isLast: true });
    this.tty.write(`${this.toTop()}${CLEAR_BELOW}${"\n".repeat(Math.max(0, this.tty.rows - 1))}${CSI}H`);
    this.forget();
    this.paint();
  }

  private forget(): void {
    this.places++;
    this.shown = [];
    this.rowsAbove = 0;
    this.at = { row: 0, column: 0 };
    this.shownColumns = this.tty.columns;
    this.wrapped = 0;
  }

  private schedule(): void {
    const ms = Math.max(PAINT_MS, this.lastPaint + STEADY_MS - this.clock.mono());
    this.due ??= this.clock.after(ms, () => {
      this.due = null;
      this.paint();
    });
  }

  private fitted(): Live {
    const { rows, columns } = this.tty;
    const live = this.live();
    const waiting = this.committed.map(plainLine);
    const lines = [...waiting, ...live.lines];
    const cursor = live.cursor === null ? null : { ...live.cursor, row: live.cursor.row + waiting.length };
    const over = Math.max(0, lines.length - Math.max(1, rows - 1));
    const kept = lines.slice(over).map((line) => cut(line, columns));
    if (cursor === null || cursor.row < over) return { lines: kept, cursor: null };
    return {
      lines: kept,
      cursor: { row: cursor.row - over, column: Math.min(cursor.column, Math.max(0, columns - 1)) },
    };
  }

  /** A live part that got smaller stays at the bottom of the screen: blank rows above it wait for the next lines. */
  private atBottom(frame: Live, above: readonly string[]): Live {
    const { rows, columns } = this.tty;
    const isResized = rows !== this.shownRows || columns !== this.shownColumns;
    if (isResized) {
      this.rowsAbove = 0;
      // Not at the first paint.
      if (this.shownRows > 0) this.places++;
    }
    this.shownRows = rows;
    const fresh = above.reduce((sum, line) => sum + rowsOf(Bun.stringWidth(line), columns), 0);
    const isAtBottom = this.rowsAbove + this.shown.length >= rows;
    const blank = isAtBottom && !isResized ? this.shown.length - frame.lines.length - fresh : 0;
    this.rowsAbove = Math.min(rows, this.rowsAbove + fresh);
    if (blank <= 0) return frame;
    const { lines, cursor } = frame;
    return {
      lines: [...Array.from({ length: blank }, () => ""), ...lines],
      cursor: cursor === null ? null : { ...cursor, row: cursor.row + blank },
    };
  }

  private isSameShape(frame: Live): boolean {
    return this.shownColumns === this.tty.columns && this.shown.length === frame.lines.length && frame.lines.length > 0;
  }

  private changedRows(frame: Live): string {
    let text = "";
    let row = this.at.row;
    frame.lines.forEach((line, index) => {
      if (line === this.shown[index]) return;
      text += `${vertical(index - row)}\r${line}${CLEAR_LINE_END}`;
      row = index;
    });
    const now = this.clock.mono();
    this.paintedAt = frame.lines.map((line, at) => (line === this.shown[at] ? (this.paintedAt[at] ?? now) : now));
    const to = frame.cursor ?? this.at;
    if (text === "" && to.row === this.at.row && to.column === this.at.column) return "";
    this.shown = frame.lines;
    this.at = to;
    return `${NO_WRAP}${text}${vertical(to.row - row)}${column(to.column)}${WRAP}`;
  }

  private whole(frame: Live, lines: readonly string[]): string {
    const { columns } = this.tty;
    const above = lines.map((line) => `${line}${fills(line, columns) ? "" : CLEAR_LINE_END}\r\n`).join("");
    const below = frame.lines.map((line) => `${line}${CLEAR_LINE_END}`).join("\r\n");
    const last = Math.max(0, frame.lines.length - 1);
    const to = frame.cursor ?? { row: last, column: 0 };
    const text = `${this.toTop()}${WRAP}${above}${NO_WRAP}${below}${CLEAR_BELOW}${vertical(to.row - last)}${column(to.column)}${WRAP}`;
    this.shown = frame.lines;
    this.paintedAt = frame.lines.map(() => this.clock.mono());
    this.at = to;
    this.shownColumns = columns;
    this.wrapped = 0;
    return text;
  }

  private rowsNow(line: string, row: number): number {
    // If the cursor's row was wrapped, so were older rows.
    const isCut =
      this.tty.lags === true && this.wrapped === 0 && this.clock.mono() - (this.paintedAt[row] ?? 0) < LAG_MS;
    return isCut ? 1 : rowsOf(Bun.stringWidth(line), this.tty.columns);
  }

  // After a change of width each row takes as many rows as it needs.
  private toTop(): string {
    const { columns } = this.tty;
    if (this.shownColumns === columns) return `${vertical(-this.at.row)}\r`;
    const above = this.shown.slice(0, this.at.row).reduce((sum, line, row) => sum + this.rowsNow(line, row), 0);
    return `${vertical(-(above + this.wrapped))}\r`;
  }
}

function rowsOf(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / Math.max(1, columns)));
}

function fills(line: string, columns: number): boolean {
  const width = Bun.stringWidth(line);
  return width > 0 && width % columns === 0;
}

function vertical(rows: number): string {
  if (rows === 0) return "";
  return rows > 0 ? `${CSI}${rows}B` : `${CSI}${-rows}A`;
}

function column(index: number): string {
  return index === 0 ? "\r" : `\r${CSI}${index}C`;
}

/** One column less than the terminal: some wrap a full row. */
function cut(line: string, columns: number): string {
  return Bun.stringWidth(line) < columns ? line : Bun.sliceAnsi(line, 0, Math.max(0, columns - 1));
}
