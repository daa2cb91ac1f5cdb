// Memories: facts of a history that should last, in the memory file of the day, agents/{agent}/memory/YYYY-MM-DD.md, which is in the agent's
// prompt on that day and the next. The file belongs to the agent's account and its owner. It only grows, up to what fits a prompt.

import { messageOf } from "../../../abi/errno.ts";
import type { Model } from "../../../kernel/models/model.ts";
import type { Clock } from "../../../lib/clock.ts";
import { shortText } from "../../../lib/text/truncate.ts";
import { abortAfter } from "../../../lib/wait.ts";
import type { ObjectStore } from "../../../objects/objects.ts";
import { OFFLINE } from "../../../providers/table.ts";
import type { Account } from "../../../store/kernel/people/accounts.ts";
import type { ProcessRow } from "../../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../../store/kernel/sqlite.ts";
import type { Compactor } from "./compactor.ts";

export interface MemoryPorts {
  readonly kernel: Pick<KernelStore, "accounts">;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

export interface ExtractPorts extends Pick<MemoryPorts, "clock" | "log"> {
  readonly kernel: Pick<KernelStore, "usage">;
  readonly compactor: Pick<Compactor, "extractMemories">;
  /** The model of the process, then its fallbacks. */
  readonly modelsOf: (row: ProcessRow) => Promise<readonly [Model, ...Model[]]>;
}

const PATIENCE_MS = 20_000;
/** Providers that cannot extract memories. */
const WITHOUT_MEMORIES: readonly string[] = [OFFLINE.provider, "script"];
const DAY_BYTES_MAX = 64 * 1024;
const LINES_MAX = 20;
const LINE_CHARS_MAX = 400;

/** Extracts memories before a reset. The reset waits a limited time, and an error does not stop it. Skips processes that are not idle. */
export async function extractMemories(ports: ExtractPorts, row: ProcessRow): Promise<void> {
  const { kernel, compactor, modelsOf, clock, log } = ports;
  if (row.state !== "idle") return;
  try {
    const models = await modelsOf(row);
    if (WITHOUT_MEMORIES.includes(models[0].name.split(/[/:]/)[0] ?? "")) return;
    const began = clock.mono();
    const spent = await abortAfter(clock, PATIENCE_MS, (signal) => compactor.extractMemories(row, { models, signal }));
    if (spent === null) return;
    const { model, usage, priced } = spent;
    const ms = Math.round(clock.mono() - began);
    await kernel.usage.charge({ ownerUid: row.ownerUid, pid: row.pid }, { model, usage, priced, ms, now: clock.now() });
  } catch (error) {
    log(`no memories extracted from ${row.pid}: ${messageOf(error)}`);
  }
}

/** Adds new lines to the memory of the day of `at`. */
export async function remember(
  ports: MemoryPorts,
  { pid, uid }: ProcessRow,
  memories: readonly string[],
  at: number,
): Promise<void> {
  const agent = memories.length === 0 ? null : await ports.kernel.accounts.byUid(uid);
  if (agent === null) return;
  await addMemories(ports, agent, { pid, memories, at }).catch((error: unknown) =>
    ports.log(`cannot write the memory of ${pid}: ${messageOf(error)}`),
  );
}

async function addMemories(
  { objects, clock }: MemoryPorts,
  agent: Account,
  { pid, memories, at }: { readonly pid: string; readonly memories: readonly string[]; readonly at: number },
): Promise<void> {
  const stamp = new Date(at).toISOString();
  const key = `agents/${agent.username}/memory/${stamp.slice(0, 10)}.md`;
  const before = await textOf(objects, key);
  const known = new Set(before.split("\n").map((line) => line.replace(/^- /, "")));
  const lines = [...new Set(memories.map((line) => shortText(line, LINE_CHARS_MAX)))]
    .filter((line) => line !== "" && !known.has(line))
    .slice(0, LINES_MAX);
  if (lines.length === 0) return;
  const section = `### Extracted from ${pid} (${stamp.slice(11, 16)})\n${lines.map((line) => `- ${line}\n`).join("")}`;
  const text = before === "" ? section : `${before.replace(/\n*$/, "\n\n")}${section}`;
  if (Buffer.byteLength(text) > DAY_BYTES_MAX) return;
  const { uid, gid } = agent;
  const about = { mode: 0o660, type: "text/markdown", dirmarker: false, symlink: null };
  await objects.put({ key, uid, gid, mtimeMs: clock.now(), ...about }, Buffer.from(text));
}

async function textOf(objects: ObjectStore, key: string): Promise<string> {
  if ((await objects.head(key)) === null) return "";
  return new TextDecoder().decode(await objects.read(key, { offset: 0, bytesMax: DAY_BYTES_MAX }));
}
