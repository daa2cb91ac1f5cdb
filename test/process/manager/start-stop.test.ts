// A session runs once at most, is stopped for good, and what comes late of an earlier run changes nothing.

import { expect, test } from "bun:test";
import { ManagedKernel } from "../../support/manager.ts";

const SAID = ["session_started", "assistant", "result", "session_exited"];
const HELD = { hold: true, text: "at last" } as const;

test("a session that is started runs, is told of once, and is idle once its answer is there", async () => {
  await using it = await ManagedKernel.boot();
  const session = await it.session({ name: "notes" });
  it.manager.startProcess(session, "hello");
  expect(it.manager.isRunning(session.id)).toBe(true);
  expect(it.manager.getActiveSessionIds()).toEqual([session.id]);
  await it.until(session, "session_exited");
  expect(it.types(session, ...SAID)).toEqual(SAID);
  expect(it.manager.isRunning(session.id)).toBe(false);
  const pid = await it.pid(session);
  expect(await it.home.get(pid)).toMatchObject({ state: "idle", label: "notes" });
  const said = (await it.home.outline(pid)).filter((line) => !line.startsWith("system:"));
  expect(said).toEqual(["user: hello", "assistant: done"]);
});

test("without a prompt it begins with the session's own; where there is none either it has nothing to do", async () => {
  await using it = await ManagedKernel.boot();
  const told = await it.session({ initialPrompt: "look around" });
  it.manager.startProcess(told);
  await it.until(told, "session_exited");
  expect(await it.home.outline(await it.pid(told))).toEqual(["user: look around", "assistant: done"]);
  const silent = await it.session();
  it.manager.startProcess(silent);
  await it.until(silent, "session_exited");
  expect(it.types(silent)).toEqual(["session_started", "session_exited"]);
});

test("a session of a project that is not there is not started: one error, and its status stays", async () => {
  await using it = await ManagedKernel.boot();
  const session = await it.session({ projectId: "gone" });
  it.manager.startProcess(session, "hello");
  await it.manager.settled();
  expect(it.types(session)).toEqual(["not_found"]);
  expect(it.manager.isRunning(session.id)).toBe(false);
  expect(await it.row(session)).toMatchObject({ pid: null });
});

test("a project says where the session works, and the session's own directory wins over it", async () => {
  await using it = await ManagedKernel.boot();
  await it.home.sys.call("project.create", { name: "club", instructions: "Dutch first." });
  const { projects } = it.home.stores.kernel;
  const projectId = (await projects.byName(1000, "club"))?.id ?? "";
  const [there, own] = [await it.session({ projectId }), await it.session({ projectId, workDir: "/tmp" })];
  for (const session of [there, own]) it.manager.startProcess(session, "hello");
  for (const session of [there, own]) await it.until(session, "session_exited");
  const rows = await Promise.all(
    [there, own].map(async (each) => it.home.stores.kernel.processes.get(await it.pid(each))),
  );
  expect(rows.map((row) => row?.projectId)).toEqual([projectId, projectId]);
  expect(rows[1]?.cwd).toBe("/tmp");
});

test("what cannot be started leaves an error, a session in error, and nothing behind; a later start works", async () => {
  await using it = await ManagedKernel.boot();
  const session = it.session({ agentId: "nobody" });
  it.manager.startProcess(session, "hello");
  await it.until(session, "spawn_error");
  expect(await it.row(session)).toMatchObject({ outcome: "error" });
  const { processes, sessionMeta, stableTimers, sessionTimeouts } = it.manager.getMemoryStats();
  expect([processes, sessionMeta, stableTimers, sessionTimeouts]).toEqual([0, 0, 0, 0]);
  const fine = it.session();
  it.manager.startProcess(fine, "hello");
  await it.until(fine, "session_exited");
  expect(await it.home.sys.call("session.get", { key: fine.id })).toMatchObject({ status: "idle" });
});

test("a start takes the place of what runs: who listens hears the end and the new begin, and one runs", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await runningHeld(it);
  const heard: string[] = [];
  it.manager.subscribe(session.id, (_, event) => heard.push(event.type));
  it.manager.startProcess(session, "three");
  await it.until(session, "session_exited", 2);
  it.home.model.release();
  await it.home.quiet();
  expect(heard.filter((type) => type.startsWith("session_"))).toEqual([
    "session_stopped",
    "session_started",
    "session_exited",
  ]);
  // What came of the run before is not told as this one's.
  expect(heard.filter((type) => type === "result")).toHaveLength(1);
  const said = (await it.home.outline(pid)).filter((line) => !line.startsWith("system:"));
  expect(said).toEqual(["user: one", "assistant: done", "user: two", "user: three", "assistant: done"]);
  expect(it.manager.getMemoryStats().processes).toBe(0);
});

test("started again and again within one moment, it is the last start that runs", async () => {
  await using it = await ManagedKernel.boot();
  const session = await it.session();
  for (const prompt of ["one", "two", "three"]) it.manager.startProcess(session, prompt);
  await it.until(session, "session_exited");
  expect(it.home.model.requests).toHaveLength(1);
  expect(await it.home.outline(await it.pid(session))).toEqual(["user: three", "assistant: done"]);
});

test("a session that is stopped is stopped, whatever its model still says: one end, no message more", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await runningHeld(it);
  const before = await it.home.messages(pid);
  it.manager.stopProcess(session.id);
  expect(it.manager.isRunning(session.id)).toBe(false);
  await it.until(session, "session_stopped");
  it.home.model.release();
  await it.home.quiet();
  expect(it.types(session).slice(-1)).toEqual(["session_stopped"]);
  expect(it.types(session, "session_stopped")).toHaveLength(1);
  expect(await it.home.messages(pid)).toEqual(before);
  expect(await it.home.sys.call("session.get", { key: session.id })).toMatchObject({ status: "stopped" });
  expect(await it.home.get(pid)).toMatchObject({ state: "stopped", waitsFor: { kind: "limit" } });
});

test("stopped by a manager it goes on with its next message; one that rests already is left as it is", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await runningHeld(it);
  it.manager.stopProcess(session.id);
  await it.manager.settled();
  it.home.model.release();
  it.manager.resumeProcess(session, "and now");
  await it.until(session, "session_exited", 2);
  expect(it.types(session, ...SAID).slice(-4)).toEqual(SAID);
  const told = it.told(session).length;
  it.manager.stopProcess(session.id);
  await it.manager.settled();
  expect(it.told(session)).toHaveLength(told);
  expect(await it.home.get(pid)).toMatchObject({ state: "idle" });
});

test("a session that runs although this manager never started it can be stopped all the same", async () => {
  await using it = await ManagedKernel.boot();
  const session = await it.session();
  const { pid } = await it.home.sys.call<{ pid: string }>("session.open", { key: session.id, source: "cli" });
  it.home.model.will(pid, HELD);
  await it.home.send("from elsewhere", { pid });
  await it.home.holding();
  await it.until(session, "session_started");
  it.manager.stopProcess(session.id);
  await it.until(session, "session_stopped");
  expect(await it.home.get(pid)).toMatchObject({ state: "stopped" });
});

test("sessions start each other three deep; a session nobody attends asks nobody, also when it is resumed", async () => {
  await using it = await ManagedKernel.boot();
  const deep = await it.session();
  it.manager.startProcess(deep, "hello", { depth: 4 });
  await it.manager.settled();
  expect(it.types(deep)).toEqual(["spawn_error"]);
  const alone = await it.session();
  it.manager.startProcess(alone, "hello", { depth: 3, schedulerMode: true });
  await it.until(alone, "session_exited");
  it.manager.resumeProcess(alone, "again");
  await it.until(alone, "session_exited", 2);
  expect(await it.home.get(await it.pid(alone))).toMatchObject({ profile: "cron" });
});

test("stopped before it has begun, a session never begins", async () => {
  await using it = await ManagedKernel.boot();
  const session = await it.session();
  it.manager.startProcess(session, "hello");
  it.manager.stopProcess(session.id);
  await it.manager.settled();
  expect(it.types(session)).toEqual(["session_stopped"]);
  expect(it.home.model.requests).toEqual([]);
});

async function runningHeld(it: ManagedKernel) {
  const session = await it.session();
  it.manager.startProcess(session, "one");
  await it.until(session, "session_exited");
  const pid = await it.pid(session);
  it.home.model.will(pid, HELD);
  it.manager.resumeProcess(session, "two");
  await it.home.holding();
  return { session, pid };
}
