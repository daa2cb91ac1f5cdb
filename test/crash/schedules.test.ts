// kill -9 at random while schedules are due: no occurrence starts twice, and each one gets an end.

import { expect, test } from "bun:test";
import type { Occurrence, ScheduleInfo } from "../../src/abi/schedule.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { HistoryPage, Spawned } from "../../src/syscalls/services.ts";
import type { CrashPlan } from "../support/crash.ts";
import { type TestHome, withHome } from "../support/home.ts";
import { type Random, seeded } from "../support/random.ts";
import { SEED, samples } from "../support/soak.ts";

const SCHEDULES = samples(6, 25);
const KILLS = samples(6, 200);
const OCCURRENCES = samples(30, 500);
const FINAL = new Set(["ok", "error", "aborted", "skipped", "unknown"]);

function deaths(home: TestHome, random: Random): () => CrashPlan {
  return () =>
    home.deaths >= KILLS
      ? {}
      : {
          dieAfter: {
            seams: samples(15, 150) + random.int(samples(250, 500)),
            how: random.pick(["there", "soon"] as const),
          },
        };
}

async function history(sys: Sys, schedule: string): Promise<readonly Occurrence[]> {
  return (await sys.call<{ occurrences: Occurrence[] }>("sched.history", { schedule, limit: 100 })).occurrences;
}

interface Job {
  readonly name: string;
  /** Missing for a command. */
  readonly pid?: string;
}

async function addAll(sys: Sys): Promise<readonly Job[]> {
  const jobs: Job[] = [];
  for (let number = 1; number <= SCHEDULES; number++) {
    const job = { name: `job${number}`, when: `every ${samples(1, 4)}s`, overlap: "queue" };
    if (number % 3 === 0) {
      await sys.call("sched.add", { ...job, exec: true, text: `echo x >> ~/${job.name}`, pauseAfter: 0 });
      jobs.push({ name: job.name });
    } else {
      const { pid } = await sys.call<Spawned>("proc.spawn", {});
      await sys.call("sched.add", { ...job, pid, text: "tick", pauseAfter: 0 });
      jobs.push({ name: job.name, pid });
    }
  }
  return jobs;
}

async function all(sys: Sys, jobs: readonly Job[]): Promise<readonly Occurrence[]> {
  return (await Promise.all(jobs.map(({ name }) => history(sys, name)))).flat();
}

/** Asks a kernel each time: reads alone would start none after a kill. */
async function until(sys: Sys, isSo: () => Promise<boolean>): Promise<void> {
  for (;;) {
    await sys.call("shell.list", {});
    if (await isSo()) return;
    await Bun.sleep(50);
  }
}

/** How often the job has really run. */
async function effects(sys: Sys, { name, pid }: Job): Promise<number> {
  if (pid !== undefined) {
    const { messages } = await sys.call<HistoryPage>("proc.history", { pid, limit: 500 });
    return messages.filter(({ role }) => role === "user").length;
  }
  const { data } = await sys.call<{ data: string }>("fs.get", { path: `~/${name}` });
  return Buffer.from(data, "base64").toString().split("\n").length - 1;
}

test(`seed ${SEED}: ${KILLS} kills over ${OCCURRENCES} due occurrences`, async () => {
  await withHome(async (home) => {
    const random = seeded(SEED);
    const model = `script:${await home.file("run.script", [{ text: "done", repeat: 100_000 }])}`;
    // Many kernels in a row may die before they serve.
    const sys = home.sys({ model, settings: { startMs: 300_000 } });
    const jobs = await addAll(sys);
    home.plan = deaths(home, random);
    await home.kill();
    await until(sys, async () => home.deaths >= KILLS && (await all(sys, jobs)).length >= OCCURRENCES);
    for (const { name } of jobs) await sys.call("sched.update", { schedule: name, enabled: "off" });
    await until(sys, async () => (await all(sys, jobs)).every(({ finishedAt }) => finishedAt !== null));
    for (const job of jobs) {
      const occurrences = await history(sys, job.name);
      expect(occurrences.filter(({ state }) => !FINAL.has(state))).toEqual([]);
      const started = occurrences.filter(({ state }) => state !== "skipped");
      const ok = started.filter(({ state }) => state === "ok");
      const ran = await effects(sys, job);
      expect(ran).toBeGreaterThanOrEqual(ok.length);
      // A command may have run although nobody knows it; a message is known.
      if (job.pid === undefined) expect(ran).toBeLessThanOrEqual(started.length);
      else expect(ran).toBe(started.length);
      const runs = started.flatMap(({ result }) => result.runId ?? []);
      expect(new Set(runs).size).toBe(runs.length);
    }
    const { schedules } = await sys.call<{ schedules: ScheduleInfo[] }>("sched.list", {});
    expect(schedules.every(({ nextAt }) => nextAt === null)).toBe(true);
    await home.stop();
  });
}, 600_000);
