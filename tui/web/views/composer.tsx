// The line to write on. Enter sends; during a run the message enters at its next step, or interrupts it. A draft outlives a reload.

import { type KeyboardEvent, type RefObject, useEffect, useState } from "react";
import type { Fate } from "../../state/process.ts";
import type { ViewProps } from "./view-props.ts";

interface ComposerProps extends ViewProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

const FATES: { readonly [F in Fate]?: string } = { next: "at the next step", now: "interrupts" };

export function Composer({ gsv, state: { talk, line }, field }: ComposerProps) {
  const pid = talk?.pid ?? "";
  const [text, setText] = useState(() => draftOf(pid));
  const [fate, setFate] = useState<Fate>("next");
  const isBusy = talk?.doing != null;
  useEffect(() => setText(draftOf(pid)), [pid]);
  const write = (next: string) => {
    setText(next);
    keepDraft(pid, next);
  };
  const send = () => {
    const message = text.trim();
    if (message === "") return;
    write("");
    setFate("next");
    // A message that was not sent is in the line again, unless the next one is there by now.
    gsv.send(message, isBusy ? fate : "next").catch(() => {
      if (draftOf(pid) === "") write(message);
    });
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const { key, shiftKey, ctrlKey } = event;
    if (key === "Enter" && !shiftKey && !ctrlKey) send();
    else if (key === "Escape" && isBusy) void gsv.abort(pid);
    else if (key === "s" && ctrlKey) setFate(fate === "next" ? "now" : "next");
    else if (key === "p" && ctrlKey) gsv.go({ view: "processes" });
    else if (key === "ArrowUp" && text === "") void gsv.takeBack().then((taken) => taken !== null && write(taken));
    else return;
    event.preventDefault();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <span className="glyph you" aria-hidden="true">
        ›
      </span>
      <textarea
        ref={field}
        rows={1}
        value={text}
        aria-label={`Message to ${pid}`}
        placeholder={line.kind === "open" ? "Message" : "Message, sent when the connection is back"}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={press}
        enterKeyHint="send"
        autoComplete="off"
      />
      {isBusy && (
        <button type="button" className="fate" onClick={() => setFate(fate === "next" ? "now" : "next")}>
          {FATES[fate]}
        </button>
      )}
      <button type="submit" className="main" disabled={text.trim() === ""}>
        Send
      </button>
    </form>
  );
}

const keyOfDraft = (pid: string) => `gsv.draft.${pid}`;

function draftOf(pid: string): string {
  try {
    return sessionStorage.getItem(keyOfDraft(pid)) ?? "";
  } catch {
    return "";
  }
}

function keepDraft(pid: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(keyOfDraft(pid));
    else sessionStorage.setItem(keyOfDraft(pid), text);
  } catch {}
}
