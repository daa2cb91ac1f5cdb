// HTML tokenizer. Linear time for any input: an unclosed construct ends the page, as in a browser. Skips comments, scripts and styles.

export type Token =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "open"; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: "close"; readonly name: string };

/** Elements without tags in their content. */
const RAW = new Set(["script", "style", "textarea", "noembed", "noframes", "xmp", "plaintext"]);
const NAME = /[a-z][a-z0-9:-]{0,30}/iy;
const ATTRIBUTE = /\s*([^\s"'<>/=]{1,100})(?:\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)'|([^\s"'>]*)))?/y;
const ATTRIBUTES_CHARS_MAX = 8192;
const TEXT_CHARS_MAX = 16 * 1024;

export function* tokensOf(html: string): Generator<Token> {
  for (let at = 0; at < html.length; ) {
    const tag = html.indexOf("<", at);
    yield* textOf(html, at, tag === -1 ? html.length : tag);
    if (tag === -1) return;
    const step = tagAt(html, tag);
    if (step === null) return;
    if (step.token !== null) yield step.token;
    at = step.end;
    if (step.token?.kind !== "open" || !RAW.has(step.token.name)) continue;
    at = endOfRaw(html, at, step.token.name);
    if (at === -1) return;
  }
}

function* textOf(html: string, from: number, to: number): Generator<Token> {
  for (let at = from; at < to; at += TEXT_CHARS_MAX)
    yield { kind: "text", text: html.slice(at, Math.min(to, at + TEXT_CHARS_MAX)) };
}

/** Null if the tag never closes. A null token is skipped. */
function tagAt(html: string, tag: number): { readonly token: Token | null; readonly end: number } | null {
  const next = html[tag + 1] ?? "";
  if (html.startsWith("<!--", tag)) return passedOver(html.indexOf("-->", tag + 4), 3);
  if (next === "!" || next === "?") return passedOver(html.indexOf(">", tag), 1);
  const isClose = next === "/";
  NAME.lastIndex = tag + (isClose ? 2 : 1);
  const name = NAME.exec(html)?.[0].toLowerCase();
  if (name === undefined) return { token: { kind: "text", text: "<" }, end: tag + 1 };
  const from = NAME.lastIndex;
  const end = endOfTag(html, from);
  if (end === -1) return null;
  if (isClose) return { token: { kind: "close", name }, end };
  return { token: { kind: "open", name, attributes: attributesIn(html.slice(from, end - 1)) }, end };
}

function passedOver(at: number, length: number): { readonly token: null; readonly end: number } | null {
  return at === -1 ? null : { token: null, end: at + length };
}

/** Index after `>`, ignoring quoted ones; -1 if there is none. */
function endOfTag(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const char = html[at];
    if (char === ">") return at + 1;
    // Quotes count only after "=".
    if ((char !== '"' && char !== "'") || !/=\s*$/.test(html.slice(Math.max(from, at - 8), at))) continue;
    at = html.indexOf(char, at + 1);
    if (at === -1) return -1;
  }
  return -1;
}

function attributesIn(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  const some = text.slice(0, ATTRIBUTES_CHARS_MAX);
  for (let at = 0; at < some.length; ) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(some);
    // Skip a character that matches nothing.
    at = found === null ? at + 1 : ATTRIBUTE.lastIndex;
    const name = found?.[1]?.toLowerCase();
    if (name !== undefined && !attributes.has(name)) attributes.set(name, found?.[2] ?? found?.[3] ?? found?.[4] ?? "");
  }
  return attributes;
}

function endOfRaw(html: string, from: number, name: string): number {
  const close = new RegExp(`</${name}`, "gi");
  close.lastIndex = from;
  return close.exec(html)?.index ?? -1;
}
