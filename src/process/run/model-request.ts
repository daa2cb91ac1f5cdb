// The request for one turn: current prompt, tools, history and images. It is stored before it is sent, so that people can see later what
// the model got.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Message } from "../../abi/process/message.ts";
import { systemText } from "../../abi/process/prompt.ts";
import type { ModelRequest, ToolSpec } from "../../abi/stream.ts";
import type { Model } from "../../kernel/models/model.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { Assembled } from "../prompt/build-prompt.ts";
import { billOf } from "../prompt/prompt-bill.ts";
import type { CurrentRun } from "./current-run.ts";

export interface RequestPorts {
  readonly store: ProcessStore;
  readonly clock: Clock;
  readonly promptOf: (row: ProcessRow) => Promise<Assembled>;
  readonly toolSpecs: (row: ProcessRow) => Promise<readonly ToolSpec[]>;
  /** In base64, by id. */
  readonly imagesOf: (row: ProcessRow, messages: readonly Message[]) => Promise<ReadonlyMap<string, string>>;
}

export async function requestOf(
  ports: RequestPorts,
  { row, run, turn }: Pick<CurrentRun, "row" | "run"> & { readonly turn: number },
  { model, name }: Model,
): Promise<ModelRequest> {
  const { store, clock } = ports;
  const { home, ...prompt } = await ports.promptOf(row);
  const messages = await store.context(row.pid);
  const tools = await ports.toolSpecs(row);
  const bill = billOf({ ...prompt, tools, messages });
  await store.keepPrompt(row.pid, { runId: run.runId, turn, model: name, ...prompt, bill, now: clock.now() });
  // A summary comes first but has a higher number.
  const firstSeq = Math.min(...messages.map(({ id }) => id));
  const earlier = () => messagesBefore(store, row.pid, messages.length === 0 ? 0 : firstSeq);
  const about = { pid: row.pid, home, cwd: row.cwd };
  const images = await ports.imagesOf(row, messages);
  const shown = images.size === 0 ? {} : { images };
  return { model, system: systemText(prompt), messages, tools, about, earlier, ...shown };
}

async function* messagesBefore(
  store: ProcessStore,
  pid: string,
  beforeSeq: number,
): AsyncGenerator<readonly Message[]> {
  for (let [afterSeq, more] = [0, true]; more; ) {
    const range = { afterSeq, beforeSeq, limit: LIMITS.historyPageMax, bytesMax: LIMITS.contextBytesMax };
    const { messages } = await store.history(pid, range);
    yield messages;
    afterSeq = messages.at(-1)?.id ?? afterSeq;
    more = messages.length > 0 && afterSeq < beforeSeq - 1;
  }
}
