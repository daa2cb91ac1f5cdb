// Colours by meaning: sixteen of them, on glyphs and words and never on running text, because each is hard to read on some palette. Without
// colour, glyphs and words say the same.

export interface Theme {
  readonly abilities: Shows;
  readonly colour: boolean;
  /** Prompt, directory, marks of a selection. */
  readonly you: Paint;
  readonly ok: Paint;
  readonly needs: Paint;
  readonly bad: Paint;
  readonly dim: Paint;
  readonly bold: Paint;
  readonly selected: Paint;
  readonly keyword: Paint;
  readonly string: Paint;
  readonly number: Paint;
  readonly glyphs: Glyphs;
}

export type Paint = (text: string) => string;

export interface Glyphs {
  readonly say: string;
  readonly run: string;
  readonly host: string;
  readonly ok: string;
  readonly bad: string;
  readonly asks: string;
  readonly paused: string;
  readonly queued: string;
  readonly bullet: string;
  readonly dots: string;
  readonly line: string;
  readonly full: string;
  readonly empty: string;
  readonly spinner: readonly string[];
  /** In place of the spinner with reduced motion. */
  readonly still: string;
}

const UNICODE: Glyphs = {
  say: "›",
  run: "$",
  host: "!",
  ok: "✓",
  bad: "✗",
  asks: "?",
  paused: "‖",
  queued: "↳",
  bullet: "-",
  dots: "…",
  line: "─",
  full: "▮",
  empty: "▯",
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
  still: "·",
};

const ASCII: Glyphs = {
  say: ">",
  run: "$",
  host: "!",
  ok: "ok",
  bad: "x",
  asks: "?",
  paused: "|",
  queued: "-",
  bullet: "-",
  dots: "...",
  line: "-",
  full: "#",
  empty: ".",
  spinner: ["|", "/", "-", "\\"],
  still: "*",
};

export const THEMES = {
  auto: "colours of the terminal",
  dark: "bright colours for a dark background",
  light: "dark colours for a light background",
  none: "no colours",
} as const;
export type ThemeName = keyof typeof THEMES;
export const THEME_KEY = "terminal.theme";

/** SGR numbers of you, ok, needs, bad, keyword, string, number. */
const COLOURS: { readonly [N in Exclude<ThemeName, "none">]: readonly [number, ...number[]] } = {
  auto: [36, 32, 33, 31, 35, 32, 33],
  dark: [96, 92, 93, 91, 95, 92, 93],
  // Yellow and cyan are hard to read on white.
  light: [34, 32, 35, 31, 35, 32, 34],
};

export interface Shows {
  readonly colour: boolean;
  readonly unicode: boolean;
  /** Reduced motion. */
  readonly still?: boolean;
}

/** Changes the theme in place; scrollback keeps its colours. */
export function retheme(theme: Theme, name: ThemeName): void {
  Object.assign(theme, themeOf(theme.abilities, name));
}

export function still(theme: Theme): void {
  Object.assign(theme, {
    abilities: { ...theme.abilities, still: true },
    glyphs: { ...theme.glyphs, spinner: [theme.glyphs.still] },
  });
}

export function themeOf(abilities: Shows, name: ThemeName = "auto"): Theme {
  const glyphs = abilities.unicode ? UNICODE : ASCII;
  const colour = abilities.colour && name !== "none";
  const [you = 0, ok = 0, needs = 0, bad = 0, keyword = 0, string = 0, number = 0] =
    COLOURS[name === "none" ? "auto" : name];
  const style = (on: number, off: number) => (text: string) => (text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`);
  const paint = (on: number) => (colour ? style(on, 39) : (text: string) => text);
  return {
    abilities,
    colour,
    you: paint(you),
    ok: paint(ok),
    needs: paint(needs),
    bad: paint(bad),
    dim: style(2, 22),
    bold: style(1, 22),
    selected: style(7, 27),
    keyword: paint(keyword),
    string: paint(string),
    number: paint(number),
    glyphs: abilities.still ? { ...glyphs, spinner: [glyphs.still] } : glyphs,
  };
}
