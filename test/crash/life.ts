// A short life of a process that passes every part of the machinery: spawned with a message, more messages, three tools with two effects, an
// approval, a compaction, a reset, another message, killed while it asks. Its client repeats every call until it is answered, so a life
// continues through any number of kernels, with all answers known.

import { readFileSync } from "node:fs";
import type { Sys } from "../../src/abi/sys.ts";
import type { Closed, Sent, Spawned, WaitResult } from "../../src/syscalls/services.ts";
import { linesOf } from "../support/crash.ts";
import type { TestHome } from "../support/home.ts";
import { type Acknowledged, HomeBook } from "../support/sound.ts";

export const TALLY = "~/tally";

/** A process that takes longer stands still. */
const PATIENCE_MS = 20_000;

/** The first message of a conversation gets tools, the next an approval, and later ones a text. */
const SCRIPT = [
  {
    calls: [
      { name: "Edit", args: { path: TALLY, oldString: "|", newString: "{{last}}{{n}} |" } },
      { name: "Read", args: { path: TALLY } },
      { name: "Write", args: { path: "~/w-{{last}}-{{n}}", content: "written" } },
    ],
  },
  { calls: [{ name: "Delete", args: { path: "~/w-{{last}}-1" } }] },
  { text: "answer {{n}}", repeat: 1000 },
  { for: "summary", text: "## Task\nLive." },
];

export interface Life {
  readonly pid: string;
  readonly acknowledged: readonly Acknowledged[];
  readonly reset: Closed;
  readonly killed: Closed;
}

/** Makes the home and everything that a life needs in it. */
export async function prepare(home: TestHome): Promise<Sys> {
  const script = await home.file("life.script", SCRIPT);
  const sys = home.sys({ model: `script:${script}` });
  await sys.call("fs.write", { path: TALLY, content: "|" });
  return sys;
}

/** `chapter` gets the current part of the life: seams are counted from 1 in each. */
export async function live(sys: Sys, chapter: (name: string) => Promise<unknown>): Promise<Life> {
  const acknowledged: Acknowledged[] = [];
  await chapter("young");
  const { pid, runId } = await sys.call<Spawned>("proc.spawn", { label: "a life", prompt: "first" });
  acknowledged.push({ pid, runId: runId ?? "", text: "first", sender: "person" });
  const send = async (text: string) => {
    const sent = await sys.call<Sent>("proc.send", { pid, message: text });
    acknowledged.push({ pid, runId: sent.runId, text, sender: "person" });
  };
  await send("second");
  await send("third");
  await settle(sys, pid);
  await sys.call("proc.compact", { pid, keep: 2 });
  await send("and more");
  await settle(sys, pid);
  const reset = await sys.call<Closed>("proc.reset", { pid });
  await chapter("old");
  await send("fourth");
  await wait(sys, pid);
  const killed = await sys.call<Closed>("proc.kill", { pid });
  return { pid, acknowledged, reset, killed };
}

/** Approves every request of the process until it has no work left. */
export async function settle(sys: Sys, pid: string): Promise<WaitResult> {
  for (;;) {
    const result = await wait(sys, pid);
    if (result.waitsFor?.kind !== "approval") return result;
    await sys.call("hil.answer", { id: result.waitsFor.id, decision: "approve" });
  }
}

async function wait(sys: Sys, pid: string): Promise<WaitResult> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { results } = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [pid] }, { signal });
  const result = results[0];
  if (result === undefined) throw new Error("wait answered nothing");
  return result;
}

/** Faults of a home after a life without its kernel; the list should be empty. */
export function faultsAfter(
  home: TestHome,
  life: Pick<Life, "pid" | "acknowledged"> & Partial<Life>,
  stored: string,
): string[] {
  const book = new HomeBook(home);
  const puts = linesOf(stored);
  return [
    ...book.faults,
    ...book.missing(life.acknowledged),
    ...book.effects(puts, "home/sam/w-"),
    ...tallyFaults(home, book, life.pid),
    ...book.putAway(
      life.pid,
      [life.reset, life.killed].flatMap((closed) => closed ?? []),
    ),
  ];
}

// The tally has one word for each edit that happened: each at most once, and once if its result says so.
function tallyFaults(home: TestHome, book: HomeBook, pid: string): string[] {
  const words = readFileSync(`${home.paths.objectsDir}/home/sam/tally`, "utf8").split(/[ |]+/).filter(Boolean);
  const records = book.records(pid);
  const calls = records.flatMap((record) => record.calls).filter((call) => call.name === "Edit");
  const faults: string[] = [];
  for (const word of new Set(words)) {
    const asked = calls.filter((call) => call.args.newString === `${word} |`).length;
    const done = words.filter((each) => each === word).length;
    if (done > asked) faults.push(`${word} was tallied ${done} times for ${asked} calls`);
  }
  for (const call of calls) {
    const word = String(call.args.newString).replace(" |", "");
    const result = records.find((record) => record.callId === call.id);
    if (result?.outcome === "completed" && !words.includes(word))
      faults.push(`${word} is said to be tallied and is not`);
  }
  return faults;
}
