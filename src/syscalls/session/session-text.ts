// Sessions as text. Pure.

import { exactUsd, microsOf } from "../../abi/process/money.ts";
import type { ResetPolicy } from "../../abi/process/session.ts";
import { isoTime, type When } from "../../lib/text/days.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import type { CompactResult } from "../proc/history-service.ts";
import type {
  Conversation,
  SessionAddress,
  SessionChanged,
  SessionHistory,
  SessionInfo,
  SessionLine,
  SessionReset,
  SessionRestored,
  SessionStats,
  SessionTokens,
} from "./session-service.ts";

const ID_CHARS = 8;
const PREVIOUS_SHOWN = 10;

export function sessionLine({ key, label, lastActiveAt, ...line }: SessionLine, when: When = isoTime): string {
  const named = label === null ? "" : ` (${reveal(label)})`;
  return `  ${key}${named} - last active: ${minute(when(lastActiveAt))} - ${stateText(line)}`;
}

function stateText({ state, interrupted }: Pick<SessionLine, "state" | "interrupted">): string {
  return interrupted ? "interrupted" : state;
}

export function infoText(info: SessionInfo, when: When = isoTime): string {
  const settings = settingsSet(info.settings);
  return [
    `Session: ${info.key}`,
    `Session ID: ${info.sessionId ?? "-"}`,
    `Process: ${info.pid ?? "-"}`,
    `State: ${stateText(info)}`,
    `Messages: ${countText(info)}`,
    `Tokens: ${tokensText(info.tokens)}`,
    ...(settings === null ? [] : [`Settings: ${settings}`]),
    `Reset policy: ${policyText(info.resetPolicy)}`,
    ...(info.label === null ? [] : [`Label: ${reveal(info.label)}`]),
    `Previous sessions: ${info.previousSessions}`,
    `Created: ${minute(when(info.createdAt))}`,
  ].join("\n");
}

/** As the model gets them. */
function countText({ messages, summarized }: Pick<SessionInfo, "messages" | "summarized">): string {
  return summarized === 0
    ? `${messages}`
    : `${messages} (${messages - summarized} as they are, ${summarized} summarized)`;
}

function settingsSet(settings: SessionInfo["settings"]): string | null {
  const { model, ...rest } = settings;
  const set = [...Object.entries({ model: present(model) }), ...Object.entries(rest)].filter(
    ([, value]) => value !== null,
  );
  return set.length === 0 ? null : reveal(JSON.stringify(Object.fromEntries(set)));
}

function present(model: SessionInfo["settings"]["model"]): object | null {
  const said = Object.entries(model).filter(([, value]) => value !== null);
  return said.length === 0 ? null : Object.fromEntries(said);
}

function policyText({ mode, atHour, idleMinutes }: ResetPolicy): string {
  switch (mode) {
    case "manual":
      return mode;
    case "daily":
      return `${mode} (at ${atHour}:00)`;
    case "idle":
      return `${mode} (after ${idleMinutes} min)`;
  }
}

export function statsText({ key, messages, tokens, costUsd, uptimeMs }: SessionStats): string {
  const minutes = Math.floor(uptimeMs / 60_000);
  return [
    `Session: ${key}`,
    `Messages: ${messages}`,
    `Input tokens: ${tokens.input}`,
    `Output tokens: ${tokens.output}`,
    `Total tokens: ${tokens.total}`,
    `Cost: ${exactUsd(microsOf(costUsd))}`,
    `Uptime: ${Math.floor(minutes / 60)}h ${minutes % 60}m`,
  ].join("\n");
}

export function historyText({ key, current, previous, count }: SessionHistory, when: When = isoTime): string {
  const shown = previous.slice(0, PREVIOUS_SHOWN);
  const more = count - shown.length;
  return [
    `Session: ${key}`,
    `Current session: ${current === null ? "-" : conversationText(current, when)}`,
    count === 0 ? "No previous sessions" : `Previous sessions (${count}):`,
    ...shown.map((each) => `  ${conversationText(each, when)}`),
    ...(more > 0 ? [`  ... and ${more} more`] : []),
  ].join("\n");
}

function conversationText(
  { sessionId, startedAt, endedAt, messages, archivedTo, restoredFrom }: Conversation,
  when: When,
): string {
  const span =
    endedAt === null ? `since ${minute(when(startedAt))}` : `${minute(when(startedAt))} to ${minute(when(endedAt))}`;
  const facts = [
    span,
    ...(messages === null ? [] : [`${messages} messages`]),
    ...(endedAt !== null && archivedTo === null ? ["not archived"] : []),
    ...(restoredFrom === null ? [] : [`continues ${short(restoredFrom)}`]),
  ];
  return `${short(sessionId)} (${facts.join(", ")})`;
}

export function resetText(reset: SessionReset): string {
  if (reset.pending) return `Reset of session '${reset.key}' follows this turn`;
  return [`Reset session '${reset.key}'`, ...turnedText(reset)].join("\n");
}

function turnedText({ oldSessionId, newSessionId, archivedMessages, tokens, archivedTo }: SessionReset): string[] {
  return [
    `Old session: ${short(oldSessionId)}`,
    `New session: ${short(newSessionId)}`,
    `Archived ${archivedMessages} messages (${tokens} tokens)`,
    ...(archivedTo === null ? [] : [`Archived to: ${archivedTo}`]),
  ];
}

export function restoredText(restored: SessionRestored): string {
  const { key, restoredFrom, messages } = restored;
  const head = `Session '${key}' continues ${short(restoredFrom)}: ${messages} messages`;
  return [head, ...turnedText(restored)].join("\n");
}

export function compactedText({
  key,
  did,
  trimmed,
  kept,
  archivedTo,
}: CompactResult & { readonly key: string }): string {
  if (did !== "compacted") return `Session '${key}': no compaction needed (${kept} messages)`;
  return [
    `Compacted session '${key}'`,
    `Trimmed ${trimmed} messages, kept ${kept}`,
    ...(archivedTo === null ? [] : [`Archived to: ${archivedTo}`]),
  ].join("\n");
}

export function changedText({ key, path, value, note }: SessionChanged): string {
  const shown = typeof value === "string" ? value : value === null ? "(not set)" : JSON.stringify(value);
  const line = `Updated ${path} = ${reveal(shown)} for session '${key}'`;
  return note === undefined ? line : `${line}\n${reveal(note)}`;
}

export function addressText({ key, pid }: SessionAddress): string {
  return pid === null ? key : `${key} ${pid}`;
}

function tokensText({ input, output, total }: SessionTokens): string {
  return `${input} in / ${output} out (${total} total)`;
}

function short(id: string | null): string {
  return id === null ? "-" : id.slice(0, ID_CHARS);
}

function minute(instant: string): string {
  return instant.slice(0, 16).replace("T", " ");
}
