// HTML to Markdown for models: headings, lists, tables, code, links. Hidden elements are dropped. One pass over the tokens, with limits on
// nesting and size; yields regularly.

import { MarkdownOut } from "./markdown.ts";
import { decodedText } from "./text.ts";
import { type Token, tokensOf } from "./tokens.ts";

const TITLE_CHARS_MAX = 300;
const HREF_CHARS_MAX = 2000;
const TOKENS_AT_ONCE = 1000;
const TOKENS_MAX = 1_000_000;
/** Use only the main part of a page if it has at least this much text. */
const MAIN_CHARS_MIN = 200;

const words = (text: string) => new Set(text.split(" "));
const LEFT_OUT = words("noscript template svg math iframe object canvas audio video select button dialog");
const VOID = words("area base br col embed hr img input link meta param source track wbr script style");
const BLOCKS = words(
  "address article aside dd details div dl dt fieldset figcaption figure footer form header main nav section summary",
);
const UNSEEN_STYLE = /(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden)/i;

type Attributes = ReadonlyMap<string, string>;

export async function markdownOf(
  html: string,
  base: URL,
  rest: () => Promise<void>,
): Promise<{ readonly title: string; readonly text: string }> {
  const page = new Page(base);
  let count = 0;
  for (const token of tokensOf(html)) {
    page.take(token);
    if (page.out.isFull || ++count > TOKENS_MAX) break;
    if (count % TOKENS_AT_ONCE === 0) await rest();
  }
  return page.end();
}

class Page {
  readonly out = new MarkdownOut();
  readonly lists: { readonly ordered: boolean; count: number }[] = [];
  title = "";
  isTitle = false;
  pre = 0;
  row: { cells: number; heads: number } | null = null;
  private link: { readonly href: string; readonly place: number } | null = null;
  private leftOut: { readonly name: string; depth: number } | null = null;
  private main: { readonly from: number; to?: number } | null = null;

  constructor(private base: URL) {}

  take(token: Token): void {
    if (token.kind === "text") this.text(token.text);
    else if (this.leftOut !== null) this.passOver(token.name, token.kind, this.leftOut);
    else if (token.kind === "open") this.open(token.name, token.attributes);
    else this.close(token.name);
  }

  end(): { readonly title: string; readonly text: string } {
    this.endLink();
    const part = this.main === null ? "" : this.out.text(this.main.from, this.main.to);
    const text = part.length >= MAIN_CHARS_MIN ? part : this.out.text();
    return { title: this.title.trim(), text };
  }

  rebase(href: string): void {
    this.base = URL.parse(href, this.base.href) ?? this.base;
  }

  beginLink(href: string): void {
    this.endLink();
    const url = href === "" || href.startsWith("#") ? null : URL.parse(decodedText(href), this.base.href);
    if (url === null || url.href.length > HREF_CHARS_MAX || !/^(?:https?|mailto):$/.test(url.protocol)) return;
    this.out.settle();
    this.link = { href: url.href.replace(/[()]/g, (mark) => (mark === "(" ? "%28" : "%29")), place: this.out.place };
  }

  endLink(): void {
    const { link, out } = this;
    this.link = null;
    if (link === null || !out.hasText(link.place)) return;
    out.insert(link.place, "[");
    out.words(`](${link.href})`);
  }

  beginList(ordered: boolean): void {
    this.out.break(this.lists.length === 0 ? 2 : 1);
    this.lists.push({ ordered, count: 0 });
    this.out.depth = this.lists.length;
  }

  endList(): void {
    this.lists.pop();
    this.out.depth = this.lists.length;
    this.out.break(this.lists.length === 0 ? 2 : 1);
  }

  item(): void {
    const list = this.lists.at(-1);
    if (list !== undefined) list.count++;
    this.out.begin(1, list?.ordered ? `${list.count}. ` : "- ");
  }

  endRow(): void {
    const { row, out } = this;
    this.row = null;
    if (row === null || row.cells === 0) return;
    out.words(" |");
    out.isFlat = false;
    if (row.heads === row.cells) {
      out.break(1);
      out.words(`|${" --- |".repeat(Math.min(row.cells, 100))}`);
    }
    out.break(1);
  }

  cell(isHead: boolean): void {
    const { out } = this;
    if (this.row === null) {
      out.break(1);
      this.row = { cells: 0, heads: 0 };
    }
    out.isFlat = true;
    out.words(this.row.cells === 0 ? "| " : " | ");
    this.row.cells++;
    if (isHead) this.row.heads++;
  }

  private passOver(name: string, kind: "open" | "close", leftOut: { readonly name: string; depth: number }): void {
    if (leftOut.name !== name) return;
    leftOut.depth += kind === "open" ? 1 : -1;
    if (leftOut.depth === 0) this.leftOut = null;
  }

  private text(raw: string): void {
    if (this.leftOut !== null) return;
    const text = decodedText(raw);
    if (this.isTitle) this.title = `${this.title}${text.replace(/\s+/g, " ")}`.slice(0, TITLE_CHARS_MAX);
    else if (this.pre > 0) this.out.lines(text);
    else this.out.words(text);
  }

  private open(name: string, attributes: Attributes): void {
    if (LEFT_OUT.has(name) || isUnseen(attributes)) {
      if (!VOID.has(name)) this.leftOut = { name, depth: 1 };
      return;
    }
    if (name === "main" || attributes.get("role") === "main") this.main ??= { from: this.out.place };
    const heading = /^h([1-6])$/.exec(name)?.[1];
    if (heading !== undefined) this.out.begin(2, `${"#".repeat(Number(heading))} `);
    else if (BLOCKS.has(name)) this.out.break(1);
    else if (Object.hasOwn(OPEN, name)) OPEN[name]?.(this, attributes);
  }

  private close(name: string): void {
    if (name === "main" && this.main !== null) this.main.to ??= this.out.place;
    if (/^h[1-6]$/.test(name)) this.out.break(2);
    else if (BLOCKS.has(name)) this.out.break(1);
    else if (Object.hasOwn(CLOSE, name)) CLOSE[name]?.(this);
  }
}

function isUnseen(attributes: Attributes): boolean {
  return (
    attributes.has("hidden") ||
    attributes.get("aria-hidden") === "true" ||
    UNSEEN_STYLE.test(attributes.get("style")?.slice(0, 500) ?? "")
  );
}

const FENCE = "```";

const OPEN: { readonly [name: string]: (page: Page, attributes: Attributes) => void } = {
  title: (page) => {
    page.isTitle = page.title === "";
  },
  base: (page, attributes) => page.rebase(attributes.get("href") ?? ""),
  p: ({ out }) => out.break(2),
  br: ({ out }) => out.break(1),
  hr: ({ out }) => {
    out.break(2);
    out.words("---");
    out.break(2);
  },
  ul: (page) => page.beginList(false),
  menu: (page) => page.beginList(false),
  ol: (page) => page.beginList(true),
  li: (page) => page.item(),
  blockquote: ({ out }) => {
    out.break(2);
    out.quotes++;
  },
  pre: (page) => {
    if (page.pre++ > 0 || page.out.isFlat) return;
    page.out.break(2);
    page.out.lines(FENCE);
    page.out.break(1);
  },
  code: (page) => {
    if (page.pre === 0) page.out.words("`");
  },
  a: (page, attributes) => page.beginLink(attributes.get("href") ?? ""),
  img: ({ out }, attributes) => {
    const alt = decodedText(attributes.get("alt") ?? "").trim();
    if (alt !== "") out.words(`[image: ${alt.slice(0, TITLE_CHARS_MAX)}]`);
  },
  table: ({ out }) => out.break(2),
  tr: (page) => page.endRow(),
  td: (page) => page.cell(false),
  th: (page) => page.cell(true),
};

const CLOSE: { readonly [name: string]: (page: Page) => void } = {
  title: (page) => {
    page.isTitle = false;
  },
  p: ({ out }) => out.break(2),
  ul: (page) => page.endList(),
  menu: (page) => page.endList(),
  ol: (page) => page.endList(),
  li: ({ out }) => out.break(1),
  blockquote: ({ out }) => {
    out.break(2);
    out.quotes = Math.max(0, out.quotes - 1);
  },
  pre: (page) => {
    if (page.pre === 0 || --page.pre > 0 || page.out.isFlat) return;
    page.out.break(1);
    page.out.lines(FENCE);
    page.out.break(2);
  },
  code: (page) => {
    if (page.pre === 0) page.out.words("`");
  },
  a: (page) => page.endLink(),
  tr: (page) => page.endRow(),
  table: (page) => {
    page.endRow();
    page.out.break(2);
  },
};
