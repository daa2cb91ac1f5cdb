// Colours by what they mean. Sixteen of them, on a glyph or a word and never on running text: what they are is the terminal's choice, and
// on some palette each of them can hardly be read. Without colour everything is still said, by glyph and word.

export interface Theme {
  /** What the terminal can show, whatever was chosen. */
  readonly abilities: Abilities;
  readonly colour: boolean;
  /** The person: prompt, directory, marks of a selection. */
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
  readonly held: string;
  readonly queued: string;
  readonly bullet: string;
  readonly dots: string;
  readonly line: string;
  readonly full: string;
  readonly empty: string;
  readonly spinner: readonly string[];
}

const UNICODE: Glyphs = {
  say: "›",
  run: "$",
  host: "!",
  ok: "✓",
  bad: "✗",
  asks: "?",
  held: "‖",
  queued: "↳",
  bullet: "-",
  dots: "…",
  line: "─",
  full: "▮",
  empty: "▯",
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
};

const ASCII: Glyphs = {
  say: ">",
  run: "$",
  host: "!",
  ok: "ok",
  bad: "x",
  asks: "?",
  held: "|",
  queued: "-",
  bullet: "-",
  dots: "...",
  line: "-",
  full: "#",
  empty: ".",
  spinner: ["|", "/", "-", "\\"],
};

/** What can be chosen, in words. */
export const THEMES = {
  auto: "the sixteen colours as the terminal has them",
  dark: "the brighter of them, for a dark ground",
  light: "the darker of them, for a light ground",
  none: "no colour: glyphs and words say it all",
} as const;
export type ThemeName = keyof typeof THEMES;

/** SGR numbers of you, ok, needs, bad, keyword, string, number. */
const COLOURS: { readonly [N in Exclude<ThemeName, "none">]: readonly [number, ...number[]] } = {
  auto: [36, 32, 33, 31, 35, 32, 33],
  dark: [96, 92, 93, 91, 95, 92, 93],
  // Yellow can hardly be read on white, and cyan not much better.
  light: [34, 32, 35, 31, 35, 32, 34],
};

export interface Abilities {
  readonly colour: boolean;
  readonly unicode: boolean;
}

/** The theme that everything holds, from now on in other colours; what is on the screen already stays as it is. */
export function retheme(theme: Theme, name: ThemeName): void {
  Object.assign(theme, themeOf(theme.abilities, name));
}

export function themeOf(abilities: Abilities, name: ThemeName = "auto"): Theme {
  const { unicode } = abilities;
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
    glyphs: unicode ? UNICODE : ASCII,
  };
}

/** What an environment says of the terminal; `dumb` takes no motion of the cursor at all. */
export function abilitiesOf(env: { readonly [name: string]: string | undefined }): {
  readonly colour: boolean;
  readonly unicode: boolean;
  readonly dumb: boolean;
} {
  const dumb = env.TERM === "dumb" || env.TERM === undefined;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  const forced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "" && env.FORCE_COLOR !== "0";
  return {
    colour: !dumb && (forced || !env.NO_COLOR),
    // Where nothing is said, as on a machine that was just set up, a terminal of these years takes it.
    unicode: locale === "" || /utf-?8/i.test(locale),
    dumb,
  };
}
