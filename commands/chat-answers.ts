// Answers to approvals and questions that come on stdin while a conversation goes on, one JSON object a line. A line that is none answers
// nothing, and is told.

import { messageOf } from "../src/abi/errno.ts";
import type { Answer } from "../src/syscalls/approval-service.ts";
import type { Io } from "./command.ts";

const FORM = '{"type":"approval","id":"k3x9","decision":"allow"}';
const LINE_CHARS_MAX = 1024 * 1024;
const DECISIONS: { readonly [word: string]: "approve" | "deny" } = {
  allow: "approve",
  approve: "approve",
  yes: "approve",
  deny: "deny",
  reject: "deny",
  no: "deny",
};

/** Told of each line that answers nothing, and of the end by null; reads until the returned function is called. */
export function answering(io: Io, told: (fault: string | null) => void): () => void {
  let isOver = false;
  const read = async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const bytes of io.stdin.bytes()) {
      if (isOver) return;
      text += decoder.decode(bytes, { stream: true });
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) await carryOut(io, line, told);
      if (text.length > LINE_CHARS_MAX) throw new Error("a line on stdin is too long");
    }
    await carryOut(io, text, told);
  };
  read()
    .catch((error: unknown) => told(messageOf(error)))
    .finally(() => !isOver && told(null));
  return () => {
    isOver = true;
  };
}

async function carryOut(io: Io, line: string, told: (fault: string) => void): Promise<void> {
  if (line.trim() === "") return;
  const answer = answerIn(line);
  if (answer === null) return told(`this line on stdin answers nothing: ${line.slice(0, 80)} (one that does: ${FORM})`);
  try {
    await io.sys().call("hil.answer", answer);
  } catch (error) {
    told(`${answer.id} is not answered: ${messageOf(error)}`);
  }
}

function answerIn(line: string): Answer | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { type, id, decision, text, message, always, args, hash } = value as { readonly [key: string]: unknown };
  if (typeof id !== "string") return null;
  if (type === "answer") return typeof text === "string" ? { id, decision: "answer", text } : null;
  const said = typeof decision === "string" && Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision] : undefined;
  if (type !== "approval" || said === undefined) return null;
  return {
    id,
    decision: said,
    ...(typeof message === "string" && { message }),
    ...(typeof hash === "string" && { hash }),
    ...(always === true && { always }),
    ...(typeof args === "object" && args !== null && { args: args as { readonly [name: string]: unknown } }),
  };
}
