// Colours of the line while it is typed: known commands, keywords, variables and operators of the shell; in a message the names after @. A
// lexer and no grammar: an error is only a wrong colour. Pure.

import type { Paint, Theme } from "../screen/theme.ts";
import type { Route } from "../verdict/route.ts";
import { RESERVED } from "../verdict/words.ts";
import type { Span } from "./rows.ts";

export type Programs = (word: string) => boolean;

interface About {
  readonly route: Route;
  readonly theme: Theme;
  readonly programs: Programs;
}

const PIECE =
  /(?<space>\s+)|(?<remark>(?<=^|\s)#.*)|(?<string>'[^']*'?|"(?:[^"\\]|\\[\s\S])*"?)|(?<variable>\$(?:\{[^}]*\}?|[A-Za-z_]\w*|[?$!#@*0-9]))|(?<operator>&&|\|\||;;|\d?>>?&?\d?|<<?-?|[|&;()])|(?<pid>(?:init|task):\w+)|(?<word>(?:\\[\s\S]|[^\s'"$|&;()<>\\])+)|[\s\S]/y;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const AT = /(?<=^|\s)@\S+|(?<=^|\s)(?:init|task):\w+/g;

export function spansOf(text: string, about: About): readonly Span[] {
  const { route, theme } = about;
  if (route.to === "chat") return [...text.matchAll(AT)].map(({ index, 0: word }) => span(index, word, theme.you));
  if (route.to === "slash") {
    const from = text.indexOf("/");
    return [{ from, to: from + route.word.length + 1, paint: theme.bold }];
  }
  if (route.to === "nothing") return text.trimStart().startsWith("#") ? [span(0, text, theme.dim)] : [];
  return shellSpans(text, about);
}

function shellSpans(text: string, { route, theme, programs }: About): readonly Span[] {
  const isHost = route.to === "host";
  const paints: { readonly [group: string]: Paint } = {
    remark: theme.dim,
    string: theme.string,
    variable: theme.number,
    operator: theme.keyword,
    pid: theme.you,
  };
  const spans: Span[] = [];
  let begins = true;
  PIECE.lastIndex = isHost ? text.indexOf("!") + 1 : 0;
  for (let match = PIECE.exec(text); match !== null && match[0] !== ""; match = PIECE.exec(text)) {
    const [piece] = match;
    const [group = ""] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [];
    const isCommand = begins && group === "word";
    if (group !== "space") {
      const paint = isCommand ? commandPaint(piece, theme, isHost ? () => true : programs) : paints[group];
      if (paint != null) spans.push(span(match.index, piece, paint));
      begins = begun(group, piece, isCommand);
    } else if (piece.includes("\n")) begins = true;
  }
  return spans;
}

function begun(group: string, piece: string, isCommand: boolean): boolean {
  if (group === "operator") return !/[<>)]/.test(piece);
  return (
    isCommand && (ASSIGNMENT.test(piece) || (RESERVED.has(piece) && !/^(?:for|case|select|function)$/.test(piece)))
  );
}

function commandPaint(word: string, theme: Theme, programs: Programs): Paint | null {
  if (ASSIGNMENT.test(word)) return null;
  if (RESERVED.has(word)) return theme.keyword;
  return /[/~]/.test(word) || programs(word) ? theme.bold : theme.bad;
}

function span(from: number, text: string, paint: Paint): Span {
  return { from, to: from + text.length, paint };
}
