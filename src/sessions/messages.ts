// `session_messages` as its readers know it: who said what in a session, in order. A read of the history of its process and no copy of it; what
// tools said is no part of it, and a long text comes as far as a page has room.

import type { Caller } from "../abi/identity.ts";
import type { Message } from "../abi/process/message.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { Histories } from "../syscalls/services.ts";
import type { SessionMessage, SessionViews } from "../syscalls/session/session-service.ts";
import { sessionNamed } from "./addresses.ts";

export interface MessagePorts {
  readonly kernel: KernelStore;
  readonly histories: Pick<Histories, "page">;
}

export async function sessionMessages(
  { kernel, histories }: MessagePorts,
  caller: Caller,
  { key, after: afterSeq, limit }: Parameters<SessionViews["messages"]>[1],
): ReturnType<SessionViews["messages"]> {
  const { id, pid } = await sessionNamed(kernel, caller, key);
  if (pid === null) return { messages: [], next: null };
  const page = await histories.page({ caller }, pid, { limit, afterSeq });
  const last = page.messages.at(-1)?.id ?? null;
  return {
    messages: page.messages.flatMap((message) => rowOf(id, message)),
    next: page.hasMoreAfter ? last : null,
  };
}

function rowOf(sessionId: string, message: Message): SessionMessage[] {
  const { id, role, timestamp } = message;
  if (role === "toolResult") return [];
  return [{ id, sessionId, role, content: role === "assistant" ? message.content.text : message.content, timestamp }];
}
