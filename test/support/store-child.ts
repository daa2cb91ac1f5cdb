// As many writes to one process database as a kernel makes, to be killed. Run as `bun store-child.ts <directory> <kernel generation> <mode>`.
// `once` writes a checkpointed part and a part that only the write-ahead log has, then kills itself. `forever` writes until it is
// killed and prints each acknowledged write on stdout, one a line.

import { writeSync } from "node:fs";
import { NO_USAGE } from "../../src/abi/process/process.ts";
import { sqliteProcessStore } from "../../src/store/process/sqlite.ts";
import type { Claimed, ProcessStore } from "../../src/store/process/verbs.ts";

export const PID = "task:aaaaaa";
export const CHECKPOINTED = 10;
export const LOGGED = 25;

export function openStore(directory: string, kernelGeneration: number, mode: "write" | "read" = "write"): ProcessStore {
  return sqliteProcessStore({ directory, quarantine: `${directory}/quarantine`, mode, now: () => 1, kernelGeneration });
}

export async function takeOver(store: ProcessStore): Promise<void> {
  await store.create(PID, { profile: "task", identity: {}, now: 1 });
  await store.adopt(PID, { now: 1 });
}

export async function send(store: ProcessStore, name: string, text: string = name): Promise<void> {
  const about = { kind: "user", wakes: true, urgent: false, origin: { kind: "kernel" }, source: null, now: 2 } as const;
  const admitted = await store.admit(PID, { ...about, runId: name, requestKey: name, text });
  if (!admitted.ok) throw new Error(admitted.why);
}

/** One answer with one tool call in it; prints every acknowledged commit. */
export async function answer(store: ProcessStore, run: Claimed, told: (line: string) => void): Promise<void> {
  const { runId, epoch } = run;
  const dispatchId = `d-${runId}-${epoch}`;
  const call = { dispatchId, callId: dispatchId, tool: "Write", call: "fs.write", args: {}, repeat: "effect" } as const;
  const turn = { runId, thinking: null, model: "script", usage: NO_USAGE, now: 3 };
  const first = await store.commitTurn(PID, epoch, { ...turn, text: "I write", calls: [call], finish: null });
  if (first.ok) told(`seq ${first.value.seq}`);
  await store.beginCall(PID, epoch, dispatchId);
  told(`begun ${dispatchId}`);
  const ended = await store.endCall(PID, epoch, dispatchId, { outcome: "completed", output: "written", now: 4 });
  if (ended.ok) told(`seq ${ended.value.seq}`);
  const finish = { status: "ok", reason: "turn.complete", error: null } as const;
  const last = await store.commitTurn(PID, epoch, { ...turn, text: "done", calls: [], finish });
  if (last.ok) told(`end ${runId}`);
}

async function round(store: ProcessStore, name: string, told: (line: string) => void): Promise<void> {
  await send(store, name);
  told(`sent ${name}`);
  const run = await store.claim(PID, { now: 5 });
  if (run !== null) await answer(store, run, told);
}

async function once(directory: string): Promise<void> {
  const silent = () => {};
  const first = openStore(directory, 1);
  await takeOver(first);
  for (let message = 0; message < CHECKPOINTED; message++) await round(first, `early-${message}`, silent);
  await first.close();
  const second = openStore(directory, 2);
  await takeOver(second);
  for (let message = 0; message < LOGGED; message++) await round(second, `late-${message}`, silent);
  await send(second, "the last one");
  process.kill(process.pid, "SIGKILL");
}

async function forever(directory: string, kernelGeneration: number): Promise<void> {
  const store = openStore(directory, kernelGeneration);
  await takeOver(store);
  const tell = (line: string) => writeSync(1, `${line}\n`);
  for (let message = 0; ; message++) await round(store, `k${kernelGeneration}-${message}`, tell);
}

if (import.meta.main) {
  const [directory = "", kernelGeneration = "1", mode = ""] = process.argv.slice(2);
  await (mode === "once" ? once(directory) : forever(directory, Number(kernelGeneration)));
}
