// `gsv sched`, `gsv at`, `gsv every` and `gsv crontab` against a real kernel.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { runs, stdinOf } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { KernelIo, typed } from "../support/kernel-io.ts";

let home: TestKernel;

beforeEach(async () => {
  home = await TestKernel.boot();
});
afterEach(() => home[Symbol.asyncDispose]());

const gsv = (...words: string[]) => typed(home.sys, ...words);

test("at: all words but the last are the time", async () => {
  expect(await gsv("at", "tomorrow", "9am", "Remind me.", "--name", "call")).toEqual([
    0,
    "call: once, next: 2026-01-03T09:00:00.000Z\n",
    "due in more than a day; to start it even if gsv is not running then: gsv sched wake on\n",
  ]);
  expect((await gsv("at", "17:30", "go home", "--name", "home"))[1]).toBe(
    "home: once, next: 2026-01-02T17:30:00.000Z\n",
  );
});

test("at: a time without a text is a mistake", async () => {
  const [status, , error] = await gsv("at", "17:30");
  expect([status, error.split("\n")[0]]).toEqual([2, "gsv: at needs a time and a text"]);
});

test("every: an interval, and a new task", async () => {
  expect((await gsv("every", "10m", "--new", "Check the build.", "--name", "build"))[1]).toBe(
    "build: every 10m, next: 2026-01-02T03:14:05.000Z\n",
  );
  const [, list] = await gsv("sched", "list");
  expect(list).toContain("new task: Check the build.");
});

test.each([
  ["every 500", "hello", "not an interval"],
  ["2020-01-01", "hello", "is in the past"],
  ["0 0 30 2 *", "hello", "never matches a date"],
  ["2026-02-30", "hello", "no such date: 2026-02-30"],
  ["every 500ms", "hello", "interval below one second"],
  ["every 0s", "hello", "interval below one second"],
  ["0 9 * * *", " ", "TEXT is empty"],
])("sched add %j %j: one line says why not", async (when, text, why) => {
  const [status, output, error] = await gsv("sched", "add", when, text);
  expect([status, output]).toEqual([2, ""]);
  expect(error).toContain(why);
  expect(error.split("\n")[0]!.length).toBeLessThanOrEqual(100);
});

test("sched add: a working directory that does not exist is refused, in gsv and on this computer", async () => {
  expect((await gsv("sched", "add", "every 10m", "df", "--exec", "--cwd", "/no/such"))[0]).toBe(3);
  const [status, , error] = await gsv("sched", "add", "every 10m", "df", "--exec", "--host", "--cwd", "/no/such");
  expect([status, error]).toEqual([3, "gsv: no such directory on this computer: /no/such\n"]);
  expect(await gsv("sched", "list", "--json")).toEqual([0, "", ""]);
});

test.each([
  [["--new", "--exec"], "use one of --pid, --event, --new and --exec"],
  [["--model", "opus"], "--model needs --new"],
  [["--host"], "--host needs --exec"],
  [["--cwd", "/tmp"], "--cwd needs --new or --exec"],
  [["--jitter", "soon"], "--jitter soon: must be a time"],
  [["--name", "a b"], "invalid name"],
  [["--tz", "Mars/Olympus"], "unknown time zone"],
  [["--pid", "task:zzzzzz"], "no such process"],
  [["--event", "--new"], "use one of --pid, --event, --new and --exec"],
  [["--new", "--workspace", "/nowhere/at/all"], "/nowhere/at/all"],
  [["--new", "--workspace", "ws_zzzzzz"], "ws_zzzzzz"],
  [["--exec", "--policy", "{}"], "--policy needs --new"],
  [["--new", "--budget", "lots"], "lots"],
])("sched add with %j is refused", async (flags, why) => {
  const [status, , error] = await gsv("sched", "add", "every 1h", "hello", ...flags);
  expect(status).not.toBe(0);
  expect(error).toContain(why);
});

test("a schedule from its first day to its last", async () => {
  await gsv("sched", "add", "0 9 * * mon-fri", "Good morning.", "--name", "news");
  expect((await gsv("sched", "add", "@daily", "x", "--name", "news"))[2]).toContain("schedule news already exists");
  expect((await gsv("sched", "pause", "news"))[1]).toBe("news: paused\n");
  expect((await gsv("sched", "list"))[1]).toContain("paused");
  expect((await gsv("sched", "resume", "news"))[1]).toBe("news: 0 9 * * mon-fri, next: 2026-01-02T09:00:00.000Z\n");
  await gsv("sched", "edit", "news", "--when", "30 7 * * *", "--tz", "Europe/Berlin", "--overlap", "queue");
  const [, shown] = await gsv("sched", "show", "news");
  expect(shown).toContain("Time: 30 7 * * * Europe/Berlin\n");
  expect(shown).toContain("Rules: overlap queue, catch-up one, paused after 3 failures\n");
  expect(shown).toContain("Next: 2026-01-02T06:30:00.000Z\n      2026-01-03T06:30:00.000Z\n");
  expect((await gsv("sched", "run", "news"))[1]).toMatch(/^news: \S+ {2}· starting\n$/);
  await home.until("it ran", async () => (await gsv("sched", "history", "news"))[1].includes("✓ ok"));
  expect((await gsv("sched", "history", "news"))[1]).toContain("done");
  expect((await gsv("sched", "rm", "news"))[1]).toBe("removed news\n");
  const [status, , error] = await gsv("sched", "show", "news");
  expect([status, error.split("\n")[0]]).toEqual([3, "gsv: no such schedule: news"]);
});

test("next: five times of any expression, with the zone in force", async () => {
  expect((await gsv("sched", "next", "30 2 * * *", "--tz", "Europe/Berlin"))[1].split("\n").slice(0, 2)).toEqual([
    "30 2 * * * Europe/Berlin",
    "  2026-01-03T01:30:00.000Z",
  ]);
});

test("crontab: written, shown and removed", async () => {
  expect((await gsv("crontab", "-l"))[2]).toContain("no crontab for sam");
  const io = new KernelIo(home.sys);
  io.stdin = stdinOf("pipe", ["0 9 * * * echo hi"]);
  expect(await runs(io, "crontab", "-")).toBe(0);
  expect((await gsv("crontab", "-l"))[1]).toBe("0 9 * * * echo hi\n");
  expect((await gsv("sched", "list"))[1]).toContain("$ echo hi");
  expect((await gsv("crontab", "-r"))[0]).toBe(0);
  expect((await gsv("sched", "list"))[2]).toContain("no schedules");
  expect((await gsv("crontab"))[2]).toContain("use one of -l, -e, -r and FILE");
});

test("crontab -e: a bad line is kept as a draft, and changes nothing", async () => {
  const io = new KernelIo(home.sys);
  io.terminal();
  io.editing = () => "0 25 * * * echo hi\n";
  expect(await runs(io, "crontab", "-e")).toBe(2);
  expect(io.stderr.text).toContain('/var/spool/cron/sam, line 1: hour "25": must be 0 to 23');
  expect(io.stderr.text).toContain("saved as a draft");
  expect((await gsv("crontab", "-l"))[0]).not.toBe(0);
});
