// top as boxes: how many there are of each kind, the table, what is known of the one that is selected, and the keys.

import { Box, Text } from "ink";
import { age, processTable, waitsText } from "../../commands/process-table.ts";
import type { ProcessInfo } from "../../src/abi/process.ts";
import { reveal } from "../../src/lib/sanitize.ts";
import type { Theme } from "../theme.ts";
import { rowsOf, selectedOf, type Top } from "../top.ts";

export interface TopProps {
  readonly top: Top;
  readonly theme: Theme;
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
}

const DETAIL_ROWS = 4;
const LEGEND = "R running  D tool  W waits for you  Q queued  P paused  T stopped  S idle  E error";

export function TopView({ top, theme, now, columns, rows }: TopProps) {
  const shown = rowsOf(top);
  const { head, lines } = processTable(shown, columns - 1, now);
  const selected = selectedOf(top);
  const at = shown.findIndex(({ process }) => process.pid === selected?.pid);
  const room = Math.max(1, rows - DETAIL_ROWS - 7);
  const from = Math.max(0, Math.min(at - Math.floor(room / 2), lines.length - room));
  return (
    <Box flexDirection="column" height={rows} width={columns}>
      <Text wrap="truncate-end">{summary(top, now, theme)}</Text>
      <Text> </Text>
      <Text wrap="truncate-end">{theme.bold(head)}</Text>
      {lines.slice(from, from + room).map((line, index) => (
        <Text key={shown[from + index]?.process.pid} wrap="truncate-end">
          {from + index === at ? theme.selected(line.padEnd(columns - 1)) : line}
        </Text>
      ))}
      {lines.length === 0 && top.processes.length > 0 ? <Text>{theme.dim("no process matches")}</Text> : null}
      <Box flexGrow={1} />
      {selected === null ? null : <Detail process={selected} theme={theme} now={now} columns={columns} />}
      <Text wrap="truncate-end">{columns > LEGEND.length ? theme.dim(LEGEND) : ""}</Text>
      <Text> </Text>
      <Text wrap="truncate-end">{footer(top, selected, theme)}</Text>
    </Box>
  );
}

function summary({ processes, sort, filter, filtering }: Top, now: number, theme: Theme): string {
  const count = (...states: readonly ProcessInfo["state"][]) =>
    processes.filter(({ state }) => states.includes(state)).length;
  const parts = [
    `${processes.length} ${processes.length === 1 ? "process" : "processes"}`,
    `${count("running", "waiting_tool", "queued")} working`,
    `${count("waiting_hil")} waiting`,
    `${count("paused", "stopped")} held`,
  ];
  const at = new Date(now).toTimeString().slice(0, 8);
  const wish = filtering || filter !== "" ? `/${filter}${filtering ? "▏" : ""}` : "";
  return `${theme.bold("top")}  ${at}  ${parts.join("  ")}  ${wish === "" ? theme.dim(`by ${sort}`) : wish}`;
}

function Detail({
  process,
  theme,
  now,
  columns,
}: {
  process: ProcessInfo;
  theme: Theme;
  now: number;
  columns: number;
}) {
  const { pid, label, state, waitsFor, parentPid, queued, lastActiveAt, cwd } = process;
  const row = (name: string, text: string) => `  ${theme.dim(name.padEnd(8))}${reveal(text)}`;
  const active = lastActiveAt === null ? "never active" : `active ${age(now - lastActiveAt)} ago`;
  return (
    <Box flexDirection="column" paddingBottom={1}>
      <Box justifyContent="space-between" width={columns - 1}>
        <Text wrap="truncate-end">{`${theme.you(pid)}  ${reveal(label ?? "")}`}</Text>
        <Text>{theme.dim(`${state.replace("_", " ")}  ${active}`)}</Text>
      </Box>
      <Text wrap="truncate-end">{row("waits", waitsFor === null ? "for nothing" : waitsText(waitsFor))}</Text>
      <Text wrap="truncate-end">{row("place", `${cwd}   parent ${parentPid ?? "none"}   queue ${queued}`)}</Text>
    </Box>
  );
}

function footer({ ending }: Top, selected: ProcessInfo | null, theme: Theme): string {
  if (ending !== null)
    return `${theme.needs("end")} ${ending}? ${theme.bold("y")} ends it, its history is archived; any other key does not`;
  const keys: readonly (readonly [string, string])[] = [
    ["↑↓", "move"],
    ["enter", "talk"],
    ...(selected?.state === "waiting_hil"
      ? ([
          ["y", "allow"],
          ["n", "refuse"],
        ] as const)
      : []),
    ["l", "log"],
    ["p", selected?.state === "stopped" ? "go on" : "stop"],
    ["x", "end"],
    ["q", "back"],
    ["/", "filter"],
    ["s", "sort"],
    ["t", "tree"],
  ];
  return keys.map(([key, word]) => `${theme.bold(key)} ${word}`).join("  ");
}
