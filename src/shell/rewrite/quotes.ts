// Quotes that the interpreter forgets: text with `*`, `?` or `[` that it would take for a pattern. Pure.

import type { Node } from "./nodes.ts";

/** `$'a*'`: text that is not quoted has a `Glob` for each pattern, so a pattern in a `Literal` was quoted. */
export function ansiQuotes(node: Node): Node | null {
  let isChanged = false;
  const word = (each: Node | null): Node | null => {
    const parts = (each?.parts ?? []) as readonly Node[];
    if (each === null || !parts.some((part) => part.type === "Literal" && hasGlob(part))) return each;
    isChanged = true;
    const quoted = ({ value }: Node) => ({ type: "SingleQuoted", value });
    return { ...each, parts: parts.map((part) => (part.type === "Literal" && hasGlob(part) ? quoted(part) : part)) };
  };
  const words = (all: unknown) => ((all ?? []) as readonly Node[]).map(word);
  const assignments = ((node.assignments ?? []) as readonly Node[]).map((each) => ({
    ...each,
    array: Array.isArray(each.array) ? words(each.array) : each.array,
  }));
  const redirections = ((node.redirections ?? []) as readonly Node[]).map((each) => ({
    ...each,
    target: (each.target as Node).type === "Word" ? word(each.target as Node) : each.target,
  }));
  const changed =
    node.type === "For"
      ? { ...node, words: node.words === null ? null : words(node.words) }
      : { ...node, args: words(node.args), assignments, redirections };
  return isChanged ? changed : null;
}

/** `case ab in a'*')`: the interpreter forgets the quotes of a part of a pattern. A class of one character is never special. */
export function quotedPatterns(node: Node): Node | null {
  let isChanged = false;
  const quoted = (part: Node): Node | readonly Node[] => {
    const [only, more] = part.type === "DoubleQuoted" ? (part.parts as readonly Node[]) : [part];
    const isText =
      part.type === "DoubleQuoted" ? only?.type === "Literal" : /^(?:SingleQuoted|Escaped)$/.test(part.type);
    if (!isText || more !== undefined || only === undefined || !hasGlob(only)) return part;
    isChanged = true;
    const classes = (text: string) =>
      /[*?[]/.test(text) ? { type: "Glob", pattern: `[${text}]` } : { type: "Literal", value: text };
    return Array.from(String(only.value).matchAll(/[*?[]|[^*?[]+/g), ([text]) => classes(text));
  };
  const items = (node.items as readonly Node[]).map((item) => ({
    ...item,
    patterns: (item.patterns as readonly Node[]).map((word) => {
      const parts = word.parts as readonly Node[];
      const [only] = parts;
      if (parts.length === 1 && only?.type === "Literal" && hasGlob(only)) {
        isChanged = true;
        return { ...word, parts: [{ type: "SingleQuoted", value: only.value }] };
      }
      return parts.length < 2 ? word : { ...word, parts: parts.flatMap(quoted) };
    }),
  }));
  return isChanged ? { ...node, items } : null;
}

function hasGlob({ value }: Node): boolean {
  return typeof value === "string" && /[*?[\]]/.test(value);
}
