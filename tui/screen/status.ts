// The row above the line: directory, process, model, context, cost, unread notifications, pending requests. The least important parts give way first. Pure.

import { type Mode, modeText } from "../../src/abi/policy.ts";
import { processName } from "../../src/abi/process/process-name.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import type { Context } from "../state/process.ts";
import { realPlace, type State } from "../state/state.ts";
import { usdText } from "./numbers.ts";
import type { Theme } from "./theme.ts";

interface Part {
  readonly text: string;
  /** Short form; empty if the part can be dropped. */
  readonly short: string;
}

const GAP = 2;
const METER_CELLS = 8;
const BOLD_SHARE = 0.8;
const SOON_SHARE = 0.9;
const MODEL_COLUMNS = 24;
const NAME_COLUMNS = 24;

/** Keeps the last row, because every key draws it and it seldom changes. */
export class StatusRow {
  private made: { readonly of: readonly unknown[]; readonly row: string } | null = null;

  draw(state: State, columns: number, theme: Theme): string {
    const { process, line, asking } = state;
    const { unread, isCut, isSignedOut } = state.news;
    const of = [
      process,
      line.cwd,
      line.pinned,
      line.route.to,
      asking.asks.length,
      unread,
      isCut,
      isSignedOut,
      state.theme,
      columns,
      theme,
    ];
    if (this.made === null || of.some((each, at) => each !== this.made?.of[at]))
      this.made = { of, row: statusRow(state, columns, theme) };
    return this.made.row;
  }
}

function statusRow(state: State, columns: number, theme: Theme): string {
  const { model, costUsd, context, readOnly, mode } = state.process;
  const name = cutWidth(reveal(processName(state.process)), NAME_COLUMNS);
  const { asks } = state.asking;
  const { pinned } = state.line;
  const waiting = [...(asks.length > 0 ? [`${asks.length} pending`] : []), ...(readOnly ? ["read-only"] : [])]
    .map((word) => theme.needs(word))
    .join("  ");
  const meter = context === null ? null : meterPart(context, theme);
  const news = state.news.unread > 0 ? theme.dim(`${state.news.unread} unread`) : "";
  const cost = costUsd > 0 ? usdText(costUsd) : "";
  const remote = remotePart(state, theme);
  const parts: { readonly [name: string]: Part } = {
    remote: { text: remote, short: remote },
    directory: directoryPart(state, theme),
    name: { text: theme.dim(name), short: theme.dim(name) },
    model: model === null ? NONE : modelPart(model, theme),
    meter: meter ?? NONE,
    cost: { text: theme.dim(cost), short: "" },
    mode: { text: modePart(mode, theme), short: modePart(mode, theme) },
    pin: { text: pinned === null ? "" : theme.dim(PINS[pinned]), short: "" },
    news: { text: news, short: "" },
    waiting: { text: waiting, short: waiting },
  };
  return fitted(parts, ["cost", "model", "news", "meter", "directory", "pin"], columns).join(" ".repeat(GAP));
}

/** The usual mode goes without saying; one that runs anything stands out. */
function modePart(mode: Mode, theme: Theme): string {
  if (mode === "ask") return "";
  return mode === "yolo" ? theme.needs(modeText(mode)) : theme.dim(modeText(mode));
}

const NONE: Part = { text: "", short: "" };
const PINS = { chat: "message mode", shell: "shell mode", host: "host mode" } as const;

/** `gives`: order in which parts shrink and are then dropped. */
function fitted(
  parts: { readonly [name: string]: Part },
  gives: readonly string[],
  columns: number,
): readonly string[] {
  const shown: { [name: string]: string } = {};
  for (const [name, { text }] of Object.entries(parts)) if (text !== "") shown[name] = text;
  const width = () => Object.values(shown).reduce((sum, text) => sum + Bun.stringWidth(text) + GAP, -GAP);
  for (const [step, name] of [...gives, ...gives].entries()) {
    if (width() <= columns) break;
    const short = step < gives.length ? (parts[name]?.short ?? "") : "";
    if (short === "") delete shown[name];
    else shown[name] = short;
  }
  return Object.values(shown);
}

/** Always visible: a command for one computer must not be typed at another. */
function remotePart({ who: { remote = null }, news: { isCut, isSignedOut }, line }: State, theme: Theme): string {
  if (remote === null) return "";
  const name = theme.bold(cutWidth(reveal(remote), NAME_COLUMNS));
  const what = isSignedOut ? "signed out" : isCut ? "reconnecting" : line.route.to === "host" ? "runs this line" : null;
  return what === null ? name : `${name} ${theme.needs(what)}`;
}

function directoryPart({ line: { cwd }, who: { home, here } }: State, theme: Theme): Part {
  const own = cwd === home || cwd.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
  const directory = reveal(realPlace(here, cwd)?.short ?? own);
  const last = directory.split("/").at(-1) ?? directory;
  return {
    text: theme.you(directory),
    short: theme.you(directory === last ? directory : cutWidth(`…/${last}`, MODEL_COLUMNS)),
  };
}

function modelPart(model: string, theme: Theme): Part {
  const whole = reveal(model);
  const name = whole.replace(/^[^/]*\/(?=[^/]+$)/, "").replace(/^script:.*\//, "script:");
  return { text: theme.dim(cutWidth(name, MODEL_COLUMNS)), short: "" };
}

/** The number turns bold before compaction. */
function meterPart({ tokens, windowTokens, compactsAtTokens }: Context, theme: Theme): Part {
  const { full, empty } = theme.glyphs;
  const share = Math.min(1, tokens / Math.max(1, windowTokens));
  const cells = Math.min(METER_CELLS, Math.ceil(share * METER_CELLS - 0.05));
  const bar = full.repeat(cells) + theme.dim(empty.repeat(METER_CELLS - cells));
  const isNear = share >= BOLD_SHARE || tokens >= SOON_SHARE * compactsAtTokens;
  const percent = `${Math.round(share * 100)}%`;
  const number = isNear ? theme.bold(percent) : percent;
  const soon = tokens >= SOON_SHARE * compactsAtTokens ? theme.needs(" compacts soon") : "";
  return {
    text: `${theme.dim("ctx")} ${bar} ${number}${soon}`,
    short: `${theme.dim("ctx")} ${number}${soon === "" ? "" : theme.needs(" compacts")}`,
  };
}
