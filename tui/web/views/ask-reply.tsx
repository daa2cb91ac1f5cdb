// The text of a person for a request: an answer, the reason for a no, a pattern, or the call with changes.

import { type FormEvent, useEffect, useRef, useState } from "react";
import type { Answer } from "../../../src/syscalls/approval/hil.ts";
import { allowAnswer, waysOf } from "../../approval-card/allowing.ts";
import { choicesOf } from "../../approval-card/approval-card-keys.ts";
import { isPlan } from "../../approval-card/approval-card-title.ts";
import type { Ask } from "../../state/asks.ts";

export interface Reply {
  readonly kind: "answer" | "reason" | "pattern" | "command" | "args";
  readonly text: string;
}

/** null for letters that need no text. */
export function replyOf(ask: Ask, letter: string, isListed: boolean): Reply | null {
  if (ask.kind === "question")
    return letter === "r" && choicesOf(ask.args).length === 0 ? { kind: "answer", text: "" } : null;
  if (letter === "r") return { kind: "reason", text: "" };
  if (letter !== "e" || isPlan(ask)) return null;
  if (isListed) return { kind: "pattern", text: waysOf(ask)?.[1] ?? "" };
  const { command } = ask.args as { readonly command?: unknown };
  if (typeof command === "string") return { kind: "command", text: command };
  return { kind: "args", text: JSON.stringify(ask.args, null, 2) };
}

/** Throws for arguments that are no JSON object. */
function answerFor(ask: Ask, { kind }: Reply, text: string): Answer {
  const seen = { id: ask.id, ...(ask.hash !== "" && { hash: ask.hash }) };
  switch (kind) {
    case "answer":
      return { id: ask.id, decision: "answer", text };
    case "reason":
      return { ...seen, decision: "deny", ...(text !== "" && { message: text }) };
    case "pattern":
      return allowAnswer(ask, text);
    case "command":
      return { ...seen, decision: "approve", args: { ...ask.args, command: text } };
    default: {
      const args: unknown = JSON.parse(text);
      if (typeof args !== "object" || args === null || Array.isArray(args)) throw new Error("not an object");
      return { ...seen, decision: "approve", args: args as { readonly [name: string]: unknown } };
    }
  }
}

const LABELS: { readonly [K in Reply["kind"]]: readonly [label: string, button: string] } = {
  answer: ["Your answer", "Answer"],
  reason: ["Reason, shown to the agent", "Deny"],
  pattern: ["Pattern to allow from now on", "Allow this"],
  command: ["Command to run instead", "Allow this"],
  args: ["Arguments, as JSON", "Allow this"],
};

interface AskReplyProps {
  readonly ask: Ask;
  readonly reply: Reply;
  readonly give: (answer: Answer) => void;
  readonly cancel: () => void;
}

export function AskReply({ ask, reply, give, cancel }: AskReplyProps) {
  const [text, setText] = useState(reply.text);
  const [fault, setFault] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const [label, button] = LABELS[reply.kind];
  useEffect(() => field.current?.focus(), []);
  const isEmpty = text.trim() === "" && reply.kind !== "reason";
  const submit = (event: Pick<FormEvent, "preventDefault">) => {
    event.preventDefault();
    if (isEmpty) return;
    try {
      give(answerFor(ask, reply, text.trim()));
    } catch {
      setFault("Not a JSON object");
    }
  };
  return (
    <form className="reply" onSubmit={submit}>
      <label>
        {label}
        <textarea
          ref={field}
          value={text}
          rows={reply.kind === "args" ? 8 : 1}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && reply.kind !== "args") submit(event);
          }}
        />
      </label>
      {fault !== "" && (
        <p role="alert" className="bad">
          {fault}
        </p>
      )}
      <div className="buttons">
        <button type="submit" className="main" disabled={isEmpty}>
          {button}
        </button>
        <button type="button" onClick={cancel}>
          <kbd>esc</kbd> back
        </button>
      </div>
    </form>
  );
}
