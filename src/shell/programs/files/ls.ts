// `ls` and `stat`: what is known of files, in the forms that scripts take apart.

import { type Options, options } from "../options.ts";
import { type Call, type Entry, phrase, type Stat, Usage } from "../program.ts";
import { human } from "./human.ts";
import { modeLetters } from "./modes.ts";
import { type Owners, owners } from "./owners.ts";

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
    size: "s",
    "color=?": "%",
    "sort=": "T",
    "time-style=": "Y",
    dereference: "L",
    "full-time": "Y",
  },
  ...{ "group-directories-first": "D", "ignore=": "I", "no-group": "G", "file-type": "F" },
};

type Row = Entry;

interface View {
  readonly call: Call;
  readonly flags: Options["flags"];
  /** Null where none is shown. */
  readonly owners: Owners | null;
}

export async function ls(call: Call): Promise<number> {
  const { flags, operands } = options("ls", call.args, { letters: LETTERS, long: LONG, status: 2 });
  const isLong = ["l", "g", "o", "n"].some((flag) => flags.has(flag));
  const view: View = { call, flags, owners: isLong ? await owners(call) : null };
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
      call.err(`ls: cannot access '${name}': ${phrase(error)}\n`);
      status = 2;
    }
  }
  call.out(listing(ordered(files, flags), view, false));
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
    call.err(`ls: cannot open directory '${name}': ${phrase(error)}\n`);
    return 2;
  }
  const rows: Row[] = found.filter((each) => flags.has("a") || flags.has("A") || !each.name.startsWith("."));
  for (const each of flags.has("a") ? [".", ".."] : []) {
    const stat = await call.files.lstat(call.path(`${name}/${each}`)).catch(() => null);
    if (stat !== null) rows.push({ name: each, stat });
  }
  const sorted = ordered(rows, flags);
  if (titled) call.out(`${first ? "" : "\n"}${name}:\n`);
  call.out(listing(sorted, view, true));
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

function listing(rows: readonly Row[], view: View, isDirectory: boolean): string {
  const { flags } = view;
  const named = rows.map((row) => ({ ...row, text: nameOf(row, flags) }));
  if (flags.has("m")) return named.length === 0 ? "" : `${named.map(({ text }) => text).join(", ")}\n`;
  if (!["l", "g", "o", "n"].some((flag) => flags.has(flag))) return named.map(({ text }) => `${text}\n`).join("");
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
  return [modeLetters(stat), "1", user, group, size, timeText(stat.mtimeMs, call.nowMs(), flags.get("Y"))];
}

function nameOf({ name, stat }: Row, flags: Options["flags"]): string {
  const mark = stat.kind === "directory" ? "/" : stat.kind === "symlink" ? "@" : stat.mode & 0o111 ? "*" : "";
  const tail = flags.has("F") || (flags.has("p") && mark === "/") ? mark : "";
  return flags.has("l") && stat.kind === "symlink" ? `${name} -> ${stat.target}` : name + tail;
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

export async function stat(call: Call): Promise<number> {
  const { flags, operands } = options("stat", call.args, {
    letters: "c:Lft",
    long: { "format=": "c", "printf=": "p", dereference: "L", terse: "t" },
  });
  if (operands.length === 0) throw new Usage("stat: missing operand\nTry 'stat --help' for more information.");
  const known = await owners(call);
  let status = 0;
  for (const name of operands) {
    try {
      const found = await (flags.has("L") ? call.files.stat(call.path(name)) : call.files.lstat(call.path(name)));
      const format =
        flags.get("p")?.replaceAll("\\n", "\n").replaceAll("\\t", "\t") ??
        (flags.has("c") ? `${flags.get("c")}\n` : PLAIN);
      call.out(
        format.replaceAll(/%(-?\d*)([a-zA-Z%])/g, (_, width: string, letter: string) =>
          padded(field(letter, name, found, known), width),
        ),
      );
    } catch (error) {
      call.err(`stat: cannot statx '${name}': ${phrase(error)}\n`);
      status = 1;
    }
  }
  return status;
}

const PLAIN = `  File: %N
  Size: %-10s\tBlocks: %-10b IO Block: 4096   %F
Access: (%a/%A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)
Modify: %y
`;

function padded(value: string, width: string): string {
  return width.startsWith("-") ? value.padEnd(Number(width.slice(1))) : value.padStart(Number(width || 0));
}

const KINDS = { file: "regular file", directory: "directory", symlink: "symbolic link" } as const;

function field(letter: string, name: string, found: Stat, known: Owners): string {
  const iso = () => `${new Date(found.mtimeMs).toISOString().replace("T", " ").replace("Z", "000000")} +0000`;
  switch (letter) {
    case "a":
      return (found.mode & 0o7777).toString(8);
    case "A":
      return modeLetters(found);
    case "b":
      return String(Math.ceil(found.size / 4096) * 8);
    case "B":
      return "512";
    case "f":
      return ({ file: 0o100000, directory: 0o040000, symlink: 0o120000 }[found.kind] | found.mode).toString(16);
    case "F":
      return found.kind === "file" && found.size === 0 ? "regular empty file" : KINDS[found.kind];
    case "g":
      return String(found.gid);
    case "G":
      return known.group(found.gid);
    case "h":
      return "1";
    case "n":
      return name;
    case "N":
      return found.kind === "symlink" ? `'${name}' -> '${found.target}'` : `'${name}'`;
    case "s":
      return String(found.size);
    case "u":
      return String(found.uid);
    case "U":
      return known.user(found.uid);
    case "X":
    case "Y":
    case "Z":
      return String(Math.floor(found.mtimeMs / 1000));
    case "x":
    case "y":
    case "z":
      return iso();
    case "%":
      return "%";
    default:
      return "?";
  }
}
