// Shared by the offline and script providers. Pure functions of the messages: equal requests get equal answers.

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

/** Unique: message ids are never reused within a process. */
export function callId(provider: string, messages: readonly Message[], index: number): string {
  return `${provider}-${messages.at(-1)?.id ?? 0}-${index}`;
}
