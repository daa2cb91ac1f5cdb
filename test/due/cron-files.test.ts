// /var/spool/cron and /etc/cron.d: a written file is installed, and its lines are schedules.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ScheduleInfo } from "../../src/abi/schedule.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { TestKernel } from "../support/kernel.ts";
import { addHuman, type Person } from "../support/people.ts";

const MINE = "/var/spool/cron/sam";
const TEXT = `# my jobs
0 9 * * mon-fri echo "good morning"

CRON_TZ=Europe/Berlin
*/10 * * * * df -h   # not a comment
@daily echo day
`;

let home: TestKernel;
let bob: Person;

beforeEach(async () => {
  home = await TestKernel.boot();
  bob = await addHuman(home, "bob");
});
afterEach(() => home[Symbol.asyncDispose]());

const write = (path: string, content: string, sys: Sys = home.sys) => sys.call("fs.write", { path, content });

async function read(path: string, sys: Sys = home.sys): Promise<string> {
  const { data } = await sys.call<{ data: string }>("fs.get", { path });
  return Buffer.from(data, "base64").toString();
}

async function schedules(sys: Sys = home.sys): Promise<readonly ScheduleInfo[]> {
  return (await sys.call<{ schedules: ScheduleInfo[] }>("sched.list", {})).schedules;
}

const lines = async (sys?: Sys) =>
  (await schedules(sys)).map(({ timing, target }) =>
    timing.kind === "cron" ? [timing.expr, timing.zone, target.text] : [],
  );

describe("a cron file", () => {
  test("is kept as written, and each line is a schedule", async () => {
    await write(MINE, TEXT);
    expect(await read(MINE)).toBe(TEXT);
    expect((await lines()).sort()).toEqual([
      ["*/10 * * * *", "Europe/Berlin", "df -h   # not a comment"],
      ["0 9 * * mon-fri", "UTC", 'echo "good morning"'],
      ["@daily", "Europe/Berlin", "echo day"],
    ]);
    expect((await schedules()).every(({ file, target }) => file === MINE && target.kind === "exec")).toBe(true);
  });

  test("runs", async () => {
    await write(MINE, "* * * * * echo from cron");
    await home.clock.advance(60_000);
    const history = () => home.sys.call<{ occurrences: { result: object }[] }>("sched.history", {});
    const hasRun = async () => (await history()).occurrences.some(({ result }) => "exit" in result);
    await home.until("it ran", hasRun);
    const log = await read("/var/log/gsv/scheduler");
    const entry = JSON.parse(log.trim()) as { state: string; result: object; scheduled: string };
    expect(entry).toMatchObject({
      state: "ok",
      result: { exit: 0, line: "from cron" },
      scheduled: "2026-01-02T03:05:00.000Z",
    });
    expect(await read("/var/log/gsv/scheduler", bob.sys)).toBe("");
  });

  test("that changes keeps the history of the lines that stay", async () => {
    await write(MINE, "* * * * * echo one\n0 0 * * * echo two\n");
    await home.clock.advance(60_000);
    await home.until("it ran", async () => (await schedules()).some(({ runs }) => runs === 1));
    await write(MINE, "# new\n* * * * * echo one\n0 0 * * * echo three\n");
    expect((await schedules()).map(({ target, runs }) => [target.text, runs]).sort()).toEqual([
      ["echo one", 1],
      ["echo three", 0],
    ]);
  });

  test("that is removed takes its schedules along", async () => {
    await write(MINE, TEXT);
    await home.sys.call("sched.add", { when: "@daily", text: "hello", name: "other" });
    await home.sys.call("fs.remove", { path: MINE });
    expect((await schedules()).map(({ name }) => name)).toEqual(["other"]);
    expect((await home.refusal("fs.get", { path: MINE })).code).toBe("ENOENT");
  });

  test.each([
    ["0 9 * * mon-fri\n", "line 1: command missing"],
    ["# fine\n0 25 * * * echo\n", 'line 2: hour "25"'],
    ["CRON_TZ=Mars/Olympus\n* * * * * echo", "line 1: unknown time zone"],
    ["PATH=/bin\n", "line 1: PATH cannot be set here"],
    ["0 0 30 2 * echo", "line 1: the cron expression never matches"],
    ["* * * *", "line 1: not a cron expression"],
  ])("with a bad line is refused with its number, and nothing changes: %j", async (text, why) => {
    await write(MINE, TEXT);
    const refusal = await home.refusal("fs.write", { path: MINE, content: text });
    expect(refusal.message).toContain(why);
    expect(await read(MINE)).toBe(TEXT);
    expect((await schedules()).length).toBe(3);
  });

  test("belongs to its account: others do not see or write it, and its schedules are changed only in it", async () => {
    await write(MINE, TEXT);
    expect((await home.refusal("fs.write", { path: MINE, content: "" }, bob.sys)).code).toBe("EACCES");
    expect((await home.refusal("fs.get", { path: MINE }, bob.sys)).code).toBe("ENOENT");
    const { name } = (await schedules())[0]!;
    for (const call of ["sched.update", "sched.remove"])
      expect((await home.refusal(call, { schedule: name })).message).toContain(`belongs to ${MINE}`);
    expect((await home.refusal("fs.write", { path: "/var/spool/cron/nemo", content: "" })).message).toContain(
      "no account",
    );
  });

  test("cannot be written by an agent", async () => {
    const agent = await home.insideOf(await home.task());
    expect((await home.refusal("fs.write", { path: MINE, content: "* * * * * rm -rf ~" }, agent)).code).toMatch(
      /EACCES|EPERM/,
    );
    expect(await schedules()).toEqual([]);
  });
});

describe("a file of /etc/cron.d", () => {
  test("has a user in each line, and only root writes it", async () => {
    const path = "/etc/cron.d/nightly";
    const text = "0 3 * * * bob echo for bob\n0 4 * * * root echo for root\n";
    expect((await home.refusal("fs.write", { path, content: text })).code).toBe("EACCES");
    await write(path, text, home.person(0));
    expect(await read(path)).toBe(text);
    expect(await lines(bob.sys)).toEqual([["0 3 * * *", "UTC", "echo for bob"]]);
    expect(await lines(home.person(0))).toEqual([["0 4 * * *", "UTC", "echo for root"]]);
    const refusal = await home.refusal("fs.write", { path, content: "0 3 * * * nemo echo" }, home.person(0));
    expect(refusal.message).toContain("line 1: no such account: nemo");
  });
});
