// The items of a conversation. Only those in sight are in the page. The list stays at its end while the person is there.

import { memo, useEffect, useLayoutEffect, useRef } from "react";
import { VList, type VListHandle } from "virtua";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import { durationText, hourText } from "../../screen/numbers.ts";
import { ReadAloud } from "../speech/read-aloud.tsx";
import type { Item } from "../store/items.ts";
import type { Note } from "../store/talk.ts";
import { Markdown } from "../text/markdown.tsx";
import { CallEntry } from "./call-entry.tsx";
import { DecidedEntry } from "./decided-entry.tsx";
import { spentText } from "./spent-text.ts";

interface EntriesProps {
  readonly items: readonly Item[];
  /** The first item is nearly in sight. */
  readonly onTop: () => void;
}

/** Pixels from the end that still count as the end. */
const NEAR = 60;
const TOP = 400;

export function Entries({ items, onTop }: EntriesProps) {
  const list = useRef<VListHandle>(null);
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const offsetBefore = useRef(0);
  const first = useRef(items[0]?.key);
  // Older items came before the first: what is in sight must not move.
  const isShifted = first.current !== undefined && first.current !== items[0]?.key;
  useLayoutEffect(() => {
    first.current = items[0]?.key;
  });
  useEffect(() => {
    const scroller = frame.current?.firstElementChild;
    const content = scroller?.firstElementChild;
    if (scroller == null || content == null) return;
    // Text grows, and a request or a longer line takes room from the list.
    const watcher = new ResizeObserver(() => {
      if (isAtEnd.current) scroller.scrollTop = scroller.scrollHeight;
    });
    watcher.observe(scroller);
    watcher.observe(content);
    return () => watcher.disconnect();
  }, []);
  const count = items.length;
  // At the very top, no scroll event follows a new page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again after each page
  useEffect(() => {
    if (!isAtEnd.current && (list.current?.scrollOffset ?? TOP) < TOP) onTop();
  }, [count]);
  return (
    <div className="entries" ref={frame}>
      <VList
        ref={list}
        shift={isShifted}
        role="log"
        aria-label="Conversation"
        aria-live="off"
        tabIndex={0}
        onScroll={(offset) => {
          const { scrollSize = 0, viewportSize = 0 } = list.current ?? {};
          const isNear = offset + viewportSize >= scrollSize - NEAR;
          // Growing text moves the end away; only a person moves back.
          if (isNear) isAtEnd.current = true;
          else if (offset < offsetBefore.current) isAtEnd.current = false;
          offsetBefore.current = offset;
          if (offset < TOP) onTop();
        }}
      >
        {items.map((item) => (
          <Entry key={item.key} item={item} />
        ))}
      </VList>
    </div>
  );
}

const Entry = memo(function Entry({ item }: { readonly item: Item }) {
  switch (item.kind) {
    case "message":
      return (
        <article className="entry message" aria-label={`Message, ${hourText(item.at)}`}>
          <span className="glyph you" aria-hidden="true">
            ›
          </span>
          <div className="typed">
            {item.from !== null && <span className="dim">{item.from}: </span>}
            {reveal(item.text)}
            {item.media.map(({ id, path }) => (
              <span key={id} className="dim">
                {" "}
                [{reveal(path.slice(path.lastIndexOf("/") + 1))}]
              </span>
            ))}
          </div>
          <time className="dim" dateTime={new Date(item.at).toISOString()}>
            {hourText(item.at)}
          </time>
        </article>
      );
    case "answer":
      return (
        <article className={`entry answer${item.isOpen ? " open" : ""}`} aria-label="Answer" aria-busy={item.isOpen}>
          <Markdown text={item.isPart ? `… ${item.text}` : item.text} />
          {!item.isOpen && <ReadAloud id={item.key} text={item.text} />}
        </article>
      );
    case "thought":
      return (
        <details className="entry thought">
          <summary>{item.isOpen ? "thinking" : "thought"}</summary>
          <p>{reveal(item.text)}</p>
        </details>
      );
    case "call":
      return <CallEntry item={item} />;
    case "event":
      return (
        <details className="entry thought">
          <summary>{reveal(item.text.split("\n")[0] ?? "").slice(0, 120)}</summary>
          <p>{reveal(item.text)}</p>
        </details>
      );
    case "sending":
      return (
        <article className="entry message waiting" aria-label="Queued message">
          <span className="glyph dim" aria-hidden="true">
            ↳
          </span>
          <div className="typed">
            <span className="dim">{item.message.runId === null ? "sending" : "queued"}: </span>
            {reveal(item.message.text)}
          </div>
        </article>
      );
    default:
      return <NoteEntry note={item.note} />;
  }
});

function NoteEntry({ note }: { readonly note: Note }) {
  switch (note.kind) {
    case "decided":
      return <DecidedEntry {...note} />;
    case "failure":
      return (
        <p className="entry failure">
          <span className="glyph bad" aria-hidden="true">
            ✗
          </span>
          {reveal(note.text)}
        </p>
      );
    case "line":
      return <p className="entry note dim">{reveal(note.text)}</p>;
    default:
      return (
        <p className="entry note dim">
          {[note.status === "aborted" ? "Stopped" : "", durationText(note.tookMs), spentText(note.usage)]
            .filter(Boolean)
            .join(" · ")}
        </p>
      );
  }
}
