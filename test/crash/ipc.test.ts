// kill -9 at random while processes call each other: each call ends once, and each message arrives once.

import { expect, test } from "bun:test";
import type { Message } from "../../src/abi/process/message.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { HistoryPage, Sent, Spawned } from "../../src/syscalls/services.ts";
import { withHome } from "../support/home.ts";
import { type Random, seeded } from "../support/random.ts";
import { SEED, samples } from "../support/soak.ts";

const PROCESSES = samples(6, 50);
const ROUNDS = samples(1, 4);
const CALLS_PER_ROUND = 5;
const KILLS = samples(4, 60);
const CALLS = PROCESSES * ROUNDS * CALLS_PER_ROUND;
const CUT = /^(?:cancelled: |Call was interrupted )/;
const ROUND = /^round (\d+) of (\d+)$/;

/** In each round a process calls five others; it answers every call. */
function script(pids: readonly string[], random: Random): object[] {
  const rounds = pids.flatMap((pid, at) =>
    Array.from({ length: ROUNDS }, (_, round) => {
      const others = pids.filter((other) => other !== pid);
      const calls = Array.from({ length: CALLS_PER_ROUND }, (_each, number) => ({
        name: "Call",
        args: { pid: random.pick(others), message: `question ${at}.${round}.${number}`, timeoutMs: 600_000 },
      }));
      return { when: `/^round ${round} of ${at}$/`, calls };
    }),
  );
  return [...rounds, { text: "an answer", repeat: 100_000 }];
}

async function messagesOf(sys: Sys, pid: string): Promise<readonly Message[]> {
  const all: Message[] = [];
  for (let more = true; more; ) {
    const afterSeq = all.at(-1)?.id ?? 0;
    const page = await sys.call<HistoryPage>("proc.history", { pid, limit: 500, afterSeq });
    all.push(...page.messages);
    more = page.hasMoreAfter;
  }
  return all;
}

test(`seed ${SEED}: ${KILLS} kills over ${CALLS} calls between ${PROCESSES} processes`, async () => {
  await withHome(async (home) => {
    const random = seeded(SEED);
    // Many kernels in a row may die before they serve.
    const sys = home.sys({ settings: { startMs: 300_000 } });
    const pids: string[] = [];
    for (let at = 0; at < PROCESSES; at++) pids.push((await sys.call<Spawned>("proc.spawn", { label: `${at}` })).pid);
    const model = `script:${await home.file("talk.script", script(pids, random))}`;
    for (const pid of pids) await sys.call("proc.model", { pid, model });
    home.plan = () =>
      home.deaths >= KILLS
        ? {}
        : { dieAfter: { seams: 30 + random.int(samples(200, 500)), how: random.pick(["there", "soon"] as const) } };
    await home.kill();
    const runs: Sent[] = [];
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, pid] of pids.entries())
        runs.push(await sys.call<Sent>("proc.send", { pid, message: `round ${round} of ${at}` }));
    for (const { pid, runId } of runs) await sys.call("proc.wait", { pids: [pid], run: runId, wait: true });
    for (const pid of pids) await sys.call("proc.wait", { pids: [pid], wait: true });
    const histories = await Promise.all(pids.map((pid) => messagesOf(sys, pid)));
    const all = histories.flat();
    const made = all.flatMap((each) => (each.role === "assistant" ? (each.content.toolCalls ?? []) : []));
    const results = all.flatMap((each) => (each.role === "toolResult" ? [each.content] : []));
    expect(made).toHaveLength(CALLS - skipped(all) * CALLS_PER_ROUND);
    expect(results).toHaveLength(made.length);
    // Rings and long chains are refused before they begin; a run in which too many kernels died is cut.
    const ended = (end: RegExp) => results.filter(({ output }) => end.test(output)).length;
    const [answered, refused, cut] = [ended(/^an answer$/), ended(/^E(?:DEADLK|LOOP): /), ended(CUT)];
    expect(answered + refused + cut).toBe(results.length);
    const received = all.flatMap((each) =>
      each.role === "user" ? (/^Call (\w{8}) /.exec(each.content)?.[1] ?? []) : [],
    );
    expect(new Set(received).size).toBe(received.length);
    expect(received.length).toBeGreaterThanOrEqual(answered);
    expect(received.length).toBeLessThanOrEqual(answered + cut);
    expect(home.deaths).toBeGreaterThanOrEqual(KILLS);
    await home.stop();
  });
}, 600_000);

/** Rounds that were answered together with another message: the model saw only the last one. */
function skipped(all: readonly Message[]): number {
  const rounds = all.filter((each) => each.role === "user" && ROUND.test(each.content)).length;
  const turns = all.filter((each) => each.role === "assistant" && (each.content.toolCalls ?? []).length > 0).length;
  return rounds - turns;
}
