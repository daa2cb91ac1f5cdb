// Whether a shell line continues on the next one: an open quote, an unfinished here-document, a backslash at the end, a loop without its
// done. Pure. A lexer and no grammar: if it errs, the shell reports what is missing.

const CLOSED_BY: { readonly [word: string]: string } = {
  if: "fi",
  for: "done",
  while: "done",
  until: "done",
  select: "done",
  case: "esac",
  "{": "}",
  "(": ")",
};
const CLOSERS = new Set(Object.values(CLOSED_BY));
/** After these a reserved word may follow. */
const BEGINS = /^(?:;|;;|&|&&|\||\|\||\n|\(|\)|\{|do|then|else|elif|!|time)$/;

export function isUnfinished(text: string): boolean {
  const { pieces, isOpen, documents } = piecesOf(text);
  if (isOpen || documents.length > 0 || /(?:&&|\|\||\|)\s*$/.test(text)) return true;
  const open: string[] = [];
  let begins = true;
  for (const piece of pieces) {
    const closer = CLOSED_BY[piece];
    if (begins && closer !== undefined) open.push(closer);
    else if ((begins || piece === ")") && CLOSERS.has(piece) && open.at(-1) === piece) open.pop();
    begins = BEGINS.test(piece);
  }
  return open.length > 0;
}

/** The text as one line; null if that is impossible, as with a here-document. */
export function asOneLine(text: string): string | null {
  let whole = "";
  for (const line of text.split("\n")) {
    const { isOpen, documents } = piecesOf(whole);
    if (whole.endsWith("\\")) whole = `${whole.slice(0, -1)}${line}`;
    else if (isOpen || documents.length > 0) return null;
    else whole += `${whole === "" || line.trim() === "" ? "" : joint(whole)}${line.trim()}`;
  }
  return piecesOf(whole).documents.length > 0 ? null : whole;
}

function joint(before: string): string {
  return /(?:^|[\s;&|])(?:do|then|else|elif|in|if|while|until|\{)$|[;&|(]$/.test(before) ? " " : "; ";
}

interface Pieces {
  /** Words and operators; quoted text is left out. */
  readonly pieces: readonly string[];
  /** An open quote, or a backslash at the end. */
  readonly isOpen: boolean;
  /** Missing ends of here-documents. */
  readonly documents: readonly string[];
}

const PIECE =
  /(?<space>[ \t]+)|(?<remark>(?<=^|[\s;&|()])#[^\n]*)|(?<escaped>\\[\s\S]?)|(?<single>'[^']*'?)|(?<double>"(?:[^"\\]|\\[\s\S])*"?)|(?<here><<-?\s*(?<end>"[^"\n]*"|'[^'\n]*'|[^\s;&|<>()]+))|(?<operator>\n|&&|\|\||;;|[;&|(){}!](?=[\s;&|(){}]|$)|[;&|()])|(?<word>[^\s\\'"|&;()<]+|[\s\S])/y;

function piecesOf(text: string): Pieces {
  const pieces: string[] = [];
  const documents: string[] = [];
  let isOpen = false;
  PIECE.lastIndex = 0;
  for (let match = PIECE.exec(text); match !== null && match[0] !== ""; match = PIECE.exec(text)) {
    const { escaped, single, double, here, end = "", operator, word } = match.groups ?? {};
    if (escaped === "\\" || escaped === "\\\n") isOpen = PIECE.lastIndex >= text.length;
    else if (single !== undefined) isOpen = single.length < 2 || !single.endsWith("'");
    else if (double !== undefined) isOpen = !/^"(?:[^"\\]|\\[\s\S])*"$/.test(double);
    else if (here !== undefined) documents.push(end.replace(/^(['"])(.*)\1$/, "$2"));
    else if (operator === "\n" && documents.length > 0)
      PIECE.lastIndex = afterDocuments(text, PIECE.lastIndex, documents);
    if (operator !== undefined || word !== undefined) pieces.push(operator ?? word ?? "");
    else if (match.groups?.space === undefined) pieces.push("");
  }
  return { pieces, isOpen, documents };
}

/** Removes the documents that end here from the list; returns the place behind them. */
function afterDocuments(text: string, from: number, documents: string[]): number {
  let at = from;
  while (documents.length > 0) {
    const [end = ""] = documents;
    const rest = text.slice(at);
    const found = new RegExp(`^\\t*${RegExp.escape(end)}$`, "m").exec(rest);
    if (found === null) return text.length;
    documents.shift();
    at += found.index + found[0].length;
  }
  return at;
}
