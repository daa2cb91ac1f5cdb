// What the providers on this machine share: reading a request and naming the calls they make. All of it is a function of the
// request's messages, so the same request always gives the same answer.

import { FAILED_NOTE, type Message } from "../abi/process/message.ts";

export function isFailedNote(message: Message): boolean {
  return message.role === "system" && message.content.startsWith(FAILED_NOTE);
}

export function lastResultText(messages: readonly Message[]): string {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.role === "toolResult") return message.content.output;
  }
  return "";
}

/** Message numbers are never used twice within a process, so neither are these. */
export function callId(provider: string, messages: readonly Message[], index: number): string {
  return `${provider}-${messages.at(-1)?.id ?? 0}-${index}`;
}
