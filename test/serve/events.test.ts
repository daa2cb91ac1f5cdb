// The stream of events on a real port, in front of a kernel: what comes with an id, and what a reader gets after a cut.

import { expect, test } from "bun:test";
import { ServedKernel } from "../support/served-kernel.ts";
import { SseReader } from "../support/sse.ts";

const INIT = "init:1000";

async function follow(served: ServedKernel, query = "", headers: { readonly [name: string]: string } = {}) {
  const url = `${served.listener.url}/api/events${query}`;
  return await SseReader.open(url, { authorization: `Bearer ${served.token}`, ...headers });
}

function contents({ events }: SseReader): string[] {
  return events
    .filter(({ type }) => type === "message")
    .map(
      ({ data: { role, content } }) =>
        `${role}: ${typeof content === "string" ? content : (content as { text?: string }).text}`,
    );
}

test("a message comes once with a cursor, the pieces of its text before it without one", async () => {
  const served = await ServedKernel.boot();
  const reader = await follow(served, `?pid=${INIT}`);
  served.kernel.model.will(INIT, { pieces: ["one ", "two"] });
  await served.kernel.say("hello");
  await served.kernel.until("the end comes", () => reader.of("chat.complete").length > 0);
  expect(contents(reader)).toEqual(["user: hello", "assistant: one two"]);
  expect(reader.response.headers.get("content-type")).toBe("text/event-stream");
  const deltas = reader.of("chat.delta");
  expect(deltas.map(({ data }) => data.text).join("")).toBe("one two");
  expect(reader.events.filter(({ type, id }) => (type === "message") !== (id !== null))).toEqual([]);
  const last = reader.of("message").at(-1)!;
  expect(last.id).toBe(`${INIT}:${last.data.id}`);
  expect(reader.events.indexOf(deltas.at(-1)!)).toBeLessThan(reader.events.indexOf(last));
  await reader.cut();
});

test.each(["one process", "all processes"])(
  "after a cut, %s: no message is missing and none comes twice",
  async (of) => {
    const served = await ServedKernel.boot();
    const { kernel } = served;
    const query = of === "one process" ? `?pid=${INIT}` : "";
    await kernel.say("before the stream");
    await kernel.clock.advance(1000);
    let reader = await follow(served, query);
    const all: string[] = [];
    for (let round = 0; round < 5; round++) {
      await kernel.say(`while it reads ${round}`);
      await kernel.until("it is there", () => contents(reader).length >= 2);
      const { lastId } = reader;
      all.push(...contents(reader));
      await reader.cut();
      await kernel.say(`while it is away ${round}`);
      await kernel.clock.advance(20_000);
      reader = await follow(served, query, { "last-event-id": lastId });
      await kernel.until(
        "what it missed comes",
        () => contents(reader).length >= 2 && reader.of("process.state").length > 0,
      );
      all.push(...contents(reader));
      reader.events.length = 0;
    }
    const said = (await kernel.outline(INIT)).filter((line) => !line.includes("[")).slice(2);
    expect(all).toEqual(said);
    await reader.cut();
  },
);

test("a reader cut before its first message continues from where it began", async () => {
  const served = await ServedKernel.boot();
  const first = await follow(served, `?pid=${INIT}`);
  await served.kernel.until("the cursor comes", () => first.lastId !== "");
  await first.cut();
  await served.kernel.say("hello");
  const second = await follow(served, `?pid=${INIT}&after=${first.lastId}`);
  await served.kernel.until("both come", () => contents(second).length === 2);
  await second.cut();
});

test("of a task that began while the reader was away, every message comes", async () => {
  const served = await ServedKernel.boot();
  const { kernel } = served;
  const first = await follow(served);
  await kernel.until("the cursor comes", () => first.lastId !== "");
  await first.cut();
  await kernel.clock.advance(5000);
  const pid = await kernel.task({ prompt: "look" });
  await kernel.inState(pid, "idle");
  const second = await follow(served, "", { "last-event-id": first.lastId });
  await kernel.until("it comes", () => second.of("message").filter(({ data }) => data.pid === pid).length === 2);
  await second.cut();
});

test("messages that a reset archived while the reader was away are named as a gap", async () => {
  const served = await ServedKernel.boot();
  const { kernel } = served;
  await kernel.say("one");
  const first = await follow(served, `?pid=${INIT}`);
  await kernel.until("the cursor comes", () => first.lastId !== "");
  await first.cut();
  await kernel.say("two");
  await kernel.sys.call("proc.reset", { pid: INIT });
  await kernel.say("three");
  const second = await follow(served, `?pid=${INIT}`, { "last-event-id": first.lastId });
  await kernel.until("the rest comes", () => contents(second).length === 2);
  expect(second.of("gap").map(({ data }) => data)).toEqual([{ pid: INIT, afterSeq: 2, seq: 5 }]);
  await second.cut();
});

test("only the types and the process that were asked for come", async () => {
  const served = await ServedKernel.boot();
  const { kernel } = served;
  const [states, texts] = [
    await follow(served, "?types=process.*"),
    await follow(served, `?pid=${INIT}&types=message`),
  ];
  const pid = await kernel.task({ prompt: "look" });
  await kernel.inState(pid, "idle");
  await kernel.say("hello");
  await kernel.until("all comes", () => contents(texts).length === 3);
  await kernel.until("states come", () =>
    states.of("process.state").some(({ data }) => data.pid === INIT && data.state === "idle"),
  );
  expect(new Set(states.events.map(({ type }) => type.split(".")[0]))).toEqual(new Set(["process"]));
  expect(contents(texts)).toEqual(await kernel.outline(INIT));
  expect(new Set(texts.events.map(({ type }) => type))).toEqual(new Set(["message"]));
  await states.cut();
  await texts.cut();
});

test.each([
  ["?pid=task:zzzzzz", {}, 404],
  ["?pid=nothing", {}, 404],
  ["?types=chat.text", {}, 400],
  ["?types=", {}, 400],
  ["?type=message", {}, 400],
  ["", { "last-event-id": "init:1000:3" }, 400],
  [`?pid=${INIT}`, { "last-event-id": "init:0:3" }, 400],
  ["", { "last-event-id": "3@x" }, 400],
  ["", { "last-event-id": "x".repeat(9000) }, 400],
] as const)("%s %p is refused before a stream begins", async (query, headers, status) => {
  const served = await ServedKernel.boot();
  const response = await served.request("GET", `/api/events${query}`, undefined, headers);
  expect([response.status, response.headers.get("content-type")]).toEqual([status, "application/problem+json"]);
});

test("nothing comes from the processes of another account", async () => {
  const served = await ServedKernel.boot();
  const { kernel } = served;
  const { uid } = await kernel.person(0).call<{ uid: number }>("account.create", { username: "eve" });
  const eve = kernel.person(uid);
  const { token } = await eve.call<{ token: string }>("sys.token.create", {});
  const reader = await follow(served, "", { authorization: `Bearer ${token}` });
  await kernel.say("secret");
  const { runId } = await eve.call<{ runId: string }>("proc.send", { message: "mine" });
  await kernel.until("her own comes", () => reader.of("chat.complete").some(({ data }) => data.run === runId));
  expect(contents(reader)).toEqual(["user: mine", "assistant: done"]);
  expect(
    (await served.request("GET", `/api/events?pid=${INIT}`, undefined, { authorization: `Bearer ${token}` })).status,
  ).toBe(404);
  await reader.cut();
});

test("bye tells why, and the stream ends with the listener", async () => {
  const served = await ServedKernel.boot();
  const reader = await follow(served);
  await served.kernel.until("it reads", () => reader.lastId !== "");
  served.listener.bye("restart");
  await served.kernel.until("bye comes", () => reader.of("bye").length > 0);
  expect([reader.of("bye")[0]!.data, reader.isOver]).toEqual([{ why: "restart" }, false]);
  await served.listener.close();
  await served.kernel.until("it ends", () => reader.isOver);
});

test("the stream of a revoked token ends", async () => {
  const served = await ServedKernel.boot();
  const { tokens } = await served.kernel.sys.call<{ tokens: readonly { id: string }[] }>("sys.token.list", {});
  const reader = await follow(served, `?pid=${INIT}`);
  await served.kernel.sys.call("sys.token.revoke", { id: tokens[0]!.id });
  await served.kernel.say("secret");
  await served.kernel.until("it ends", () => reader.isOver);
  expect(reader.of("error").map(({ data }) => data)).toEqual([{ code: "EAUTH", detail: "this token was revoked" }]);
  expect(contents(reader)).toEqual([]);
});

test("the stream of a token that expires ends with that reason", async () => {
  const served = await ServedKernel.boot();
  const { token } = await served.kernel.sys.call<{ token: string }>("sys.token.create", { expires: "30s" });
  const reader = await follow(served, `?pid=${INIT}`, { authorization: `Bearer ${token}` });
  await served.kernel.clock.advance(30_000);
  await served.kernel.until("it ends", () => reader.isOver);
  expect(reader.of("error").map(({ data }) => data)).toEqual([{ code: "EAUTH", detail: "this token has expired" }]);
});
