// The keys and the slash commands, in as many columns as fit. Pure.

import { displayWidth } from "../../src/lib/text/truncate.ts";
import { SLASHES } from "../line/slash.ts";

export interface SheetPaint {
  readonly key: (text: string) => string;
  readonly word: (text: string) => string;
}

export interface SheetSize {
  readonly columns: number;
  readonly rows: number;
}

type Row = readonly [key: string, word: string];

/** On a small screen a key has its short word, and a key without one is left out. */
const KEYS: readonly (readonly [key: string, word: string, short?: string])[] = [
  ["enter", "send or run", "send or run"],
  ["alt-enter", "new line", "new line"],
  ["shift-tab", "message, shell or this computer", "turn the line"],
  ["↑ ↓", "history; edit queued message", "history"],
  ["ctrl-r", "search history", "search history"],
  ["tab", "complete; answer a card", "complete"],
  ["→", "accept suggestion"],
  ["ctrl-g", "edit in $EDITOR", "edit in $EDITOR"],
  ["ctrl-y alt-y", "paste cut text; older one"],
  ["ctrl-_", "undo"],
  ["esc", "stop the run", "stop the run"],
  ["ctrl-s", "when to send the message"],
  ["ctrl-o", "expand output or thinking", "expand output"],
  ["ctrl-p", "switch process", "switch process"],
  ["alt-1 … 9", "switch to a recent process"],
  ["ctrl-t", "top", "top"],
  ["ctrl-c", "clear the line", "clear the line"],
  ["ctrl-l", "clear the screen", "clear the screen"],
  ["ctrl-z", "suspend"],
  ["ctrl-d", "leave; agents keep running", "leave"],
];
const INDENT = "  ";
const GAP = 3;
/** The greatest part of the screen that the sheet may take: the line, the dock and a card need the rest. */
const ROWS_LEFT = 7;

/** All keys and slash commands, else the keys in short; `fits` if even they leave room for the line. */
export function keySheet(
  size: SheetSize,
  paint: SheetPaint,
): { readonly lines: readonly string[]; readonly fits: boolean } {
  const slashes = [...SLASHES].map(([name, { summary }]): Row => [`/${name}`, summary]);
  const keys = KEYS.map(([key, word]): Row => [key, word]);
  const widths = widthsOf([...keys, ...slashes]);
  const whole = [
    ...inColumns(keys, size.columns, widths, paint),
    "",
    ...inColumns(slashes, size.columns, widths, paint),
  ];
  const room = size.rows - ROWS_LEFT;
  if (whole.length <= room) return { lines: whole, fits: true };
  const short = KEYS.flatMap(([key, , word]): Row[] => (word === undefined ? [] : [[key, word]]));
  const inShort = [
    ...inColumns(short, size.columns, widthsOf(short), paint),
    `${INDENT}${paint.word("type / for more; man terminal lists every key")}`,
  ];
  return inShort.length <= room ? { lines: inShort, fits: true } : { lines: whole, fits: false };
}

function widthsOf(rows: readonly Row[]): { readonly keys: number; readonly words: number } {
  return { keys: widest(rows, 0) + 2, words: widest(rows, 1) };
}

function widest(rows: readonly Row[], at: 0 | 1): number {
  return Math.max(...rows.map((row) => displayWidth(row[at])));
}

/** Read down, then across. Both tables have the same columns. */
function inColumns(
  rows: readonly Row[],
  columns: number,
  { keys, words }: { readonly keys: number; readonly words: number },
  paint: SheetPaint,
): readonly string[] {
  const cell = keys + words + GAP;
  // The last column needs no gap.
  const across = Math.max(1, Math.floor((columns - INDENT.length + GAP) / cell));
  const down = Math.ceil(rows.length / across);
  return Array.from({ length: down }, (_, row) => {
    const cells = Array.from({ length: across }, (_, at) => rows[at * down + row]).filter((each) => each !== undefined);
    const shown = cells.map(([key, word], at) => {
      const pad = at === cells.length - 1 ? "" : " ".repeat(Math.max(0, cell - keys - displayWidth(word)));
      return `${paint.key(key)}${" ".repeat(Math.max(0, keys - displayWidth(key)))}${paint.word(word)}${pad}`;
    });
    return INDENT + shown.join("");
  });
}
