// Answers for the streaming rows, cut into tokens. The last token is the mark of the end.

export const SHAPES = ["prose", "code", "table", "paragraph"] as const;
export type Shape = (typeof SHAPES)[number];

export const END = "END.";
const PARAGRAPH_WORDS = 60;
const LINE_WORDS = 8;
const ROW_CELLS = 4;

export function tokensOf(shape: Shape, count: number): readonly string[] {
  const [before, after] =
    shape === "code"
      ? ["```ts\n", "\n```\n\n"]
      : shape === "table"
        ? ["| a | b | c | d |\n|---|---|---|---|\n", "\n\n"]
        : ["", "\n\n"];
  const tokens = Array.from({ length: count }, (_, at) => tokenOf(shape, at));
  return [before, ...tokens, after, END].filter((token) => token !== "");
}

function tokenOf(shape: Shape, at: number): string {
  switch (shape) {
    case "prose":
      return at % PARAGRAPH_WORDS === PARAGRAPH_WORDS - 1
        ? `end ${at}.\n\n`
        : at % 7 === 3
          ? `**word${at % 10}** `
          : "word ";
    case "code":
      return at % LINE_WORDS === LINE_WORDS - 1 ? `"${at}";\n` : at % LINE_WORDS === 0 ? "const " : "word + ";
    case "table":
      return at % ROW_CELLS === ROW_CELLS - 1 ? `cell ${at} |\n` : at % ROW_CELLS === 0 ? "| word " : "| cell ";
    case "paragraph":
      return "word ";
  }
}
