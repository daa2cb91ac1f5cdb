// What should last of a history, in the memory of the day: agents/{agent}/memory/YYYY-MM-DD.md, which the agent is told on that day and the
// next. Written for the agent's account and its owner alone; only ever added to, and never longer than a prompt has room for.

import type { Clock } from "../../../lib/clock.ts";
import { shortText } from "../../../lib/text/truncate.ts";
import type { ObjectStore } from "../../../objects/objects.ts";
import type { Account } from "../../../store/kernel/people/accounts.ts";

export interface MemoryPorts {
  readonly objects: ObjectStore;
  readonly clock: Clock;
}

const DAY_BYTES_MAX = 64 * 1024;
const LINES_MAX = 20;
const LINE_CHARS_MAX = 400;

function memoryKey(agent: string, day: string): string {
  return `agents/${agent}/memory/${day}.md`;
}

/** Returns how many lines were new, and were written. */
export async function remember(
  { objects, clock }: MemoryPorts,
  agent: Account,
  { pid, lasting, at }: { readonly pid: string; readonly lasting: readonly string[]; readonly at: number },
): Promise<number> {
  const now = clock.now();
  const stamp = new Date(at).toISOString();
  const key = memoryKey(agent.username, stamp.slice(0, 10));
  const before = await textOf(objects, key);
  const known = new Set(before.split("\n").map((line) => line.replace(/^- /, "")));
  const lines = [...new Set(lasting.map((line) => shortText(line, LINE_CHARS_MAX)))].filter(
    (line) => line !== "" && !known.has(line),
  );
  if (lines.length === 0) return 0;
  const kept = lines.slice(0, LINES_MAX);
  const section = `### Extracted from ${pid} (${stamp.slice(11, 16)})\n${kept.map((line) => `- ${line}\n`).join("")}`;
  const text = before === "" ? section : `${before.replace(/\n*$/, "\n\n")}${section}`;
  if (Buffer.byteLength(text) > DAY_BYTES_MAX) return 0;
  const { uid, gid } = agent;
  const meta = { key, uid, gid, mode: 0o660, type: "text/markdown", mtimeMs: now, dirmarker: false, symlink: null };
  await objects.put(meta, once(Buffer.from(text)));
  return kept.length;
}

async function textOf(objects: ObjectStore, key: string): Promise<string> {
  if ((await objects.head(key)) === null) return "";
  return new TextDecoder().decode(await objects.read(key, { offset: 0, bytesMax: DAY_BYTES_MAX }));
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
