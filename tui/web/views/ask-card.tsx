// A request that waits for the person: who wants what, where and why, the whole call or its diff, and the keys of the terminal. Keys never
// answer from a half-typed line, nor in the first moment after the card appears.

import { type RefObject, useEffect, useRef, useState } from "react";
import {
  dangerLines,
  failureLines,
  lookalikesIn,
  reasonLines,
  requestLines,
} from "../../../commands/approvals/approval-card-text.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import type { Answer } from "../../../src/syscalls/approval/hil.ts";
import { alikeWith } from "../../approval-card/alike.ts";
import { allowAnswer, waysOf } from "../../approval-card/allowing.ts";
import { answerOf, choicesOf, IGNORED_MS, scopeOf } from "../../approval-card/approval-card-keys.ts";
import { isPlan, realSubject } from "../../approval-card/approval-card-title.ts";
import { clockText, hourText } from "../../screen/numbers.ts";
import type { Ask } from "../../state/asks.ts";
import { nameOf, wishOf } from "../store/signals.ts";
import { Diff } from "../text/diff.tsx";
import { shownLines } from "../text/diff-lines.ts";
import { AskReply, type Reply, replyOf } from "./ask-reply.tsx";
import { useKeys } from "./use-keys.ts";
import { useNow } from "./use-now.ts";
import type { ViewProps } from "./view-props.ts";

interface AskCardProps extends ViewProps {
  /** At least one; the first is shown. */
  readonly asks: readonly Ask[];
  /** Letters on an empty line answer the card. */
  readonly composer?: RefObject<HTMLTextAreaElement | null>;
  /** The only card of the view, or the chosen one. */
  readonly hasKeys: boolean;
}

export function AskCard({ gsv, state, asks, composer, hasKeys }: AskCardProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const [reply, setReply] = useState<Reply | null>(null);
  const [isListed, setListed] = useState(false);
  const [whole, setWhole] = useState<Ask | null>(null);
  const now = useNow(gsv.clock, 1000);
  const card = useRef<HTMLElement>(null);
  const shown = asks.find(({ id }) => id === chosen) ?? asks[0];
  const ask = shown !== undefined && whole?.id === shown.id ? whole : shown;
  const since = useRef({ id: "", at: 0 });
  if (since.current.id !== ask?.id) since.current = { id: ask?.id ?? "", at: gsv.clock.mono() };
  const id = ask?.id ?? "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: another card begins without the reply to the last one
  useEffect(() => {
    setReply(null);
    setListed(false);
  }, [id]);
  const give = (answer: Answer | null) => {
    if (answer !== null) void gsv.answer(answer);
    return answer !== null;
  };
  const show = async (shown: Ask) => {
    const found = await gsv.whole(shown.id);
    if (found !== null) setWhole({ ...shown, ...found, inPart: false });
  };
  /** Whether the letter is a key of this card. */
  const press = (letter: string): boolean => {
    if (ask === undefined) return false;
    const ways = waysOf(ask);
    const way = isListed && /^[1-9]$/.test(letter) ? ways?.[Number(letter) - 1] : undefined;
    if (way !== undefined) return give(allowAnswer(ask, way));
    if (letter === "A") return [ask, ...alikeWith(ask, asks)].every((each) => give(answerOf(each, "y")));
    const next = replyOf(ask, letter, isListed);
    if (next !== null) setReply(next);
    else if (letter === "a" && ask.kind === "approval" && ways !== null) setListed(!isListed);
    else if (letter === ">" && asks.length > 1) setChosen(after(asks, ask));
    else if (letter === "d") void show(ask);
    else return give(answerOf(ask, letter));
    return true;
  };
  useKeys((event, isInField) => {
    const isFree = event.target === composer?.current && composer?.current?.value === "";
    const isHere = event.target instanceof Node && card.current?.contains(event.target) === true;
    if (event.key === "Escape" && (isListed || reply !== null)) {
      setListed(false);
      setReply(null);
      return true;
    }
    if (event.ctrlKey || event.altKey || event.metaKey || (isInField && !isFree) || (!hasKeys && !isHere)) return false;
    if ([...event.key].length !== 1 || gsv.clock.mono() - since.current.at < IGNORED_MS) return false;
    return press(event.key);
  });
  if (ask === undefined) return null;
  const alike = alikeWith(ask, asks).length;
  const at = asks.findIndex((each) => each.id === ask.id);
  return (
    <section className="card" ref={card} aria-label="Request">
      <header>
        <h2>
          <span className="needs" aria-hidden="true">
            ?{" "}
          </span>
          {nameOf(state, ask)} {wishOf(ask)}
        </h2>
        <span className="dim">
          {asks.length > 1 && `${at + 1} of ${asks.length} · `}
          {clockText(now - ask.since)}
        </span>
      </header>
      <Body ask={ask} />
      {isListed && <Ways ask={ask} choose={(way) => give(allowAnswer(ask, way))} />}
      {reply !== null ? (
        <AskReply key={reply.kind} {...{ ask, reply }} give={give} cancel={() => setReply(null)} />
      ) : (
        <div className="buttons">
          {keysOf(ask, alike, isListed, asks.length).map(([key, word, tone]) => (
            <button key={key} type="button" className={tone} onClick={() => press(key)}>
              <kbd>{key}</kbd> {word}
            </button>
          ))}
        </div>
      )}
    </section>
  );
}

function after(asks: readonly Ask[], { id }: Ask): string | null {
  return asks[(asks.findIndex((each) => each.id === id) + 1) % asks.length]?.id ?? null;
}

type CardKey = readonly [key: string, word: string, tone?: string];

function keysOf(ask: Ask, alike: number, isListed: boolean, count: number): readonly CardKey[] {
  const next: readonly CardKey[] = [
    ...(count > 1 ? [[">", "next"] as const] : []),
    ...(ask.inPart ? [["d", "show all"] as const] : []),
  ];
  if (ask.kind === "question") {
    const choices = choicesOf(ask.args);
    return choices.length === 0
      ? [["r", "answer", "main"], ...next]
      : [...choices.slice(0, 9).map((text, at) => [String(at + 1), reveal(text)] as const), ...next];
  }
  if (isPlan(ask))
    return [
      ["y", "start, accept edits", "main"],
      ["a", "start, ask"],
      ["n", "keep planning"],
      ["r", "say what to change"],
      ...next,
    ];
  const always: readonly CardKey[] =
    ask.about?.once === true
      ? []
      : [waysOf(ask) === null ? ["a", `always${scopeOf(ask)}`] : ["a", isListed ? "allow more: close" : "allow more…"]];
  return [
    ["y", "allow once", "main"],
    ...(alike > 0 ? [["A", `allow all ${alike + 1}`] as const] : []),
    ...always,
    ["n", "deny"],
    ["r", "deny, say why"],
    ["e", "edit"],
    ...next,
  ];
}

function Ways({ ask, choose }: { readonly ask: Ask; readonly choose: (way: string) => void }) {
  return (
    <ol className="ways" aria-label="From now on, run without asking">
      {(waysOf(ask) ?? []).map((way, at) => (
        <li key={way}>
          <button type="button" onClick={() => choose(way)}>
            <kbd>{at + 1}</kbd> {reveal(way).replaceAll("\n", "⏎")}
          </button>
        </li>
      ))}
    </ol>
  );
}

const QUOTED = "  | ";

function Body({ ask }: { readonly ask: Ask }) {
  const { about, kind, args } = ask;
  const diff = about?.diff ?? null;
  if (kind === "question") return <Question ask={ask} />;
  const lines = requestLines(ask);
  const quoted = lines.filter((line) => line.startsWith(QUOTED)).map((line) => line.slice(QUOTED.length));
  const others = lines.filter((line) => !line.startsWith(QUOTED)).map((line) => line.trim());
  const path = about?.path === undefined ? null : realSubject(ask);
  const isPathOnly = path !== null && quoted.length === 1 && "path" in args && quoted[0] === reveal(String(args.path));
  const where = about?.directory == null ? [] : [`in ${reveal(about.directory)}`];
  const box =
    about?.sandboxed === undefined
      ? []
      : [about.sandboxed ? "in a sandbox" : "no sandbox: it can do everything you can"];
  return (
    <div className="request">
      {[...dangerLines(ask), ...lookalikesIn(ask)].map((line) => (
        <p key={line} className="bad">
          <b>{line.trim()}</b>
        </p>
      ))}
      {path !== null && <p className="path">{reveal(path)}</p>}
      {quoted.length > 0 && !isPathOnly && <pre className="quoted">{quoted.join("\n")}</pre>}
      {diff !== null && <Diff lines={shownLines(diff)} label="Requested changes" />}
      {others
        .filter((line) => path === null || !line.startsWith("path: "))
        .map((line) => (
          <p key={line} className="dim">
            {line}
          </p>
        ))}
      {[...failureLines(ask)].map((line) => (
        <p key={line}>{line.trim()}</p>
      ))}
      <p className="dim">{[reveal(ask.why), ...where, ...box].filter((text) => text !== "").join(" · ")}</p>
      {reasonLines(ask).map((line) => (
        <p key={line} className="dim">
          {line.trim()}
        </p>
      ))}
    </div>
  );
}

function Question({ ask: { args, expiresAt } }: { readonly ask: Ask }) {
  const { question = "", default: fallback } = args as { readonly question?: unknown; readonly default?: unknown };
  const then = fallback === undefined ? "" : ` · default: ${reveal(String(fallback))}`;
  return (
    <>
      <pre className="quoted">{reveal(String(question))}</pre>
      {expiresAt !== null && (
        <p className="dim">
          expires at {hourText(expiresAt)}
          {then}
        </p>
      )}
    </>
  );
}
