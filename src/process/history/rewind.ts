// Where a history may be cut, and how it says that it was: never between a call and its result, for no model reads that.

import { SysError } from "../../abi/errno.ts";
import type { Message } from "../../abi/process/message.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";

/** Refuses a message that is not there, the newest one, and one whose calls have their results after it. */
export async function needLegalCut(store: Pick<ProcessStore, "history">, pid: string, message: number): Promise<void> {
  const { messages } = await store.history(pid, { limit: 2, afterSeq: Math.max(0, message - 1) });
  const [at, next] = message === 0 ? [null, messages[0]] : messages;
  if (at !== null && at?.id !== message)
    throw new SysError("ENOENT", `no message ${message} in ${pid}`, [
      `gsv history show --pid ${pid} --json shows the numbers there are`,
    ]);
  if (next === undefined)
    throw new SysError("EINVAL", `message ${message} is the newest of ${pid}: nothing came after it`);
  if (next.role !== "toolResult") return;
  const calls = message - (await resultsBefore(store, pid, message)) - 1;
  const results = await lastResult(store, pid, message);
  throw new SysError("EINVAL", `message ${message} of ${pid} stands between a call and its result`, [
    `the messages before and after: ${calls} and ${results}`,
  ]);
}

/** How many results, up to a message, belong to the same turn as what follows it; the turn itself comes before them. */
async function resultsBefore(store: Pick<ProcessStore, "history">, pid: string, message: number): Promise<number> {
  const { messages } = await store.history(pid, { limit: TURN_MESSAGES_MAX, beforeSeq: message + 1 });
  const turn = messages.findLastIndex(({ role }) => role !== "toolResult");
  return messages.length - 1 - turn;
}

async function lastResult(store: Pick<ProcessStore, "history">, pid: string, message: number): Promise<number> {
  const { messages } = await store.history(pid, { limit: TURN_MESSAGES_MAX, afterSeq: message });
  const other = messages.findIndex(({ role }: Message) => role !== "toolResult");
  return (other === -1 ? messages.at(-1) : messages[other - 1])?.id ?? message;
}

const TURN_MESSAGES_MAX = 100;

export interface RewindFacts {
  readonly by: string;
  readonly through: number;
  /** How many files were put back. */
  readonly files: number;
}

export function rewindNote({ by, through, files }: RewindFacts): string {
  const back = through === 0 ? "its beginning" : `message ${through}`;
  const put =
    files === 0 ? "Files stay as they are" : `${files} ${files === 1 ? "file was" : "files were"} put back as then`;
  return `[rewound] ${by} took this talk back to ${back}. ${put}.`;
}
