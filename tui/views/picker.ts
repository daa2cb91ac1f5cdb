// A short list above the line: processes, models, themes, schedules, MCP servers or pending requests. Typing narrows it; the selection follows the item
// and not its row. Pure.

import { waitsText } from "../../commands/proc/process-table.ts";
import type { McpServer } from "../../src/abi/links/mcp.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Key } from "../line/keys.ts";
import { THEMES } from "../screen/theme.ts";
import type { Ask } from "../state/asks.ts";
import type { Item, Picker, PickerKind } from "../state/views.ts";
import { subjectOf } from "../talk/subject.ts";

export type PickerCommand =
  | { readonly name: "leave" | "new" }
  | { readonly name: "choose" | "log" | "kill"; readonly id: string };

interface PickerReduced {
  readonly picker: Picker;
  readonly command: PickerCommand | null;
}

const HAS_LOG: readonly PickerKind[] = ["process", "schedule", "mcp"];

export function newPicker(kind: PickerKind, items: readonly Item[] | null): Picker {
  return { kind, items, typed: "", selected: null, ending: null, hasty: false };
}

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

export function onPickerKey(picker: Picker, key: Key): PickerReduced {
  const next = (fields: Partial<Picker>) => ({ picker: { ...picker, ...fields }, command: null });
  const command = (of: PickerCommand) => ({ picker, command: of });
  const { kind, typed, ending } = picker;
  const selected = selectedItem(picker);
  if (ending !== null) {
    const isKill = key.text === "y" && !key.ctrl;
    return { picker: { ...picker, ending: null }, command: isKill ? { name: "kill", id: ending } : null };
  }
  if (key.name === "up" || key.name === "down") return next(movedBy(picker, key.name === "up" ? -1 : 1));
  if (key.name === "tab") return next(movedBy(picker, key.shift ? -1 : 1));
  if (key.name === "escape" || (key.ctrl && "cgp".includes(key.text))) return command({ name: "leave" });
  if (key.name === "backspace") return next({ typed: [...typed].slice(0, -1).join("") });
  if (key.name === "enter" && selected !== null)
    return command({ name: key.alt && HAS_LOG.includes(kind) ? "log" : "choose", id: selected.id });
  if (key.name === "enter") return next({ hasty: picker.items === null });
  if (key.name !== "text") return next({});
  if (!key.ctrl && !key.alt) return next({ typed: typed + key.text, selected: null });
  if (key.ctrl && key.text === "u") return next({ typed: "" });
  if (kind !== "process" || !key.ctrl) return next({});
  if (key.text === "n") return command({ name: "new" });
  return next(key.text === "k" && selected !== null ? { ending: selected.id } : {});
}

function movedBy(picker: Picker, by: -1 | 1): Partial<Picker> {
  const items = matchingItems(picker);
  const at = items.findIndex(({ id }) => id === selectedItem(picker)?.id);
  return { selected: items[Math.min(items.length - 1, Math.max(0, at + by))]?.id ?? null };
}

/** The most recently active first; alt and a number count in the same order. */
export function recent(processes: readonly ProcessInfo[]): readonly ProcessInfo[] {
  const at = ({ lastActiveAt, createdAt }: ProcessInfo) => lastActiveAt ?? createdAt;
  return processes.toSorted((left, right) => at(right) - at(left) || left.createdAt - right.createdAt);
}

const STATES: { readonly [S in ProcessInfo["state"]]: readonly [mark: string, text: string] } = {
  idle: ["S", ""],
  queued: ["Q", "queued"],
  running: ["R", "running"],
  waiting_tool: ["D", "running a tool"],
  waiting_hil: ["W", "waits for you"],
  paused: ["P", "paused"],
  stopped: ["T", "stopped"],
  error: ["E", "failed"],
};

function processItems(processes: readonly ProcessInfo[], here: string): readonly Item[] {
  return recent(processes).map(({ pid, label, state, waitsFor }) => {
    const [mark, text] = STATES[state];
    const waits = waitsText(waitsFor);
    const note = waits === "" ? text : `${text}: ${waits}`;
    return { id: pid, mark, text: label ?? "", note, isNow: pid === here };
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

export function serverItems(servers: readonly McpServer[]): readonly Item[] {
  return servers.map(({ name, state, tools, waiting, tokens, definition, error }) => {
    const count = `${tools} ${tools === 1 ? "tool" : "tools"}`;
    const fresh = waiting > 0 ? `, ${waiting} new` : "";
    const start = definition.kind === "http" ? definition.url : [definition.command, ...definition.args].join(" ");
    const text = state === "pending" ? "waits for you" : `${count}${fresh}, ${tokens} tokens`;
    return { id: name, mark: state, text, note: error ?? start, isNow: false };
  });
}

/** A fresh list keeps the typed words and the selection. */
export function withItems(picker: Picker | null, processes: readonly ProcessInfo[], here: string): Picker | null {
  return picker?.kind === "process" ? { ...picker, items: processItems(processes, here) } : picker;
}
