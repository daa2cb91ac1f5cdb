// What a terminal can do, from what the environment says of it. Where nothing is known, nothing is asked of it that could be seen as text.

import { wantsColour } from "../../src/lib/text/colour.ts";
import type { Tty } from "./screen.ts";

export interface Abilities {
  readonly colour: boolean;
  readonly unicode: boolean;
  /** Takes no motion of the cursor at all. */
  readonly dumb: boolean;
  /** Takes sequences of the operating system: titles, marks of prompts. */
  readonly told: boolean;
  /** Stands behind something that passes on its size late. */
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
    // Where nothing is said, as on a machine that was just set up, a terminal of these years takes it.
    unicode: locale === "" || /utf-?8/i.test(locale),
    dumb,
    told: !dumb && !/^(?:linux|vt\d|ansi|cons)/.test(TERM),
    lags: Boolean(env.TMUX || env.STY),
    notifies: notifiesOf(env),
  };
}

function notifiesOf({ TERM = "", TERM_PROGRAM = "", TMUX, STY }: Env): Abilities["notifies"] {
  // What stands between passes a bell on, and nothing else.
  if (TMUX || STY) return "bell";
  if (/^(?:iTerm\.app|WezTerm|ghostty)$/.test(TERM_PROGRAM) || TERM === "xterm-ghostty") return "9";
  if (TERM === "xterm-kitty") return "99";
  return /^(?:foot|rxvt)/.test(TERM) ? "777" : "bell";
}

/** The bytes that call somebody with these words. */
export function callOf(notifies: Abilities["notifies"], text: string): string {
  if (notifies === "9") return `\x1b]9;gsv: ${text}\x1b\\`;
  if (notifies === "99") return `\x1b]99;i=gsv;gsv: ${text}\x1b\\`;
  return notifies === "777" ? `\x1b]777;notify;gsv;${text}\x1b\\` : "\x07";
}

/** Glyphs of ours, each as one that every terminal has, as wide as it was. */
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

/** Where the locale has no other letters, ours are said with these; what somebody else wrote stays as it is. */
function inAscii(text: string): string {
  return text.replace(GLYPHS, (glyph) => ASCII[glyph] ?? "?");
}

/** The same terminal, told all of ours so. */
export function inLettersOfAscii(tty: Tty): Tty {
  return {
    write: (text) => tty.write(inAscii(text)),
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
