// `--input jsonl`: JSON lines on stdin during a chat: answers to requests, further messages, and an abort. Other lines are reported and
// ignored.

import { messageOf } from "../../src/abi/errno.ts";
import { jsonObject } from "../../src/lib/json-object.ts";
import type { Answer } from "../../src/syscalls/approval/hil.ts";
import type { Io } from "../command.ts";

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

export type Steering =
  | { readonly type: "message"; readonly text: string; readonly interrupt: boolean }
  | { readonly type: "abort" };

export interface InputListener {
  /** Reports each ignored line; null at the end of stdin. */
  ignored(fault: string | null): void;
  steer(steering: Steering): void;
}

/** Reads until the returned function is called. */
export function answering(io: Io, listener: InputListener): () => void {
  let isOver = false;
  const read = async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const bytes of io.stdin.bytes()) {
      if (isOver) return;
      text += decoder.decode(bytes, { stream: true });
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) await carryOut(io, line, listener);
      if (text.length > LINE_CHARS_MAX) throw new Error("a line on stdin is longer than 1 MiB");
    }
    await carryOut(io, text, listener);
  };
  read()
    .catch((error: unknown) => listener.ignored(messageOf(error)))
    .finally(() => !isOver && listener.ignored(null));
  return () => {
    isOver = true;
  };
}

async function carryOut(io: Io, line: string, { ignored, steer }: InputListener): Promise<void> {
  if (line.trim() === "") return;
  const fields = jsonObject(line);
  const steering = fields === null ? null : steeringIn(fields);
  if (steering !== null) return steer(steering);
  const answer = fields === null ? null : answerIn(fields);
  if (answer === null) return ignored(`unknown line on stdin: ${line.slice(0, 80)} (an answer looks like ${FORM})`);
  try {
    await io.sys().call("hil.answer", answer);
  } catch (error) {
    ignored(`cannot answer ${answer.id}: ${messageOf(error)}`);
  }
}

interface Line {
  readonly [key: string]: unknown;
}

function steeringIn({ type, text, interrupt }: Line): Steering | null {
  if (type === "abort") return { type };
  if (type !== "message" || typeof text !== "string" || text === "") return null;
  return { type, text, interrupt: interrupt === true };
}

function answerIn({ type, id, decision, text, message, always, pattern, args, hash }: Line): Answer | null {
  if (typeof id !== "string") return null;
  if (type === "answer") return typeof text === "string" ? { id, decision: "answer", text } : null;
  const known = typeof decision === "string" && Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision] : undefined;
  if (type !== "approval" || known === undefined) return null;
  return {
    id,
    decision: known,
    ...(typeof message === "string" && { message }),
    ...(typeof hash === "string" && { hash }),
    ...(always === true && { always }),
    ...(typeof pattern === "string" && { pattern }),
    ...(typeof args === "object" && args !== null && { args: args as { readonly [name: string]: unknown } }),
  };
}
