// top: counts, rate and cost; the table of processes; the details of the selected process or its pending request; the keys.

import { age, processTable, type Row, waitsText } from "../../commands/proc/process-table.ts";
import { dueText } from "../../commands/sched/due-text.ts";
import { isInit } from "../../src/abi/ids.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { wishText } from "../approval-card/approval-card-title.ts";
import { askRows } from "../approval-card/ask-rows.ts";
import type { Paint, Theme } from "../screen/theme.ts";
import type { Ask } from "../state/asks.ts";
import type { Top } from "../state/views.ts";
import { rateOf, rowsOf, STATE_WORDS, selectedOf } from "../views/top.ts";
import { ends, keysLine, type Size, screenful, selectedRow, type ViewKey } from "./screenful.ts";

export interface TopProps extends Size {
  readonly top: Top;
  readonly asks: readonly Ask[];
  readonly notice: string;
  /** The name of a remote kernel. */
  readonly remote?: string | null;
  readonly theme: Theme;
  readonly now: number;
}

/** The columns are as wide as the texts in so many rows above and below the selection. */
const ROWS_AROUND = 100;
const LEGEND = "R running  D tool  W waits for you  Q queued  P paused  T stopped  S idle  E failed";

export function topLines(props: TopProps): readonly string[] {
  const { top, asks, theme, now } = props;
  const columns = props.columns - 1;
  const all = rowsOf(top, now);
  const selected = selectedOf(top, now);
  const selectedAt = all.findIndex(({ process }) => process.pid === selected?.pid);
  // The rows that fit around the selection are enough.
  const from = Math.max(0, selectedAt - Math.max(ROWS_AROUND, props.rows));
  const shown = all.slice(from, selectedAt + Math.max(ROWS_AROUND, props.rows));
  const at = selectedAt - from;
  const { head, lines } = processTable(shown, {
    columns,
    now,
    paint: (name, text, row) => painted(name, text, row, theme),
  });
  const body = lines.map((line, index) => (index === at ? selectedRow(line, columns, theme) : line));
  const none = lines.length === 0 && top.processes.length > 0 ? [theme.dim("no process matches")] : [];
  const ask = asks.find(({ pid }) => pid === selected?.pid) ?? null;
  return screenful(
    {
      title: [titleLine(props, columns)],
      head: theme.dim(head),
      body: [...body, ...none],
      at,
      detail: selected === null ? [] : detailLines(selected, ask, props, columns),
      foot: footLine(props, selected, columns),
    },
    props,
  );
}

function painted(head: string, text: string, { process: { state }, live }: Row, theme: Theme): string {
  if (head === "S") return stateColour(state, theme)(text);
  if (head === "CTX" && (live?.context ?? 0) >= 0.8) return theme.needs(text);
  if (head === "WAITS FOR") return theme.dim(text);
  if (head === "LABEL" || head === "PID") return text;
  return text.trim() === "-" ? theme.dim(text) : text;
}

function stateColour(state: ProcessInfo["state"], theme: Theme): (text: string) => string {
  if (state === "running" || state === "waiting_tool") return theme.ok;
  if (state === "error") return theme.bad;
  return state === "waiting_hil" || state === "paused" || state === "stopped" ? theme.needs : theme.dim;
}

interface TitlePart {
  readonly text: string;
  /** The highest is dropped first. */
  readonly minor: number;
}

function titleLine({ top, remote = null, theme, now }: TopProps, columns: number): string {
  const { processes, filter, filtering, sort, day, due } = top;
  const count = (...states: readonly ProcessInfo["state"][]) =>
    processes.filter(({ state }) => states.includes(state)).length;
  const part = (number: number, word: string, paint: Paint, minor: number): readonly TitlePart[] =>
    number === 0 ? [] : [{ text: paint(`${number} ${word}`), minor }];
  const waiting = count("waiting_hil");
  const left: readonly TitlePart[] = [
    { text: theme.bold(remote === null ? "top" : `top on ${reveal(remote)}`), minor: 0 },
    { text: new Date(now).toTimeString().slice(0, 8), minor: 5 },
    { text: `${processes.length} ${processes.length === 1 ? "process" : "processes"}`, minor: 1 },
    ...part(count("running", "waiting_tool", "queued"), "working", theme.ok, 2),
    ...part(waiting, waiting === 1 ? "waits for you" : "wait for you", theme.needs, 0),
    ...part(count("paused", "stopped"), "paused", theme.needs, 3),
    ...part(Math.ceil(rateOf(top, null, now)), "tok/s", theme.dim, 4),
  ];
  const isNarrowed = filtering || filter !== "";
  const used = usedText(day, processes);
  const right: readonly TitlePart[] = isNarrowed
    ? [{ text: theme.you(`/${reveal(filter)}${filtering ? "▏" : ""}`), minor: 0 }]
    : [
        ...(due === null ? [] : [{ text: theme.dim(`next ${dueText(due, now)}`), minor: 5 }]),
        ...(used === "" ? [] : [{ text: theme.dim(used), minor: 3 }]),
        { text: theme.dim(`by ${sort}`), minor: 6 },
      ];
  return titled(left, right, columns);
}

function titled(left: readonly TitlePart[], right: readonly TitlePart[], columns: number): string {
  const most = Math.max(...[...left, ...right].map(({ minor }) => minor));
  const text = (parts: readonly TitlePart[]) => parts.map((part) => part.text).join("  ");
  const width = Bun.stringWidth(`${text(left)}  ${text(right)}`);
  if (width <= columns || most === 0) return ends(text(left), text(right), columns);
  const kept = (parts: readonly TitlePart[]) => parts.filter(({ minor }) => minor < most);
  return titled(kept(left), kept(right), columns);
}

function usedText(day: Top["day"], processes: readonly ProcessInfo[]): string {
  if (day?.maxUsd != null) return `$${day.usedUsd.toFixed(2)} of $${day.maxUsd.toFixed(2)} today`;
  const sum = processes.reduce((total, { costUsd }) => total + costUsd, 0);
  return sum === 0 ? "" : `$${sum.toFixed(2)}`;
}

function detailLines(process: ProcessInfo, ask: Ask | null, props: TopProps, columns: number): readonly string[] {
  const { top, theme, now } = props;
  const { pid, label, state, waitsFor, parentPid, queued, lastActiveAt, cwd, mode, tokens, costUsd } = process;
  const active = lastActiveAt === null ? "never active" : `active ${age(now - lastActiveAt)} ago`;
  const name = label === null ? theme.you(pid) : `${theme.you(pid)}  ${reveal(label)}`;
  const row = (head: string, text: string) => `  ${theme.dim(head.padEnd(7))}${cutWidth(text, columns - 9)}`;
  const first = ends(name, theme.dim(`${STATE_WORDS[state]} · ${active}`), columns);
  if (ask !== null && state === "waiting_hil") return [first, ...askLines(ask, props)];
  const model = top.looks[pid]?.model ?? null;
  const used = [
    `${tokens.toLocaleString("en-US")} tokens`,
    ...(costUsd > 0 ? [`$${costUsd.toFixed(2)}`] : []),
    `mode ${mode}`,
    ...(queued === 0 ? [] : [`${queued} queued`]),
    ...(parentPid === null ? [] : [`parent ${parentPid}`]),
  ].join(" · ");
  return [
    first,
    ...(waitsFor === null ? [] : [row("waits", reveal(waitsText(waitsFor)))]),
    row("used", used),
    ...(model === null ? [] : [row("model", reveal(model))]),
    row("cwd", reveal(cwd)),
    ...(columns > LEGEND.length ? ["", theme.dim(LEGEND)] : []),
  ];
}

function askLines(ask: Ask, { theme, columns, rows, remote }: TopProps): readonly string[] {
  const shown = askRows(ask, { columns, rows });
  const more = shown.left === 0 ? [] : [theme.needs(`  ${shown.left} more lines · enter show all`)];
  const wish = wishText(ask, remote ?? undefined);
  return [`${theme.needs(theme.glyphs.asks)} ${wish}  ${theme.dim(reveal(ask.why))}`, ...shown.rows, ...more];
}

function footLine({ top, asks, notice, theme }: TopProps, selected: ProcessInfo | null, columns: number): string {
  if (top.ending !== null)
    return `${theme.needs(`Kill ${top.ending}?`)} Its history is archived.  ${theme.bold("y")} ${theme.dim("kill")}  ${theme.bold("any other key")} ${theme.dim("cancel")}`;
  if (top.filtering) return keysLine([key("enter", "keep filter", 0), key("esc", "clear filter", 1)], columns, theme);
  const isAsking =
    selected?.state === "waiting_hil" && asks.some(({ pid, kind }) => pid === selected.pid && kind === "approval");
  const keys = [
    key("↑↓", "move", 1),
    key("enter", "talk", 0),
    ...(isAsking ? [key("y", "allow", 0), key("n", "deny", 0)] : []),
    key("l", "log", 2),
    key("c", "calls", 2),
    key("p", selected?.state === "stopped" ? "resume" : "stop", 2),
    key("i", "abort run", 5),
    ...(selected !== null && isInit(selected.pid) ? [] : [key("k", "kill", 3)]),
    key("s", "sort", 3),
    key("t", "tree", 4),
    key("/", "filter", 3),
    key("q", "close", 0),
  ];
  if (notice === "") return keysLine(keys, columns, theme);
  // The keys stay; the notice is cut.
  const room = columns - Bun.stringWidth(notice) - 2;
  const kept = keysLine(keys, room, theme);
  const cut = cutWidth(notice, Math.max(0, columns - Bun.stringWidth(kept) - 2));
  return ends(kept, theme.dim(cut), columns);
}

function key(name: string, word: string, minor: number): ViewKey {
  return { key: name, word, minor };
}
