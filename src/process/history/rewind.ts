// Rules for rewinding a history: never between a call and its result, because no model accepts that. Also the note about a rewind.

import { SysError } from "../../abi/errno.ts";
import type { Message } from "../../abi/process/message.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";

export async function needLegalCut(store: Pick<ProcessStore, "history">, pid: string, message: number): Promise<void> {
  const { messages } = await store.history(pid, { limit: 2, afterSeq: Math.max(0, message - 1) });
  const [at, next] = message === 0 ? [null, messages[0]] : messages;
  if (at !== null && at?.id !== message)
    throw new SysError("ENOENT", `no message ${message} in ${pid}`, [
      `to list message numbers: gsv history show --pid ${pid} --json`,
    ]);
  if (next === undefined) throw new SysError("EINVAL", `message ${message} is already the newest in ${pid}`);
  if (next.role !== "toolResult") return;
  const calls = message - (await resultsBefore(store, pid, message)) - 1;
  const results = await lastResult(store, pid, message);
  throw new SysError("EINVAL", `message ${message} in ${pid} lies between a call and its result`, [
    `use ${calls} or ${results} instead`,
  ]);
}

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
  readonly files: number;
}

export function rewindNote({ by, through, files }: RewindFacts): string {
  const back = through === 0 ? "its start" : `message ${through}`;
  const put = files === 0 ? "Files are unchanged" : `${files} ${files === 1 ? "file was" : "files were"} restored`;
  return `[rewound] ${by} rewound this conversation to ${back}. ${put}.`;
}
