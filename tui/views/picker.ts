// A short list above the line from which one is chosen: processes, models, themes, what waits for an answer. Typing narrows it, the selection
// follows what was selected and not its row. Pure.

import { waitsText } from "../../commands/proc/process-table.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Key } from "../line/keys.ts";
import { THEMES } from "../screen/theme.ts";
import type { Ask } from "../state/asks.ts";
import type { State } from "../state/state.ts";
import type { Item, Picker, PickerKind } from "../state/views.ts";
import { subjectOf } from "../talk/subject.ts";

export type PickerWish =
  | { readonly wish: "leave" | "new" }
  | { readonly wish: "choose" | "peek" | "end"; readonly id: string };

export function newPicker(kind: PickerKind, items: readonly Item[] | null): Picker {
  return { kind, items, typed: "", selected: null, ending: null, hasty: false };
}

/** Those that hold every word that was typed. */
export function matchingItems({ items, typed }: Picker): readonly Item[] {
  const words = typed.toLowerCase().split(/\s+/);
  return (items ?? []).filter(({ id, mark, text, note }) => {
    const whole = `${id} ${mark} ${text} ${note}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
}

export function selectedItem(picker: Picker): Item | null {
  const items = matchingItems(picker);
  return items.find(({ id }) => id === picker.selected) ?? items[0] ?? null;
}

export function onPickerKey(picker: Picker, key: Key): { readonly picker: Picker; readonly wish: PickerWish | null } {
  const stays = (next: Picker) => ({ picker: next, wish: null });
  const wishes = (wish: PickerWish) => ({ picker, wish });
  const selected = selectedItem(picker);
  if (picker.ending !== null) {
    const wish = key.text === "y" && !key.ctrl ? ({ wish: "end", id: picker.ending } as const) : null;
    return { picker: { ...picker, ending: null }, wish };
  }
  if (key.name === "up" || key.name === "down") return stays(movedBy(picker, key.name === "up" ? -1 : 1));
  if (key.name === "tab") return stays(movedBy(picker, key.shift ? -1 : 1));
  if (key.name === "escape" || (key.ctrl && "cgp".includes(key.text))) return wishes({ wish: "leave" });
  if (key.name === "backspace") return stays({ ...picker, typed: [...picker.typed].slice(0, -1).join("") });
  if (key.name === "enter" && selected !== null)
    return wishes({ wish: key.alt && picker.kind === "process" ? "peek" : "choose", id: selected.id });
  if (key.name === "enter") return stays({ ...picker, hasty: picker.items === null });
  if (key.name !== "text") return stays(picker);
  if (!key.ctrl && !key.alt) return stays({ ...picker, typed: picker.typed + key.text, selected: null });
  if (key.ctrl && key.text === "u") return stays({ ...picker, typed: "" });
  if (picker.kind !== "process" || !key.ctrl) return stays(picker);
  if (key.text === "n") return wishes({ wish: "new" });
  return key.text === "k" && selected !== null ? stays({ ...picker, ending: selected.id }) : stays(picker);
}

function movedBy(picker: Picker, by: -1 | 1): Picker {
  const items = matchingItems(picker);
  const at = items.findIndex(({ id }) => id === selectedItem(picker)?.id);
  return { ...picker, selected: items[Math.min(items.length - 1, Math.max(0, at + by))]?.id ?? null };
}

/** Who did something last comes first: alt and a number go to the same ones. */
export function recent(processes: readonly ProcessInfo[]): readonly ProcessInfo[] {
  const at = ({ lastActiveAt, createdAt }: ProcessInfo) => lastActiveAt ?? createdAt;
  return processes.toSorted((left, right) => at(right) - at(left) || left.createdAt - right.createdAt);
}

const DOES: { readonly [S in ProcessInfo["state"]]: string } = {
  idle: "",
  queued: "begins soon",
  running: "answers",
  waiting_tool: "runs a tool",
  waiting_hil: "waits for you",
  paused: "paused",
  stopped: "stopped",
  error: "failed",
};
const MARKS: { readonly [S in ProcessInfo["state"]]: string } = {
  idle: "S",
  queued: "Q",
  running: "R",
  waiting_tool: "D",
  waiting_hil: "W",
  paused: "P",
  stopped: "T",
  error: "E",
};

function processItems(processes: readonly ProcessInfo[], here: string): readonly Item[] {
  return recent(processes).map(({ pid, label, state, waitsFor }) => {
    const waits = waitsText(waitsFor);
    const note = waits === "" ? DOES[state] : `${DOES[state]}: ${waits}`;
    return { id: pid, mark: MARKS[state], text: label ?? "", note, isNow: pid === here };
  });
}

export function askItems(asks: readonly Ask[]): readonly Item[] {
  return asks.map(({ id, pid, kind, tool, args, why }) => ({
    id,
    mark: kind === "question" ? "?" : tool,
    text: subjectOf(tool, args),
    note: kind === "question" ? pid : `${pid} ${why}`,
    isNow: false,
  }));
}

export function themeItems(now: string): readonly Item[] {
  return Object.entries<string>(THEMES).map(([id, text]) => ({ id, mark: "", text, note: "", isNow: id === now }));
}

/** The list that is told of anew keeps what was typed and selected. */
export function refreshed(state: State, processes: readonly ProcessInfo[]): Picker | null {
  const { picker } = state;
  return picker?.kind === "process" ? { ...picker, items: processItems(processes, state.pid) } : picker;
}
