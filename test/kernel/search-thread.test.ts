import { beforeEach, expect, test } from "bun:test";
import { FileError } from "../../fs/error.ts";
import {
  type FromSearcher,
  failureOf,
  type SearchJob,
  type SearchRunner,
  SearchThread,
  type ToSearcher,
} from "../../src/kernel/files/search-thread.ts";
import { sam } from "../support/caller.ts";
import { FakeClock } from "../support/clock.ts";
import { rejection } from "../support/refusal.ts";

const view = { home: "/gsv", owner: { uid: 1000, gid: 1000 }, unseen: [], attached: [] };
const job: SearchJob = { caller: sam, root: "/work", query: "needle", view };
const result = { matches: [], truncated: false };
const IDLE_MS = 30_000;

class StubRunner implements SearchRunner {
  readonly posted: ToSearcher[] = [];
  ended = false;
  hear: (message: FromSearcher) => void = () => {};
  fault: (why: string) => void = () => {};

  post(message: ToSearcher): void {
    this.posted.push(message);
  }

  listen(hear: StubRunner["hear"], fault: StubRunner["fault"]): void {
    this.hear = hear;
    this.fault = fault;
  }

  end(): void {
    this.ended = true;
  }
}

let clock: FakeClock;
let runners: StubRunner[];
let thread: SearchThread;
beforeEach(() => {
  clock = new FakeClock();
  runners = [];
  const newRunner = () => {
    const runner = new StubRunner();
    runners.push(runner);
    return runner;
  };
  thread = new SearchThread({ newRunner, clock, idleMs: IDLE_MS });
});

const search = (signal = new AbortController().signal) => thread.search(job, signal);

test("searches share a thread, which ends when none has run for a while", async () => {
  const both = [search(), search()];
  const [runner] = runners;
  for (const { id } of runner!.posted) runner!.hear({ kind: "found", id, result });
  expect(await Promise.all(both)).toEqual([result, result]);
  await clock.advance(IDLE_MS - 1);
  const third = search();
  await clock.advance(IDLE_MS);
  expect(runner!.ended).toBe(false);
  runner!.hear({ kind: "found", id: runner!.posted[2]!.id, result });
  await third;
  await clock.advance(IDLE_MS);
  expect([runner!.ended, runners.length]).toEqual([true, 1]);
});

test("an error of the thread is the error of the search", async () => {
  const failed = rejection(search());
  const failure = failureOf(new FileError("EACCES", "/work"));
  runners[0]!.hear({ kind: "failed", id: runners[0]!.posted[0]!.id, failure });
  expect(await failed).toEqual(new FileError("EACCES", "/work"));
});

test("a cancelled search ends at once; a thread that does not stop it is given up with its other searches", async () => {
  const stop = new AbortController();
  const cancelled = rejection(search(stop.signal));
  const other = rejection(search());
  stop.abort();
  expect((await cancelled).code).toBe("ECANCELED");
  expect(runners[0]!.posted.at(-1)).toEqual({ kind: "abort", id: runners[0]!.posted[0]!.id });
  await clock.advance(10_000);
  expect(await other).toMatchObject({ code: "EIO", message: "the search of this computer hangs" });
  expect(runners[0]!.ended).toBe(true);
  void search();
  expect(runners.length).toBe(2);
});

test("a thread that stops a cancelled search goes on", async () => {
  const stop = new AbortController();
  const cancelled = rejection(search(stop.signal));
  const other = search();
  stop.abort();
  await cancelled;
  const [runner] = runners;
  const [first, second] = runner!.posted;
  runner!.hear({ kind: "failed", id: first!.id, failure: failureOf(new Error("stopped")) });
  await clock.advance(10_000);
  runner!.hear({ kind: "found", id: second!.id, result });
  expect([await other, runner!.ended]).toEqual([result, false]);
});

test("a thread that dies fails its searches, and the next search starts another", async () => {
  const failed = rejection(search());
  runners[0]!.fault("out of memory");
  expect(await failed).toMatchObject({ code: "EIO", message: expect.stringContaining("out of memory") });
  void search();
  expect(runners.length).toBe(2);
});
