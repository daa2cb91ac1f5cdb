// `ls`: names or long lines in the formats that scripts parse; columns and colours on a terminal.

import { type Options, options } from "../options.ts";
import type { Call, Entry, Stat } from "../program.ts";
import { human } from "./human.ts";
import { modeLetters } from "./mode.ts";
import { inColumns, painted, visibleName } from "./names-layout.ts";
import { type Owners, owners } from "./owners.ts";
import { quoting } from "./quoting.ts";

const LETTERS = "aAdlhrtSRF1ipgnoGkUXcuCxmqQNLbHsZ";
const LONG = {
  ...{
    all: "a",
    "almost-all": "A",
    directory: "d",
    "human-readable": "h",
    reverse: "r",
    recursive: "R",
    classify: "F",
  },
  ...{
    inode: "i",
    "numeric-uid-gid": "n",
    size: "S",
    ...{ long: "l", time: "t", one: "1" },
    "color=?": "%",
    "sort=": "T",
    "time-style=": "Y",
    dereference: "L",
    "full-time": "Y",
  },
  ...{ escape: "b", "quote-name": "Q", literal: "N", "hide-control-chars": "q", "quoting-style=": "'" },
  ...{ "group-directories-first": "D", "ignore=": "I", "no-group": "G", "file-type": "F" },
};

type Row = Entry;

interface View {
  readonly call: Call;
  readonly flags: Options["flags"];
  /** null if not shown. */
  readonly owners: Owners | null;
  readonly quoted: (name: string) => string;
}

export async function ls(call: Call): Promise<number> {
  const { flags, uses, operands } = options("ls", call.args, { letters: LETTERS, long: LONG, status: 2 });
  const isLong = ["l", "g", "o", "n"].some((flag) => flags.has(flag));
  const view: View = { call, flags, owners: isLong ? await owners(call) : null, quoted: quoting(uses) };
  const files: Row[] = [];
  const directories: Row[] = [];
  let status = 0;
  for (const name of operands.length === 0 ? ["."] : operands) {
    try {
      const path = call.path(name);
      const stat =
        flags.has("l") && !name.endsWith("/")
          ? await call.files.lstat(path)
          : await call.files.stat(path).catch(() => call.files.lstat(path));
      (stat.kind === "directory" && !flags.has("d") ? directories : files).push({ name, stat });
    } catch (error) {
      call.fail(error, (why) => `ls: cannot access '${name}': ${why}`);
      status = 2;
    }
  }
  print(ordered(files, flags), view, null);
  const titled = operands.length > 1 || flags.has("R");
  let first = files.length === 0;
  for (const { name } of ordered(directories, flags)) {
    status = Math.max(status, await below(view, name, { titled, first }));
    first = false;
  }
  return status;
}

async function below(
  view: View,
  name: string,
  { titled, first }: { readonly titled: boolean; readonly first: boolean },
): Promise<number> {
  const { call, flags } = view;
  let found: readonly Entry[];
  try {
    found = await call.files.list(call.path(name));
  } catch (error) {
    call.fail(error, (why) => `ls: cannot open directory '${name}': ${why}`);
    return 2;
  }
  const rows: Row[] = found.filter((each) => flags.has("a") || flags.has("A") || !each.name.startsWith("."));
  for (const each of flags.has("a") ? [".", ".."] : []) {
    const stat = await call.files.lstat(call.path(`${name}/${each}`)).catch(() => null);
    if (stat !== null) rows.push({ name: each, stat });
  }
  const sorted = ordered(rows, flags);
  if (titled && call.row === null) call.out(`${first ? "" : "\n"}${visibleName(view.quoted(name), call.look)}:\n`);
  print(sorted, view, name);
  if (!flags.has("R")) return 0;
  let status = 0;
  for (const { name: each, stat } of sorted) {
    if (stat.kind !== "directory" || each === "." || each === "..") continue;
    status = Math.max(status, await below(view, `${name === "/" ? "" : name}/${each}`, { titled, first: false }));
  }
  return status;
}

function ordered(rows: readonly Row[], flags: Options["flags"]): readonly Row[] {
  const byName = (a: Row, b: Row) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const sort = flags.get("T");
  const compare = (a: Row, b: Row) => {
    if (flags.has("D") && (a.stat.kind === "directory") !== (b.stat.kind === "directory"))
      return a.stat.kind === "directory" ? -1 : 1;
    if (flags.has("t") || sort === "time") return b.stat.mtimeMs - a.stat.mtimeMs || byName(a, b);
    if (flags.has("S") || sort === "size") return b.stat.size - a.stat.size || byName(a, b);
    return byName(a, b);
  };
  const sorted = flags.has("U") || sort === "none" ? [...rows] : [...rows].sort(compare);
  return flags.has("r") ? sorted.reverse() : sorted;
}

/** The entries of a directory, or the operands that are files (`directory` is null). */
function print(rows: readonly Row[], view: View, directory: string | null): void {
  const { call } = view;
  if (call.row === null) call.out(listing(rows, view, directory !== null));
  for (const { name, stat } of call.row === null ? [] : rows) {
    const path = directory === null ? name : join(directory, name);
    call.row?.({ ...stat.facts, path, name: base(name) });
  }
}

function listing(rows: readonly Row[], view: View, isDirectory: boolean): string {
  const { flags, call } = view;
  const named = rows.map((row) => ({ ...row, text: nameOf(row, view) }));
  if (flags.has("m")) return named.length === 0 ? "" : `${named.map(({ text }) => text).join(", ")}\n`;
  if (!["l", "g", "o", "n"].some((flag) => flags.has(flag)))
    return inColumns(
      named.map(({ text }) => text),
      flags.has("1") ? null : call.look.columns,
    );
  const blocks = rows.reduce((sum, { stat }) => sum + Math.ceil(stat.size / 4096) * 4, 0);
  const cells = named.map(({ stat, text }) => [...longCells(stat, view), text]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(0, ...cells.map((row) => (row[column] ?? "").length)));
  const lines = cells.map(([mode = "", links = "", user = "", group = "", size = "", time = "", text = ""]) => {
    const owner = flags.has("g") ? [] : [user.padEnd(widths[2] ?? 0)];
    const members = flags.has("o") || flags.has("G") ? [] : [group.padEnd(widths[3] ?? 0)];
    return `${[mode, links.padStart(widths[1] ?? 0), ...owner, ...members, size.padStart(widths[4] ?? 0), time, text].join(" ")}\n`;
  });
  return (isDirectory ? `total ${flags.has("h") ? human(blocks * 1024) : blocks}\n` : "") + lines.join("");
}

function longCells(stat: Stat, { call, flags, owners: known }: View): readonly string[] {
  const size = flags.has("h") ? human(stat.size) : String(stat.size);
  const user = flags.has("n") || known === null ? String(stat.uid) : known.user(stat.uid);
  const group = flags.has("n") || known === null ? String(stat.gid) : known.group(stat.gid);
  const time =
    flags.has("Y") || !call.look.isoTimes
      ? timeText(stat.mtimeMs, call.nowMs(), flags.get("Y"))
      : new Date(stat.mtimeMs).toISOString();
  return [modeLetters(stat), "1", user, group, size, time];
}

function nameOf({ name, stat }: Row, { flags, quoted, call: { look } }: View): string {
  const mark = stat.kind === "directory" ? "/" : stat.kind === "symlink" ? "@" : stat.mode & 0o111 ? "*" : "";
  const tail = flags.has("F") || (flags.has("p") && mark === "/") ? mark : "";
  const shown = painted(stat, visibleName(quoted(name), look), look);
  const isLink = flags.has("l") && stat.kind === "symlink";
  return isLink ? `${shown} -> ${visibleName(quoted(stat.target ?? ""), look)}` : shown + tail;
}

const HALF_YEAR_MS = 365.2425 * 43_200_000;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function timeText(ms: number, nowMs: number, style: string | undefined): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  if (style === "long-iso") return `${day} ${clock}`;
  if (style !== undefined)
    return `${day} ${clock}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padEnd(9, "0")} +0000`;
  const isRecent = Math.abs(nowMs - ms) < HALF_YEAR_MS;
  return `${MONTHS[date.getMonth()]} ${String(date.getDate()).padStart(2)} ${isRecent ? clock : ` ${date.getFullYear()}`}`;
}

function base(path: string): string {
  return path.replace(/(?<=.)\/+$/, "").replace(/^.*\/(?=.)/s, "");
}

function join(directory: string, name: string): string {
  return `${directory.replace(/\/+$/, "")}/${name}`;
}
