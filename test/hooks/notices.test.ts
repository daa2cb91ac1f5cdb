// Hooks without a reply: the content of each event, in order, a few at once and always bounded.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { HOOK_EVENT_NAMES } from "../../src/abi/hook.ts";
import { HookFiles } from "../../src/hooks/files.ts";
import { Hooks } from "../../src/hooks/hooks.ts";
import { Notices } from "../../src/hooks/notices.ts";
import { HookBed } from "../support/hooks.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";

let home: TestKernel;
let bed: HookBed;

beforeEach(async () => {
  home = await TestKernel.boot({ realTime: true });
  bed = new HookBed(home);
});

afterEach(() => home[Symbol.asyncDispose]());

test("each event has its details: the life of a process from its start to its end", async () => {
  for (const event of HOOK_EVENT_NAMES) await bed.teller(event);
  const pid = await home.task({ label: "tidy" });
  home.model.will(pid, { calls: [{ name: "Read", args: { path: "~" } }] }, { text: "All read.\nAnd more." });
  const { run } = await home.say("look around", { pid });
  home.model.will(pid, { calls: [{ name: "Delete", args: { path: "~/x" } }] });
  await home.send("delete it", { pid });
  const [asked] = await bed.heard<{ id: string }>("approval");
  await home.sys.call("hil.answer", { id: asked?.id, decision: "deny" });
  await home.inState(pid, "idle");
  await home.sys.call("proc.reset", { pid });
  await home.sys.call("proc.kill", { pid });

  const [begun] = await bed.heard("run-start");
  expect(begun).toMatchObject({ event: "run-start", pid, run, model: "offline", parent: INIT });
  expect((await bed.heard("prompt", 2)).map(({ text, from }) => [text, from])).toEqual([
    ["look around", "person"],
    ["delete it", "person"],
  ]);
  expect(bed.told("tool-before").map(({ tool }) => tool)).toEqual(["Read", "Delete"]);
  expect(await bed.heard("tool-after")).toMatchObject([{ tool: "Read", call: "fs.read", ok: true }]);
  expect(asked).toMatchObject({ kind: "approval", tool: "Delete", args: { path: "~/x" } });
  const [ended] = await bed.heard("run-end", 2);
  expect(ended).toMatchObject({ run, status: "ok", text: "All read.\nAnd more.", error: null });
  expect((await bed.heard("process-start"))[0]).toMatchObject({ pid, label: "tidy" });
  expect((await bed.heard("reset"))[0]).toMatchObject({ pid, archive: expect.any(String) });
  expect((await bed.heard("process-end"))[0]).toMatchObject({ pid });
  const notices = await bed.heard<{ why: string; title: string; text: string }>("notification", 3);
  expect(notices[0]).toMatchObject({ why: "run-end", title: `${pid}: ok`, text: "All read." });
  expect(notices[1]).toMatchObject({ why: "approval", title: `${pid} waits for you` });
}, 20_000);

test("the events of one hook come in order and one at a time", async () => {
  await bed.allowed("run-end/slow", `cat >> '${bed.out()}'; sleep 0.05; echo end >> '${bed.out()}'`);
  const pids = await Promise.all(Array.from({ length: 5 }, () => home.task()));
  await Promise.all(pids.map((pid) => home.say("go", { pid })));
  const lines = () => (existsSync(bed.out()) ? readFileSync(bed.out(), "utf8").trimEnd().split("\n") : []);
  await home.until("all are told", () => lines().length === 10);
  expect(lines().filter((_, n) => n % 2 === 1)).toEqual(Array(5).fill("end"));
});

test("a stuck hook delays no other hook: a limited number of its events wait, and the rest is counted", async () => {
  await bed.allowed("tool-after/stuck", "exit 0");
  await bed.allowed("run-end/tell", "exit 0");
  const { kernel } = home.stores;
  const hooks = new Hooks({
    files: new HookFiles(home.paths.hooksDir, process.getuid?.() ?? 0),
    rows: kernel.hooks,
    clock: home.clock,
  });
  await hooks.load();
  const told: string[] = [];
  const lines: string[] = [];
  const end = { how: "exited", status: 0, stdout: "", stderr: "", ms: 0 } as const;
  const notices = new Notices({
    hooks,
    log: (line) => lines.push(line),
    async run({ hook }, _about, _event, signal) {
      told.push(hook);
      if (hook === "run-end/tell") return end;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { ...end, how: "cut" };
    },
  });
  const about = { ownerUid: 1000, pid: INIT, parent: null, at: 0 };
  for (let at = 0; at < LIMITS.hooksQueuedMax + 40; at++) notices.notify("tool-after", about, { at });
  for (let at = 0; at < 5; at++) notices.notify("run-end", about, { at });
  await home.until("the others are told", () => told.length === 6);
  expect(notices.busy).toBe(true);
  expect(told.filter((hook) => hook === "tool-after/stuck")).toHaveLength(1);
  notices.close();
  await notices.settled();
  expect(lines.sort()).toEqual([
    "hook tool-after/stuck: cut after 0 ms",
    "hooks: 39 events dropped: their hooks are too slow",
  ]);
});

test("a hook that cannot run is reported at every event, and blocks neither the kernel nor others", async () => {
  const path = await bed.allowed("run-end/call", "exit 0");
  appendFileSync(path, "# more\n");
  await bed.teller("run-end");
  for (let round = 0; round < 3; round++) await home.say("go");
  await bed.heard("run-end", 3);
  await home.until("hooks are done", () => !home.kernel.isWorking());
  expect(home.faults.splice(0)).toEqual(
    Array(3).fill("hook run-end/call is not run: it was changed since it was allowed"),
  );
});

test("the log has a hook's output and a status that is not 0; a quiet hook leaves no entry", async () => {
  await bed.allowed("run-end/quiet", "exit 0");
  await bed.allowed("run-start/loud", "printf 'it\\033[31m works\\n'; exit 3");
  await home.say("go");
  await home.until("it is logged", () => home.faults.length > 0);
  await home.until("hooks are done", () => !home.kernel.isWorking());
  const [line, ...more] = home.faults.splice(0);
  expect(line).toMatch(/^hook run-start\/loud: status 3 after \d+ ms: it.*works$/);
  expect(line).not.toContain("\u001b");
  expect(more).toEqual([]);
});

test("a denied hook gets no further events", async () => {
  await bed.teller("run-start");
  await home.say("one");
  await bed.heard("run-start");
  await home.sys.call("hooks.deny", { hook: "run-start/tell" });
  await home.say("two");
  await home.quiet();
  expect(bed.told("run-start")).toHaveLength(1);
});

test("a hook runs in the directory of its process's workspace, and in / if there is none", async () => {
  const directory = scratchDirectory("hook-cwd");
  const work = join(directory, "my project");
  mkdirSync(work);
  await bed.allowed("run-end/where", `pwd >> '${bed.out()}'`);
  const { id } = await home.sys.call<{ id: string }>("workspace.attach", { what: work });
  await home.say("go", { pid: await home.task({ workspace: id }) });
  await home.until("it is told", () => existsSync(bed.out()));
  await home.say("go");
  await home.until("both are told", () => readFileSync(bed.out(), "utf8").trimEnd().split("\n").length === 2);
  expect(readFileSync(bed.out(), "utf8")).toBe(`${work}\n/\n`);
  rmSync(directory, { recursive: true });
});

test("a new hook is announced once, with the next run of its person, and never again, also by the next kernel", async () => {
  bed.put("run-end/fresh", "exit 0");
  symlinkSync("/bin/true", bed.path("run-end/link"));
  await home.say("one");
  await home.until("it is told", () => home.heard("process.hook").length > 0);
  expect(home.heard("process.hook").map(({ hook, text }) => [hook, text])).toEqual([
    ["run-end/fresh", "new hook, not allowed yet: gsv hooks allow run-end/fresh"],
  ]);
  await home.say("two");
  await home.restart();
  await home.say("three");
  await home.quiet();
  expect(home.heard("process.hook")).toEqual([]);
  bed.put("run-end/fresh", "exit 1");
  bed.put("run-end/other", "exit 0");
  await home.say("four");
  await home.until("both are told", () => home.heard("process.hook").length === 2);
});

test("an allowed hook is allowed for the next kernel too", async () => {
  await bed.teller("run-start");
  await home.restart();
  await home.say("go");
  expect(await bed.heard("run-start")).toHaveLength(1);
});

test("a kernel that leaves delivers all pending events", async () => {
  await bed.allowed("run-end/slow", `sleep 0.2; cat > '${bed.out()}'`);
  await home.say("go");
  await home.kernel.drain(10_000);
  expect(readFileSync(bed.out(), "utf8")).toContain('"event":"run-end"');
});
