// Colours by what they mean. Sixteen of them, on a glyph or a word and never on running text: what they are is the terminal's choice, and
// on some palette each of them can hardly be read. Without colour everything is still said, by glyph and word.

export interface Theme {
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
  /** In its place where nothing may move. */
  readonly still: string;
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
  still: "·",
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
  still: "*",
};

/** The same where nothing moves that need not. */
export function stilled(theme: Theme): Theme {
  return { ...theme, glyphs: { ...theme.glyphs, spinner: [theme.glyphs.still] } };
}

export function themeOf({ colour, unicode }: { readonly colour: boolean; readonly unicode: boolean }): Theme {
  const style = (on: number, off: number) => (text: string) => (text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`);
  const paint = (on: number) => (colour ? style(on, 39) : (text: string) => text);
  return {
    colour,
    you: paint(36),
    ok: paint(32),
    needs: paint(33),
    bad: paint(31),
    dim: style(2, 22),
    bold: style(1, 22),
    selected: style(7, 27),
    keyword: paint(35),
    string: paint(32),
    number: paint(33),
    glyphs: unicode ? UNICODE : ASCII,
  };
}
