// What a terminal can do, by its environment. An unknown terminal gets no sequence that it could show as text.

import { wantsColour } from "../../src/lib/text/colour.ts";
import type { Tty } from "./screen.ts";

export interface Abilities {
  readonly colour: boolean;
  readonly unicode: boolean;
  /** No cursor movement at all. */
  readonly dumb: boolean;
  /** Takes OSC sequences: titles, marks of prompts. */
  readonly osc: boolean;
  /** Shows links (OSC 8). */
  readonly links: boolean;
  /** A multiplexer passes the size on late. */
  readonly lags: boolean;
  readonly notifies: "bell" | "9" | "99" | "777";
}

export interface Env {
  readonly [name: string]: string | undefined;
}

export function abilitiesOf(env: Env): Abilities {
  const { TERM } = env;
  const dumb = TERM === "dumb" || TERM === undefined || TERM === "";
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  return {
    colour: !dumb && wantsColour(true, env),
    // Without any locale, as on a fresh system, a terminal of today takes UTF-8.
    unicode: locale === "" || /utf-?8/i.test(locale),
    dumb,
    osc: !dumb && !/^(?:linux|vt\d|ansi|cons)/.test(TERM),
    links: !dumb && showsLinks(env),
    lags: Boolean(env.TMUX || env.STY),
    notifies: notifiesOf(env),
  };
}

function showsLinks({ TERM = "", TERM_PROGRAM = "", TERM_PROGRAM_VERSION = "", STY, ...env }: Env): boolean {
  if (STY) return false;
  // tmux removes them for a terminal that does not show them.
  if (env.TMUX) return TERM_PROGRAM === "tmux" && Number.parseFloat(TERM_PROGRAM_VERSION) >= 3.4;
  if (/^(?:iTerm\.app|WezTerm|ghostty|vscode|Hyper|Tabby|rio)$/.test(TERM_PROGRAM)) return true;
  if (/^(?:xterm-(?:kitty|ghostty)|foot|alacritty|contour|wezterm)/.test(TERM)) return true;
  return Number(env.VTE_VERSION ?? 0) >= 5000 || Number(env.KONSOLE_VERSION ?? 0) >= 201_200 || Boolean(env.WT_SESSION);
}

function notifiesOf({ TERM = "", TERM_PROGRAM = "", TMUX, STY }: Env): Abilities["notifies"] {
  // A multiplexer passes only a bell on.
  if (TMUX || STY) return "bell";
  if (/^(?:iTerm\.app|WezTerm|ghostty)$/.test(TERM_PROGRAM) || TERM === "xterm-ghostty") return "9";
  if (TERM === "xterm-kitty") return "99";
  return /^(?:foot|rxvt)/.test(TERM) ? "777" : "bell";
}

export function notificationBytes(notifies: Abilities["notifies"], text: string): string {
  if (notifies === "9") return `\x1b]9;gsv: ${text}\x1b\\`;
  if (notifies === "99") return `\x1b]99;i=gsv;gsv: ${text}\x1b\\`;
  return notifies === "777" ? `\x1b]777;notify;gsv;${text}\x1b\\` : "\x07";
}

/** Same width as the glyph. */
const ASCII: { readonly [glyph: string]: string } = {
  ...{ "─": "-", "│": "|", "├": "|", "└": "`", "·": "-", "…": "~", "▏": "_", "↑": "^", "↓": "v", "←": "<", "→": ">" },
  ...{
    "⟨": "<",
    "⟩": ">",
    "⏎": "$",
    "–": "-",
    "—": "-",
    "▸": ">",
    "▮": "#",
    "▯": ".",
    "✓": "+",
    "✗": "x",
    "›": ">",
    "‖": "=",
  },
};
const GLYPHS = new RegExp(`[${Object.keys(ASCII).join("")}]|[\\u2400-\\u2421]`, "g");

export function withAsciiGlyphs(tty: Tty): Tty {
  return {
    write: (text) => tty.write(text.replace(GLYPHS, (glyph) => ASCII[glyph] ?? "?")),
    get columns() {
      return tty.columns;
    },
    get rows() {
      return tty.rows;
    },
    look: () => tty.look?.(),
    lags: tty.lags === true,
  };
}
