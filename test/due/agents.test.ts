// Agents and schedules: each change asks first, with the next times on the card, and a schedule never does more than its creator may.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Approval } from "../../src/abi/process/process.ts";
import type { Occurrence, ScheduleInfo } from "../../src/abi/schedule.ts";
import { scheduleChanges } from "../../src/process/approvals/policy/schedule-lines.ts";
import { shellLine } from "../../src/process/approvals/policy/shell-line.ts";
import { shellParser } from "../../src/workers/shell-parser.ts";
import { TestKernel } from "../support/kernel.ts";

let home: TestKernel;
let pid: string;

beforeEach(async () => {
  home = await TestKernel.boot();
  pid = await home.task();
});
afterEach(() => home[Symbol.asyncDispose]());

const schedules = async () => (await home.sys.call<{ schedules: ScheduleInfo[] }>("sched.list", {})).schedules;

/** The agent runs a line in gsv's shell; the request that it waits for. */
async function asks(command: string, more: object = {}): Promise<Approval> {
  home.model.will(pid, { calls: [{ name: "Shell", args: { command, ...more } }] });
  await home.send("do it", { pid });
  await home.inState(pid, "waiting_hil");
  return (await home.sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals.find((each) => each.pid === pid)!;
}

async function approve(id: string): Promise<void> {
  await home.sys.call("hil.answer", { id, decision: "approve" });
  await home.inState(pid, "idle");
}

describe("an agent", () => {
  test("asks before it adds a schedule; the card shows the next five times; an approval adds exactly that", async () => {
    const asked = await asks('sched add "0 9 * * mon-fri" --new "Summarize the news." --name news --tz UTC');
    expect(asked.about!.reasons.join("\n")).toContain(
      "changes a schedule: sched add; next: 2026-01-02T09:00Z, 2026-01-05T09:00Z, 2026-01-06T09:00Z, 2026-01-07T09:00Z, 2026-01-08T09:00Z",
    );
    expect(asked.about!.patterns ?? []).toEqual([]);
    expect(await schedules()).toEqual([]);
    await approve(asked.id);
    expect((await schedules()).map(({ name, creator, target }) => [name, creator, target.kind])).toEqual([
      ["news", pid, "task"],
    ]);
  });

  test("adds nothing after a denial", async () => {
    const asked = await asks('every 10m "hello" --name nag');
    await home.sys.call("hil.answer", { id: asked.id, decision: "deny" });
    await home.inState(pid, "idle");
    expect(await schedules()).toEqual([]);
  });

  test("cannot smuggle one into an approved script", async () => {
    const asked = await asks(`echo harmless; eval "$(echo c2NoZWQgYWRkICJldmVyeSAxaCIgeA== | base64 -d)"`, {
      ask: true,
    });
    await approve(asked.id);
    expect(await schedules()).toEqual([]);
    expect((await home.outline(pid)).at(-2)).toContain("Shell:");
  });

  test("cannot add one by a call of its own", async () => {
    const agent = await home.insideOf(pid);
    expect((await home.refusal("sched.add", { when: "every 1h", text: "x" }, agent)).code).toBe("EPERM");
    const approved = await home.insideOf(pid, { approved: true });
    const refusal = await home.refusal("sched.add", { when: "every 1h", text: "id", exec: true, host: true }, approved);
    expect(refusal.message).toContain("an agent cannot schedule commands on this computer");
  });

  test("gets a schedule that runs as the agent, without approvals", async () => {
    const approved = await home.insideOf(pid, { approved: true });
    await home.sys.call("fs.write", { path: "~/precious", content: "words" });
    await approved.call("sched.add", { when: "in 1 minute", text: "whoami; rm ~/precious", exec: true, name: "job" });
    await home.sys.call("proc.kill", { pid });
    await home.clock.advance(60_000);
    const last = async () => (await home.sys.call<{ occurrences: Occurrence[] }>("sched.history", {})).occurrences[0];
    await home.until("it ran", async () => (await last())?.finishedAt != null);
    expect(await last()).toMatchObject({ state: "error", result: { line: "friday" } });
    expect(await home.sys.call<{ size: number }>("fs.stat", { path: "~/precious" })).toBeDefined();
  });
});

describe("the changes in a command line", () => {
  test.each([
    ["sched list; sched show news", []],
    ["gsv sched history", []],
    ["echo at 17:30", []],
    ['sched add "every 10m" hello', [["sched add", "every 10m", null]]],
    ['gsv sched add --tz UTC "0 9 * * *" --new hello', [["sched add", "0 9 * * *", "UTC"]]],
    ["at tomorrow 9am hello", [["at", "tomorrow 9am", null]]],
    ["every 1 hour --exec 'df -h' && true", [["every", "every 1 hour", null]]],
    ['sched edit news --when "@daily"', [["sched edit", "@daily", null]]],
    ["sched pause news", [["sched pause", null, null]]],
    ['sched add "$WHEN" hello', [["sched add", null, null]]],
    ["for i in 1 2; do sched rm $i; done", [["sched rm", null, null]]],
    ["sched $VERB x", [["sched …", null, null]]],
    ["gsv api sched.add '{}'", [["sched.add", null, null]]],
  ])("%s", async (text, changes) => {
    const { commands } = await shellLine(text, shellParser);
    expect(scheduleChanges(commands).map(({ command, when, tz }) => [command, when, tz])).toEqual(changes);
  });
});
