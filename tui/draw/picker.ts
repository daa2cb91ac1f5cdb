// The list above the line: the typed words, the matching rows, the keys.

import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth, displayWidth } from "../../src/lib/text/truncate.ts";
import type { Theme } from "../screen/theme.ts";
import type { Item, Picker } from "../state/views.ts";
import { matchingItems, selectedItem } from "../views/picker.ts";
import { keysLine, type ViewKey } from "./screenful.ts";

export interface PickerProps {
  readonly picker: Picker;
  readonly theme: Theme;
  readonly columns: number;
  readonly rowsMax: number;
}

export interface PickerLines {
  readonly lines: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

const TITLES: { readonly [K in Picker["kind"]]: string } = {
  process: "switch to process",
  model: "model",
  theme: "theme",
  approval: "pending approvals",
  schedule: "schedules",
  mcp: "MCP servers",
};
const ENTER: { readonly [K in Picker["kind"]]?: string } = { approval: "open", schedule: "show", mcp: "show" };
const NUMBERED_MAX = 9;
const ID_COLUMNS_MAX = 44;
const MARK_COLUMNS_MAX = 8;

export function pickerLines({ picker, theme, columns, rowsMax }: PickerProps): PickerLines {
  const title = TITLES[picker.kind];
  const head = `  ${theme.dim(title)}  ${reveal(picker.typed)}`;
  const cursor = { row: 0, column: displayWidth(`  ${title}  ${reveal(picker.typed)}`) };
  const shown = matchingItems(picker);
  const selected = selectedItem(picker);
  const at = selected === null ? -1 : shown.indexOf(selected);
  const from = Math.max(0, Math.min(at - rowsMax + 1 + Math.floor(rowsMax / 3), shown.length - rowsMax));
  const draw = rowDrawer(picker, theme, columns - 1);
  const rows = shown.slice(from, from + rowsMax).map((item) => draw(item, item === selected));
  const left = shown.length - from - rows.length;
  return {
    lines: [
      head,
      ...rows,
      ...(rows.length === 0 ? [`  ${theme.dim(emptyText(picker))}`] : []),
      ...(left > 0 ? [theme.dim(`     ${left} more`)] : []),
      `  ${footLine(picker, columns - 3, theme)}`,
    ],
    cursor,
  };
}

function emptyText({ items, typed }: Picker): string {
  if (items === null) return "loading";
  return typed === "" ? "nothing here" : "no match";
}

/** Widths come from all items, so that nothing moves while typing narrows the list. */
function rowDrawer(
  { kind, items }: Picker,
  theme: Theme,
  columns: number,
): (item: Item, isSelected: boolean) => string {
  const all = items ?? [];
  const widest = (text: (item: Item) => string, most: number) =>
    Math.min(most, Math.max(0, ...all.map((item) => displayWidth(reveal(text(item))))));
  const ids = kind === "approval" ? 4 : widest(({ id }) => id, Math.min(ID_COLUMNS_MAX, columns - 10));
  const marks = widest(({ mark }) => mark, MARK_COLUMNS_MAX);
  const notes = Math.max(0, ...all.map((item) => displayWidth(noteOf(item, kind))));
  const left = columns - ids - marks - 9;
  const texts = widest(({ text }) => text, Math.max(8, Math.floor(left / 2), left - notes - 2));
  return (item, isSelected) => {
    const number = kind === "process" ? numberOf(item, all) : "";
    const name = padded(item.id, ids);
    const cells = [
      `${isSelected ? theme.you(theme.glyphs.say) : " "} ${number === "" ? "" : `${theme.dim(number)}  `}${isSelected ? theme.bold(name) : name}`,
      ...(marks === 0 ? [] : [markColour(item.mark, theme)(padded(item.mark, marks))]),
    ];
    const room = columns - ids - marks - (number === "" ? 6 : 9);
    const text = padded(item.text, Math.min(texts, Math.max(0, room)));
    const rest = cutWidth(noteOf(item, kind), Math.max(0, room - texts - 2));
    return [...cells, ...(texts === 0 ? [] : [text]), theme.dim(rest)].join("  ").trimEnd();
  };
}

function noteOf({ isNow, note }: Item, kind: Picker["kind"]): string {
  const here = isNow ? (kind === "process" ? "here" : "now") : "";
  return reveal([here, note].filter((each) => each !== "").join(" · "));
}

function numberOf(item: Item, all: readonly Item[]): string {
  const number = all.indexOf(item) + 1;
  return number <= NUMBERED_MAX ? String(number) : " ";
}

function markColour(mark: string, theme: Theme): (text: string) => string {
  if (["R", "D", "✓", "ready"].includes(mark)) return theme.ok;
  if (["E", "✗", "failed"].includes(mark)) return theme.bad;
  return ["W", "P", "T", "?", "pending"].includes(mark) ? theme.needs : theme.dim;
}

function padded(text: string, columns: number): string {
  const cut = cutWidth(reveal(text), columns);
  return cut + " ".repeat(Math.max(0, columns - displayWidth(cut)));
}

function footLine({ kind, ending }: Picker, columns: number, theme: Theme): string {
  if (ending !== null)
    return `${theme.needs(`Kill ${ending}?`)} ${theme.bold("y")} ${theme.dim("kill")}  ${theme.bold("any other key")} ${theme.dim("cancel")}`;
  const keys: readonly ViewKey[] = [
    { key: "enter", word: ENTER[kind] ?? "switch", minor: 0 },
    ...(kind === "mcp" ? [{ key: "alt-enter", word: "log", minor: 1 }] : []),
    ...(kind === "schedule" ? [{ key: "alt-enter", word: "history", minor: 1 }] : []),
    ...(kind === "process"
      ? [
          { key: "alt-enter", word: "log", minor: 2 },
          { key: "ctrl-n", word: "new", minor: 1 },
          { key: "ctrl-k", word: "kill", minor: 2 },
        ]
      : []),
    { key: "esc", word: "close", minor: 0 },
  ];
  return keysLine(keys, columns, theme);
}
