// What the keys do, and the commands after a slash, in as many columns as there is room for. Pure.

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
  ["shift-tab", "say, run, or as it looks"],
  ["↑ ↓", "history; a queued one back"],
  ["ctrl-r", "search history"],
  ["tab", "complete; answer the card"],
  ["→", "take the dim rest"],
  ["ctrl-g", "in your editor"],
  ["ctrl-y alt-y", "what was cut; before that"],
  ["ctrl-_", "undo"],
  ["esc", "stop the run"],
  ["ctrl-s", "when it enters the run"],
  ["ctrl-o", "last output or thinking"],
  ["ctrl-p", "go to another process"],
  ["alt-1 … 9", "to the most recent ones"],
  ["ctrl-t", "top: the processes, live"],
  ["ctrl-c", "clear the line"],
  ["ctrl-l", "clear the screen"],
  ["ctrl-z", "put gsv aside"],
  ["ctrl-d", "leave; agents go on"],
];
const INDENT = "  ";
const GAP = 3;

export function keySheet(columns: number, paint: SheetPaint): readonly string[] {
  const slashes = [...SLASHES].map(([name, { summary }]): Row => [`/${name}`, summary]);
  return [...inColumns(KEYS, columns, paint), "", ...inColumns(slashes, columns, paint)];
}

/** Read down, then across, as a list is. */
function inColumns(rows: readonly Row[], columns: number, paint: SheetPaint): readonly string[] {
  const keys = Math.max(...rows.map(([key]) => displayWidth(key))) + 2;
  const cell = keys + Math.max(...rows.map(([, word]) => displayWidth(word))) + GAP;
  const across = Math.max(1, Math.floor((columns - INDENT.length) / cell));
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
