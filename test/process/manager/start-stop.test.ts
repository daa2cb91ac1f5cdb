// A session runs at most once, a stop is final, and late events of an earlier run change nothing.

import { expect, test } from "bun:test";
import { ManagedKernel } from "../../support/manager.ts";

const SAID = ["session_started", "assistant", "result", "session_exited"];
const HELD = { hold: true, text: "at last" } as const;

test("a started session runs, sends one started event, and is idle after its answer", async () => {
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

test("without a prompt the session's own is used; without either there is nothing to do", async () => {
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

test("the project sets the directory of a session, and the session's own overrides it", async () => {
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

test("of several starts within one moment, the last one runs", async () => {
  await using it = await ManagedKernel.boot();
  const session = await it.session();
  for (const prompt of ["one", "two", "three"]) it.manager.startProcess(session, prompt);
  await it.until(session, "session_exited");
  expect(it.home.model.requests).toHaveLength(1);
  expect(await it.home.outline(await it.pid(session))).toEqual(["user: three", "assistant: done"]);
});

test("a stopped session stays stopped, whatever its model still sends: one end, no further message", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await it.resumed({}, HELD);
  await it.home.holding();
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

test("a session stopped by a manager continues with its next message; an idle one is unchanged", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid } = await it.resumed({}, HELD);
  await it.home.holding();
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

test("a session stopped and resumed within one moment goes on: the end of the stop is not its own", async () => {
  await using it = await ManagedKernel.boot();
  const { session } = await it.resumed({}, HELD);
  await it.home.holding();
  it.manager.sendMessage(session.id, "one thing more");
  await it.manager.settled();
  it.manager.stopProcess(session.id);
  it.manager.resumeProcess(session);
  await it.manager.settled();
  it.home.model.release();
  await it.until(session, "session_exited", 2);
  expect(it.types(session, "session_stopped")).toHaveLength(1);
});

test("a running session of another manager can be stopped too", async () => {
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

test("sessions start each other three deep; an unattended session asks no person, also after a resume", async () => {
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

test("a session stopped before its start never starts", async () => {
  await using it = await ManagedKernel.boot();
  const session = await it.session();
  it.manager.startProcess(session, "hello");
  it.manager.stopProcess(session.id);
  await it.manager.settled();
  expect(it.types(session)).toEqual(["session_stopped"]);
  expect(it.home.model.requests).toEqual([]);
});
