// One conversation for a key, whichever call takes it: with session.dmScope set, the key of a sender means the sender's conversation in every
// command, and in the process manager.

import { expect, test } from "bun:test";
import type { CreditBalance } from "../../src/abi/process/credits.ts";
import type { SessionInfo } from "../../src/syscalls/session/session-service.ts";
import { TestKernel } from "../support/kernel.ts";
import { typed } from "../support/kernel-io.ts";
import { ManagedKernel } from "../support/manager.ts";

const ZOE = "agent:main:telegram:dm:zoe";
const SHARED = "agent:main:cli:dm:zoe";

async function gsv(home: TestKernel, ...words: readonly string[]): Promise<string> {
  const [status, output, errors] = await typed(home.sys, ...words);
  return `${status} ${status === 0 ? output : errors}`;
}

test("every command of a key means the same session", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("config.set", { key: "session.dmScope", value: "per-peer" });
  expect(await gsv(home, "session", "start", ZOE, "remember nutmeg")).toStartWith("0 ");
  const { pid } = await home.sys.call<SessionInfo>("session.get", { key: SHARED });
  await home.wait(pid ?? "");
  const lines = [
    ["session", "get", ZOE],
    ["session", "preview", ZOE],
    ["session", "stats", ZOE],
    ["session", "history", ZOE],
    ["session", "set", ZOE, "label", "Zoe"],
    ["session", "resume", ZOE],
    ["session", "stop", ZOE],
    ["session", "export", ZOE],
    ["session", "compact", ZOE],
    ["session", "reset", ZOE],
    ["chat", "--session", ZOE, "hello"],
  ];
  for (const line of lines)
    expect([line.join(" "), (await gsv(home, ...line)).slice(0, 2)]).toEqual([line.join(" "), "0 "]);
  const { sessions } = await home.sys.call<{ sessions: SessionInfo[] }>("session.list", {});
  expect(sessions.map(({ key }) => key).sort()).toEqual(["agent:main:cli:dm:main", SHARED]);
});

test("a sender with the owner's name is a stranger, unless a link says otherwise", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("config.set", { key: "session.dmScope", value: "per-peer" });
  const { username } = await home.sys.call<{ username: string }>("system.whoami", {});
  const route = (name: string) => gsv(home, "session", "route", name, "--channel", "telegram");
  for (const name of ["main", username]) expect(await route(name)).toStartWith(`0 agent:main:telegram:dm:${name}`);
  await gsv(home, "chat", "--session", `agent:main:telegram:dm:${username}`, "from a stranger");
  expect(await gsv(home, "session", "preview", "main")).not.toContain("from a stranger");
  await home.sys.call("config.set", { key: "session.identityLinks", value: `{"${username}":["telegram:4711"]}` });
  expect(await route("4711")).toStartWith("0 agent:main:cli:dm:main");
});

test("a session from an earlier scope is still there by its id", async () => {
  await using home = await TestKernel.boot();
  await gsv(home, "chat", "--session", ZOE, "remember nutmeg");
  const { id } = await home.sys.call<SessionInfo>("session.get", { key: ZOE });
  await home.sys.call("config.set", { key: "session.dmScope", value: "per-peer" });
  expect(await gsv(home, "session", "get", ZOE)).toStartWith("3 gsv: no such session");
  expect(await gsv(home, "session", "preview", id)).toContain("remember nutmeg");
});

test("the manager's sessions with a sender are in the sender's conversation, in every channel", async () => {
  await using it = await ManagedKernel.boot();
  const before = await it.talked({ source: "telegram", sender: "ann" });
  await it.home.sys.call("config.set", { key: "session.dmScope", value: "per-peer" });
  const first = await it.talked({ source: "telegram", sender: "zoe" });
  const { key } = await it.home.sys.call<SessionInfo>("session.get", { key: first.session.id });
  expect(key).toBe(SHARED);
  // Another channel, another session of the manager, the same conversation.
  const other = it.session({ source: "whatsapp", sender: "zoe" });
  it.home.model.will(first.pid, { hold: true, text: "late" });
  it.manager.startProcess(other, "and here?");
  await it.home.holding();
  expect([it.manager.isRunning(other.id), (await it.home.get(first.pid)).state]).toEqual([true, "running"]);
  // The first one takes it over.
  it.manager.resumeProcess(first.session, "back again");
  await it.until(other, "session_stopped");
  it.manager.stopProcess(first.session.id);
  await it.until(first.session, "session_stopped");
  it.home.model.release();
  await it.home.inState(first.pid, "stopped");
  expect(it.manager.getMemoryStats()).toMatchObject({ processes: 0, sessionMeta: 0 });
  // A session that had its own conversation keeps it.
  it.manager.resumeProcess(before.session, "still there?");
  await it.until(before.session, "session_exited", 2);
  expect(await it.pid(before.session)).toBe(before.pid);
});

test("the sender who writes pays, in each of the manager's sessions that share a conversation", async () => {
  await using it = await ManagedKernel.boot();
  const set = (key: string, value: string) => it.home.sys.call("config.set", { key, value });
  await set("session.dmScope", "per-peer");
  await set("session.identityLinks", '{"zoe":["algochat:W1","algochat:W2"]}');
  const first = await it.talked({ source: "algochat", sender: "W1" });
  await it.talked({ source: "algochat", sender: "W2" });
  it.manager.resumeProcess(first.session, "back again");
  await it.until(first.session, "session_exited", 2);
  const { balances } = await it.home.sys.call<{ balances: CreditBalance[] }>("credits.balance", {});
  expect(balances.map(({ wallet, consumed }) => [wallet, consumed]).sort()).toEqual([
    ["W1", 2],
    ["W2", 1],
  ]);
});
