// The keys and the slash commands, in as many columns as fit. Pure.

import { displayWidth } from "../../src/lib/text/truncate.ts";
import { SLASHES } from "../line/slash.ts";

export interface SheetPaint {
  readonly key: (text: string) => string;
  readonly word: (text: string) => string;
}

type Row = readonly [key: string, word: string];

const KEYS: readonly Row[] = [
  ["enter", "send or run"],
  ["alt-enter", "new line"],
  ["shift-tab", "message, shell or this computer"],
  ["↑ ↓", "history; edit queued message"],
  ["ctrl-r", "search history"],
  ["tab", "complete; answer a card"],
  ["→", "accept suggestion"],
  ["ctrl-g", "edit in $EDITOR"],
  ["ctrl-y alt-y", "paste cut text; older one"],
  ["ctrl-_", "undo"],
  ["esc", "stop the run"],
  ["ctrl-s", "when to send the message"],
  ["ctrl-o", "expand output or thinking"],
  ["ctrl-p", "switch process"],
  ["alt-1 … 9", "switch to a recent process"],
  ["ctrl-t", "top"],
  ["ctrl-c", "clear the line"],
  ["ctrl-l", "clear the screen"],
  ["ctrl-z", "suspend"],
  ["ctrl-d", "leave; agents keep running"],
];
const INDENT = "  ";
const GAP = 3;

export function keySheet(columns: number, paint: SheetPaint): readonly string[] {
  const slashes = [...SLASHES].map(([name, { summary }]): Row => [`/${name}`, summary]);
  const widths = { keys: widest([...KEYS, ...slashes], 0) + 2, words: widest([...KEYS, ...slashes], 1) };
  return [...inColumns(KEYS, columns, widths, paint), "", ...inColumns(slashes, columns, widths, paint)];
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
