// A full disk, at every point where it can become full: every acknowledged write is stored, nothing is half done, and with space
// the same request succeeds.

import { expect, test } from "bun:test";
import { StoreUnavailable } from "../../src/store/open.ts";
import { Disk } from "../support/databases.ts";
import { DONE, granted, Subject } from "../support/process-subject.ts";
import { seeded } from "../support/random.ts";
import { SEED, samples } from "../support/soak.ts";
import { SqliteEngine } from "../support/sqlite-engine.ts";

/** Free pages at the start: a sample of the sizes, or all of them in a full run. */
const SIZES = 50;
const STEP = samples(4, 1);
const FIRST = SEED % STEP;

type Body = (subject: Subject, free: () => void, leave: (pages: number) => void) => Promise<void>;

async function withSpace(pages: number, body: Body): Promise<void> {
  const disk = new Disk();
  const engine = new SqliteEngine();
  try {
    const subject = await Subject.on(engine);
    const path = engine.path(subject.pid);
    disk.leave(path, pages);
    await body(
      subject,
      () => disk.free(path),
      (left) => disk.leave(path, left),
    );
  } finally {
    disk.restore();
    await engine.dispose();
  }
}

/** null if there was space. */
async function trouble(work: () => Promise<unknown>): Promise<StoreUnavailable | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof StoreUnavailable) return error;
    throw error;
  }
}

test("a full disk loses no acknowledged message, stores no refused one, and accepts it once there is space", async () => {
  for (let pages = FIRST; pages < SIZES; pages += STEP) {
    await withSpace(pages, async (subject, free) => {
      const random = seeded(pages);
      const stored: string[] = [];
      for (;;) {
        const message = subject.admission("x".repeat(random.int(12_000)));
        const failed = await trouble(async () => granted(await subject.admit(message)));
        const { pid, store } = subject;
        if (failed === null) {
          stored.push(message.runId ?? "");
          continue;
        }
        expect(failed).toMatchObject({ trouble: "disk", code: "ENOSPC" });
        expect(failed.message).toMatch(/^not saved: the disk is full \(.+\)$/);
        expect(await store.runEnd(pid, message.runId ?? "")).toBeNull();
        expect(await store.answered(pid, message.requestKey)).toBeNull();
        for (const runId of stored) expect(await store.runEnd(pid, runId)).toBe("open");
        expect((await store.head(pid)).queued).toBe(stored.length);
        free();
        expect(await subject.admit(message)).toMatchObject({ ok: true, replay: false });
        break;
      }
      for (const runId of stored) {
        const run = await subject.claimed();
        expect(run.runId).toBe(runId);
        await subject.turn(run, { finish: DONE });
      }
      expect(await subject.store.check(subject.pid)).toBeNull();
    });
  }
});

test("each step of a run that finds the disk full has no effect, and takes effect once when repeated", async () => {
  const found = new Set<string>();
  for (let pages = FIRST; pages < SIZES; pages += STEP) {
    await withSpace(pages, async (subject, free) => {
      const again = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
        const before = [await subject.store.head(subject.pid), await subject.messages()];
        let result: T | undefined;
        const failed = await trouble(async () => {
          result = await work();
        });
        if (failed === null) return result as T;
        found.add(step);
        expect([await subject.store.head(subject.pid), await subject.messages()]).toEqual(before);
        free();
        return await work();
      };
      const big = "y".repeat(5000 + pages * 700);
      await again("send", () => subject.send(big));
      const run = await again("claim", () => subject.claimed());
      const call = { ...subject.call("Write"), args: { text: big } };
      await again("turn", () => subject.turn(run, { text: big, calls: [call] }));
      await again("begin", () => subject.begin(run, call));
      const result = { outcome: "completed", output: big, now: subject.now() } as const;
      await again("end", () => subject.store.endCall(subject.pid, run.epoch, call.dispatchId, result));
      await again("finish", () => subject.turn(run, { text: big, finish: DONE }));
      expect((await subject.messages()).map((message) => message.role)).toEqual([
        "user",
        "assistant",
        "toolResult",
        "assistant",
      ]);
      expect(await subject.state()).toBe("idle");
    });
  }
  // The first two need little room: only a few sizes are too small for them.
  const everywhere = STEP === 1 ? ["send", "claim", "turn", "end", "finish"] : ["turn", "end", "finish"];
  expect([...found]).toEqual(expect.arrayContaining(everywhere));
});

test("a reset on a full disk either did not start or continues where it stopped", async () => {
  const refused = new Set<string>();
  for (let pages = 0; pages < 6; pages++) {
    await withSpace(100_000, async (subject, free, leave) => {
      await subject.turn(await subject.running("z".repeat(4000)), { finish: DONE });
      for (let message = 0; message < pages * 9; message++) await subject.send(`waits ${message}`);
      leave(0);
      if ((await trouble(() => subject.cut("reset", "key-reset"))) !== null) {
        refused.add("cut");
        expect((await subject.store.head(subject.pid)).closing).toBeNull();
        free();
        await subject.cut("reset", "key-reset");
        leave(0);
      }
      const records = await subject.closingRecords();
      expect(records).toMatchObject({ messages: 2, undelivered: pages * 9 });
      const answer = { text: "a".repeat(9000) };
      if ((await trouble(() => subject.seal(answer))) !== null) {
        refused.add("seal");
        expect(await subject.closingRecords()).toEqual(records);
        free();
        await subject.seal(answer);
      }
      expect(await subject.messages()).toEqual([]);
      expect(await subject.store.answered(subject.pid, "key-reset")).toEqual(answer);
    });
  }
  expect([...refused].toSorted()).toEqual(["cut", "seal"]);
});
