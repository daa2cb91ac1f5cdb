// proc.ipc.*: messages and calls between processes of one owner.

import { LIMITS } from "../../abi/config/limits.ts";
import { IPC_TIMEOUT_MS } from "../../abi/ipc.ts";
import { isoTime } from "../../lib/text/days.ts";
import { field, syscall, value } from "../define.ts";
import callText from "../tools/call.md" with { type: "text" };
import sendText from "../tools/send.md" with { type: "text" };
import type { Ipc, IpcBegun, IpcReply, IpcSent } from "./ipc-service.ts";

type Service = { ipc: Ipc };

const message = {
  pid: field.pid("the other process", { positional: true, meta: "PID" }),
  message: field.text("the message", {
    ...{ positional: true, shortest: 1, longest: LIMITS.messageCharsMax, stdin: true, meta: "TEXT" },
  }),
  metadata: field.optional(field.object("data to add, as JSON", { hide: "cli" })),
};

export const ipcCalls = [
  syscall({
    name: "proc.ipc.send",
    summary: "Send a message to another process",
    class: "keyed",
    once: "verb",
    input: message,
    tool: { name: "Send", repeat: "resume", description: sendText, text: sentText },
    run: ({ ipc }: Service, args, context) => ipc.send(context, args),
  }),

  syscall({
    name: "proc.ipc.call",
    summary: "Ask a process and wait for its reply",
    class: "keyed",
    once: "verb",
    input: {
      ...message,
      timeoutMs: field.optional(
        field.int("milliseconds to wait (default 60000)", {
          min: IPC_TIMEOUT_MS.min,
          max: IPC_TIMEOUT_MS.max,
          hide: "cli",
        }),
      ),
      background: field.flag("continue at once; the reply comes as a message", { hide: "cli" }),
      timeout: field.optional(
        field.text("time to wait, 1s to 10m (default 1m)", { longest: 20, meta: "TIME", hide: "tool" }),
      ),
    },
    tool: { name: "Call", repeat: "resume", description: callText, text: calledText },
    cli: {
      ...{ hidden: true, print: value(calledText) },
      examples: ['gsv proc call task:abc123 "How far are you?"', 'gsv proc call task:abc123 "Review it." --timeout 5m'],
    },
    run: ({ ipc }: Service, args, context) => ipc.call(context, args),
  }),
] as const;

function calledText(called: IpcReply | IpcBegun): string {
  if ("text" in called) return called.text;
  const { id, pid, deadlineAt } = called;
  return `call ${id}: ${pid} is asked. Its reply comes to you as a message, at the latest at ${isoTime(deadlineAt)}.`;
}

function sentText({ pid, queued }: IpcSent): string {
  return queued ? `sent; ${pid} is busy and reads it at its next step` : `sent to ${pid}`;
}
