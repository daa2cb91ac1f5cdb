// The state of a conversation in the web console: signals in order, after a gap, and after a reload.

import { expect, test } from "bun:test";
import type { Message } from "../../../src/abi/process/message.ts";
import { NO_USAGE } from "../../../src/abi/process/process.ts";
import type { Signal } from "../../../src/abi/signal.ts";
import type { HistoryPage } from "../../../src/syscalls/services.ts";
import type { Ask } from "../../../tui/state/asks.ts";
import { hashOf, routeOf } from "../../../tui/web/route.ts";
import { itemsOf } from "../../../tui/web/store/items.ts";
import { wishOf } from "../../../tui/web/store/signals.ts";
import { lastSeq, newTalk, onTalkSignal, type Talk, withOlder, withPage } from "../../../tui/web/store/talk.ts";
import { keyOf } from "../../../tui/web/views/key-of.ts";

const PID = "init:1000";
const BASE = { pid: PID, uid: 1000, parent: null, at: 0, run: "r1" };
const user = (id: number, content: string): Message => ({ id, runId: "r1", timestamp: 0, role: "user", content });

function page(messages: readonly Message[], more: Partial<HistoryPage> = {}): HistoryPage {
  return {
    ...{ pid: PID, messages, inPart: [], messageCount: messages.length, hasMoreBefore: false, hasMoreAfter: false },
    ...{ activeRunId: null, pendingHil: null, ...more },
  };
}

const after = (talk: Talk, ...signals: readonly Signal[]) =>
  signals.reduce((before, signal) => onTalkSignal(before, signal, 1000), talk);
const shown = (talk: Talk) =>
  itemsOf(talk, []).map((item) => ("text" in item ? `${item.kind} ${item.text}` : item.kind));

const delta = (text: string): Signal => ({ ...BASE, name: "chat.delta", turn: 1, kind: "text", text });
const start: Signal = { ...BASE, name: "chat.start", model: "m", seq: 1 };
const complete: Signal = {
  ...{ ...BASE, name: "chat.complete", runId: "r1", status: "ok", reason: "turn.complete", text: null, error: null },
  ...{ mergedInto: null, usage: NO_USAGE, queued: 0, label: null },
};

test("pieces grow into an answer, which the stored text replaces", () => {
  const begun = after(withPage(newTalk(PID), page([user(1, "hi")]), 0), start, delta("Hel"), delta("lo"));
  expect(shown(begun)).toEqual(["message hi", "answer Hello"]);
  const stored = after(begun, { ...BASE, name: "chat.text", turn: 1, seq: 2, text: "Hello." });
  expect(shown(stored)).toEqual(["message hi", "answer Hello."]);
  expect(after(stored, complete).doing).toBeNull();
});

test("a result comes with the arguments of its call, and the call is shown once", () => {
  const args = { path: "~/a" };
  const talk = after(
    withPage(newTalk(PID), page([user(1, "hi")]), 0),
    { ...BASE, name: "chat.text", turn: 1, seq: 2, text: "ok" },
    { ...BASE, name: "chat.tool_call", callId: "c", tool: "Read", call: "fs.read", args },
  );
  expect(itemsOf(talk, []).at(-1)).toMatchObject({ kind: "call", tool: "Read", args, result: null });
  const result = { callId: "c", tool: "Read", call: "fs.read", ok: true, seq: 3, output: "x" };
  const items = itemsOf(after(talk, { ...BASE, name: "chat.tool_result", ...result }), []);
  expect(items.filter(({ kind }) => kind === "call")).toMatchObject([{ args, result: { ok: true, output: "x" } }]);
});

test("a running call shows how far it is", () => {
  const start = { ...BASE, name: "chat.start", model: "m", seq: 1 } as const;
  const call = {
    ...BASE,
    name: "chat.tool_call",
    callId: "c",
    tool: "mcp__notes__add",
    call: "sys.mcp.call",
    args: {},
  } as const;
  const talk = after(withPage(newTalk(PID), page([user(1, "hi")]), 0), start, call);
  const progress = { ...BASE, name: "chat.tool_progress", callId: "c", text: "2/3 pages" } as const;
  expect(after(talk, progress).doing?.what).toEndWith(" · 2/3 pages");
  expect(after(talk, { ...progress, callId: "other" }).doing).toEqual(talk.doing);
});

test("after a missed message the conversation is behind, and shows nothing out of order", () => {
  const talk = after(withPage(newTalk(PID), page([user(1, "hi")]), 0), {
    ...{ ...BASE, name: "chat.text", turn: 1, seq: 5, text: "late" },
  });
  expect([talk.isBehind, lastSeq(talk)]).toEqual([true, 1]);
  const whole = withPage(talk, page([user(2, "b"), user(3, "c"), user(4, "d"), user(5, "e")]), 0);
  expect(whole.messages.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
});

test("the same page twice, or older messages that overlap, repeat nothing", () => {
  const once = withPage(newTalk(PID), page([user(3, "c"), user(4, "d")], { hasMoreBefore: true }), 0);
  const twice = withPage(once, page([user(4, "d")]), 0);
  const older = withOlder(twice, page([user(1, "a"), user(2, "b"), user(3, "c")]));
  expect(older.messages.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  expect([once.hasMoreBefore, older.hasMoreBefore]).toEqual([true, false]);
});

test("a page that opens in the middle of an answer says that its beginning is missing", () => {
  const talk = after(withPage(newTalk(PID), page([user(1, "hi")], { activeRunId: "r1" }), 0), delta("the end"));
  expect(talk.open).toMatchObject({ text: "the end", isPart: true });
  const fromStart = after(withPage(newTalk(PID), page([]), 0), start, delta("all"));
  expect(fromStart.open).toMatchObject({ isPart: false });
});

test("addresses of the views lead back to them, and others to the table", () => {
  for (const hash of ["#/", "#/waiting", "#/talk/init:1000", "#/talk/task:abc123"])
    expect(hashOf(routeOf(hash))).toBe(hash);
  for (const hash of ["", "#/talk/../x", "#/talk/<b>", "#code=x"]) expect(routeOf(hash)).toEqual({ view: "processes" });
});

test("keys of a browser are keys of the terminal, and those of the browser stay with it", () => {
  const none = { ctrlKey: false, altKey: false, metaKey: false, shiftKey: false };
  expect(keyOf({ ...none, key: "ArrowDown" })?.name).toBe("down");
  expect(keyOf({ ...none, key: "y" })).toMatchObject({ name: "text", text: "y" });
  expect(keyOf({ ...none, key: "r", metaKey: true })).toBeNull();
  expect(keyOf({ ...none, key: "F5" })).toBeNull();
});

test("a request for the computer of the kernel does not call it this computer", () => {
  const about = { target: "host", directory: "/srv", sandboxed: false, dangers: [], reasons: [], diff: null };
  const ask = { id: "a1", kind: "approval", pid: PID, tool: "Shell", call: "shell.exec", about, args: {} } as const;
  expect(wishOf({ ...ask, why: "", hash: "", expiresAt: null, since: 0 } as Ask)).toBe(
    "wants to run a command on the kernel's computer",
  );
});
