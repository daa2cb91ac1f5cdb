// The common contract of all wire formats, over real HTTP: text, thinking, calls, usage and every way to fail. One suite for
// all providers; a provider that needs another test makes another promise.

import { describe, expect, test } from "bun:test";
import type { ModelRequest, StreamEvent } from "../../src/abi/stream.ts";
import { Folder } from "../../src/providers/fold.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { accessOf, type ErrorKind, KEY, type Spoken } from "../support/wire-format.ts";
import { type WireReply, WireServer } from "../support/wire-server.ts";
import { eventsOf, requestOf } from "./requests.ts";

const CALLS = [
  { name: "Read", json: ['{"pa', 'th":"/a"', "}"] },
  { name: "Write", json: ['{"path":"/b","content":"\\u00e9🙂\\"', '"}'] },
] as const;

const WHOLE: Spoken = {
  thinking: ["hm, ", "so"],
  text: ["Let me ", "look: ", "é🙂"],
  calls: CALLS,
  usage: { input: 120, output: 34, cacheRead: 1000 },
};

function folded(events: readonly StreamEvent[]) {
  const folder = new Folder();
  for (const event of events) folder.push(event);
  return folder.end();
}

describe.each(Object.entries(WIRES))("%s", (name, wire) => {
  const body = (spoken: Spoken): WireReply => ({ type: wire.type, body: wire.body(spoken) });
  const request = (said: Parameters<typeof requestOf>[0] = [{ user: "hello" }]): ModelRequest =>
    requestOf(said, wire.model);

  async function events(reply: WireReply, signal?: AbortSignal): Promise<StreamEvent[]> {
    using server = new WireServer().will(reply);
    return await eventsOf(wire.provider(accessOf(server.url)), request(), signal);
  }

  async function failure(reply: WireReply) {
    const last = (await events(reply)).at(-1);
    if (last?.type !== "error") throw new Error(`no failure: ${JSON.stringify(last)}`);
    return last.failure;
  }

  test("thinking, text, parallel calls and usage with cache counts", async () => {
    const turn = folded(await events(body(WHOLE)));
    expect(turn).toMatchObject({
      kind: "turn",
      thinking: "hm, so",
      text: "Let me look: é🙂",
      stop: "tools",
      calls: [
        { name: "Read", args: { path: "/a" } },
        { name: "Write", args: { path: "/b", content: 'é🙂"' } },
      ],
    });
    if (turn.kind !== "turn") return;
    expect(new Set(turn.calls.map(({ id }) => id)).size).toBe(2);
    expect(turn.usage).toMatchObject({ input: 120, output: 34, cacheRead: name === "ollama" ? 0 : 1000 });
  });

  test("the same, a byte at a time, with unknown events in between", async () => {
    const whole = folded(await events(body(WHOLE)));
    expect(folded(await events({ ...body({ ...WHOLE, strange: true }), split: 1 }))).toEqual(whole);
  }, 20_000);

  test("a complete answer ends as complete, one cut at its limit as cut", async () => {
    expect(folded(await events(body({ text: ["hi"] })))).toMatchObject({
      kind: "turn",
      text: "hi",
      stop: "end",
      calls: [],
    });
    expect(folded(await events(body({ text: ["so f"], stop: "length" })))).toMatchObject({ stop: "length" });
  });

  test.skipIf(name === "ollama")("a refusal is reported as a refusal", async () => {
    expect(folded(await events(body({ text: ["I will not"], stop: "refusal" })))).toMatchObject({
      kind: "turn",
      text: "I will not",
      stop: "refusal",
    });
  });

  const CLASSES: { readonly [K in ErrorKind]: string } = {
    throttle: "throttle",
    // Without a code it may be any limit.
    quota: name === "ollama" ? "throttle" : "quota",
    overloaded: "outage",
    internal: "outage",
    auth: "auth",
    forbidden: "auth",
    request: "request",
    absent: "model",
    overflow: name === "ollama" ? "request" : "overflow",
  };

  test.each(Object.entries(CLASSES) as [ErrorKind, string][])(
    "an error of kind %s is one of class %s",
    async (kind, failureClass) => {
      const told = await failure(wire.error(kind));
      expect(told.class).toBe(failureClass as typeof told.class);
      expect(told.message).not.toContain(KEY);
      expect(told.message).toStartWith("the server answered ");
      expect(told.retryAfterMs).toBe(kind === "throttle" ? 7000 : undefined);
    },
  );

  test("an error in the middle of an answer keeps its class", async () => {
    expect(await failure({ type: wire.type, body: wire.broken("overloaded") })).toMatchObject({ class: "outage" });
    expect(await failure({ type: wire.type, body: wire.broken("overflow") })).toMatchObject({ class: "overflow" });
  });

  test("an answer that is cut anywhere is a temporary failure, never an answer", async () => {
    const bytes = Buffer.from(wire.body({ text: ["one ", "two"], calls: CALLS }));
    for (let at = 0; at < bytes.length - 8; at += Math.ceil(bytes.length / 24)) {
      const cut = bytes.subarray(0, at).toString("latin1");
      for (const how of [{ cut: true } as const, {}]) {
        const told = folded(await events({ type: wire.type, body: cut, ...how }));
        // Counts that a server sends after the stop reason are not worth a retry.
        if (told.kind === "turn" && cut.includes('finish_reason":"tool_calls')) continue;
        expect([at, told.kind]).toEqual([at, "failure"]);
        if (told.kind === "failure") expect(["protocol", "outage"]).toContain(told.failure.class);
      }
    }
  });

  test("no connection, a broken one, a captive portal and invalid JSON", async () => {
    expect(await failure({ refuses: true })).toMatchObject({ class: "network" });
    expect(await failure({ type: "text/html", body: "<html>please pay</html>" })).toMatchObject({ class: "network" });
    expect(await failure({ status: 302, headers: { location: "http://127.0.0.1:1/" } })).toMatchObject({
      class: "network",
    });
    const broken = name === "ollama" ? "{not json\n" : "data: {not json\n\n";
    expect(await failure({ type: wire.type, body: broken })).toMatchObject({ class: "protocol" });
    const server = new WireServer();
    server.stop();
    const last = (await eventsOf(wire.provider(accessOf(server.url)), request())).at(-1);
    expect(last).toMatchObject({ type: "error", failure: { class: "network" } });
  });

  test("an abort ends it at once, before and in the middle, and closes the connection to the server", async () => {
    using server = new WireServer(() => ({
      ...body({ text: ["begun"] }),
      body: wire.body({ text: ["begun"] }).split("begun")[0]!,
      hangs: true,
    }));
    const abort = new AbortController();
    const asked = eventsOf(wire.provider(accessOf(server.url)), request(), abort.signal);
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect((await asked).at(-1)).toEqual({ type: "aborted" });
    while (server.left === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await eventsOf(wire.provider(accessOf(server.url)), request(), abort.signal)).toEqual([{ type: "aborted" }]);
    expect(server.requests).toHaveLength(1);
  });

  test("the request has the whole conversation: results follow their calls, and events are marked", async () => {
    using server = new WireServer().will(body({ text: ["fine"] }));
    const said = [
      { user: "look" },
      {
        assistant: "I look",
        calls: [
          { id: "c1", name: "Read", args: { path: "/a" } },
          { id: "c2", name: "Read", args: {} },
        ],
      },
      { result: "of a", of: "c1", tool: "Read" },
      { result: "not there", of: "c2", tool: "Read", outcome: "failed" },
      { event: "a child ended" },
      { user: "and now" },
    ] as const;
    await eventsOf(wire.provider(accessOf(server.url)), { ...request(said), system: "You are an agent." });
    const [sent] = server.requests;
    expect(sent).toMatchObject({ method: "POST", path: wire.path });
    expect(Object.values(sent?.headers ?? {}).join(" ")).toContain(KEY);
    const text = sent?.body ?? "";
    const order = [
      "You are an agent.",
      "look",
      "I look",
      "/a",
      "of a",
      "not there",
      "[event] a child ended",
      "and now",
    ];
    expect(
      order
        .map((each) => text.indexOf(each))
        .every((at, index, all) => at > 0 && (index === 0 || at > all[index - 1]!)),
    ).toBe(true);
    expect(sent?.json.model).toBe(wire.model);
  });

  test("the request of one turn is the prefix of the next", async () => {
    using server = new WireServer(() => body({ text: ["fine"] }));
    const said: Parameters<typeof requestOf>[0][number][] = [{ user: "one" }];
    for (const next of [{ assistant: "two" }, { user: "three" }, { assistant: "four" }, { user: "five" }] as const) {
      if ("user" in next || said.length === 1) await eventsOf(wire.provider(accessOf(server.url)), request(said));
      said.push(next);
    }
    await eventsOf(wire.provider(accessOf(server.url)), request(said));
    const bodies = server.requests.map((each) => each.body.replace(/\]\}?\}?$/, ""));
    for (const [index, each] of bodies.entries())
      if (index > 0) expect(each).toStartWith(bodies[index - 1]!.replace(/[\]}]+$/, ""));
  });

  test("the server's models are listed", async () => {
    const rows = [{ id: "m-one", name: "m-one" }, { id: "m-two", name: "m-two" }, { nothing: true }];
    using server = new WireServer().will({
      type: "application/json",
      body: JSON.stringify({ data: rows, models: rows }),
    });
    const listed = await wire.provider(accessOf(server.url)).models?.(new AbortController().signal);
    expect(listed?.map(({ id }) => id)).toEqual(["m-one", "m-two"]);
  });
});
