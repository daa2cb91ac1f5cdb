// Features of a single model server: signed thinking that goes back, two interfaces of one vendor, a limited number of slots,
// silence.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../src/abi/process/message.ts";
import type { Provider, StreamEvent } from "../../src/abi/stream.ts";
import { anthropicProvider } from "../../src/providers/anthropic/anthropic.ts";
import { ollamaProvider } from "../../src/providers/ollama/ollama.ts";
import { openAiProvider } from "../../src/providers/openai/openai.ts";
import { FakeClock } from "../support/clock.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { accessOf } from "../support/wire-format.ts";
import { type WireReply, WireServer } from "../support/wire-server.ts";
import { ask, eventsOf, requestOf } from "./requests.ts";

const CALL = { name: "Read", json: ['{"path":"/a"}'] } as const;

function reply(wire: string, spoken: Parameters<(typeof WIRES)[string]["body"]>[0]) {
  const { type, body } = WIRES[wire]!;
  return { type, body: body(spoken) };
}

/** The history after an answer that called a tool, as a process would store it. */
function continued(events: readonly StreamEvent[]): Message[] {
  const done = events.find((event) => event.type === "done");
  const start = events.find((event) => event.type === "call.start");
  if (done?.type !== "done" || start?.type !== "call.start") throw new Error("no call came");
  const [user] = requestOf([{ user: "look" }]).messages;
  const base = { runId: "run", timestamp: 0 };
  const call = { id: start.id, name: "Read", args: { path: "/a" } };
  const seal = done.seal === undefined ? {} : { seal: done.seal };
  const result = {
    toolName: "Read",
    toolCallId: start.id,
    isError: false,
    outcome: "completed",
    output: "of a",
  } as const;
  return [
    user!,
    { ...base, id: 2, role: "assistant", content: { text: "", thinking: "hm", toolCalls: [call], ...seal } },
    { ...base, id: 3, role: "toolResult", content: result },
  ];
}

describe("signed thinking returns to the model that signed it, and to no other", () => {
  test.each([
    ["anthropic", "claude-sonnet-4-5", '{"type":"thinking","thinking":"hm","signature":"c2lnbmVk"}'],
    ["openai responses", "gpt-5.4", '"encrypted_content":"c2VhbGVk"'],
    ["openai chat completions", "some-model", '"reasoning_content":"hm"'],
  ])("%s", async (wire, model, sealed) => {
    using server = new WireServer(() => reply(wire, { text: ["fine"] }));
    server.will(reply(wire, { thinking: ["hm"], calls: [CALL] }));
    const provider = WIRES[wire]!.provider(accessOf(server.url));
    const request = requestOf([{ user: "look" }], model);
    const messages = continued(await eventsOf(provider, request));
    await eventsOf(provider, { ...request, messages });
    await eventsOf(provider, { ...request, messages, model: "another" });
    const [first, second, other] = server.requests.map(({ body }) => body);
    expect([first, second, other].map((body) => body?.includes(sealed))).toEqual([false, true, false]);
    expect(second?.indexOf(sealed)).toBeLessThan(second?.indexOf("/a") ?? 0);
  });
});

/** As sent by a server, without the status and headers. */
function goldenReply(name: string): WireReply {
  const text = readFileSync(join(import.meta.dir, `../golden/wire/${name}.txt`), "utf8");
  return { body: text.slice(text.indexOf("\n\n") + 2) };
}

async function secondRequest(name: string, provider: (url: string) => Provider, model: string) {
  using server = new WireServer(() => goldenReply(name)).will(goldenReply(name));
  const request = requestOf([{ user: "look" }], model);
  const folded = await ask(provider(server.url), request);
  if (folded.kind !== "turn") throw new Error("no turn came");
  const { text, calls, seal } = folded;
  const [user] = request.messages;
  const turn = { text, toolCalls: calls, ...(seal === undefined ? {} : { seal }) };
  const said: Message = { id: 2, runId: "run", timestamp: 0, role: "assistant", content: turn };
  await ask(provider(server.url), { ...request, messages: [user!, said] });
  return server.requests[1]?.json.messages as readonly { readonly content: unknown; readonly [key: string]: unknown }[];
}

test("a turn returns to Anthropic in its original order, with thinking between text and calls", async () => {
  const provider = (url: string) => anthropicProvider({ clock: new FakeClock(), access: accessOf(url) });
  const [, turn] = await secondRequest("anthropic-thinking-and-tools", provider, "claude-sonnet-4-5");
  expect(((turn?.content ?? []) as readonly { readonly type: string }[]).map(({ type }) => type)).toEqual([
    "thinking",
    "text",
    "redacted_thinking",
    "tool_use",
    "tool_use",
  ]);
});

test("a compatible server gets its own marks on calls and thinking back", async () => {
  const provider = (url: string) => openAiProvider({ name: "google", clock: new FakeClock(), access: accessOf(url) });
  const [, gemini] = await secondRequest("chat-gemini", provider, "some-model");
  expect(gemini?.tool_calls).toMatchObject([{ extra_content: { google: { thought_signature: "CtEB" } } }, {}]);
  const [, router] = await secondRequest("chat-openrouter", provider, "some-model");
  expect(router?.reasoning_details).toMatchObject([{ text: "I read it.", signature: "EqQB" }]);
});

describe("each server gets the thinking level in its own form", () => {
  test.each([
    [
      "claude-sonnet-5-5",
      "medium",
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "medium" } },
    ],
    ["claude-sonnet-5-5", "off", { thinking: { type: "disabled" } }],
    ["claude-opus-5-5", "off", { output_config: { effort: "low" } }],
    ["claude-haiku-4-5", "high", { thinking: { type: "enabled", budget_tokens: 3072 } }],
    ["claude-haiku-4-5", "off", {}],
    ["claude-nobody-knows", "high", {}],
  ] as const)("%s, %s", async (model, reasoning, wanted) => {
    using server = new WireServer(() => reply("anthropic", { text: ["fine"] }));
    const provider = anthropicProvider({ clock: new FakeClock(), access: accessOf(server.url, { reasoning }) });
    await eventsOf(provider, requestOf([{ user: "hi" }], model));
    expect(server.requests[0]?.json).toMatchObject(wanted);
    if (Object.keys(wanted).length === 0) expect(server.requests[0]?.json.thinking).toBeUndefined();
  });
});

test("the prefix of a request to Anthropic is marked for caching, and stays the same for twenty turns", async () => {
  using server = new WireServer(() => reply("anthropic", { text: ["fine"] }));
  const provider = anthropicProvider({ clock: new FakeClock(), access: accessOf(server.url) });
  const said: Parameters<typeof requestOf>[0][number][] = [];
  let [same, all] = [0, 0];
  for (let turn = 0; turn < 20; turn++) {
    said.push({ user: `question ${turn} ${"x".repeat(200)}` });
    await eventsOf(provider, { ...requestOf(said, "claude-sonnet-5-5"), system: "You are an agent. ".repeat(100) });
    said.push({ assistant: `answer ${turn}` });
    const [before = "", now = ""] = server.requests.slice(-2).map(({ body }) => body);
    if (turn === 0) continue;
    const end = [...before].findIndex((char, at) => char !== now[at]);
    same += end < 0 ? before.length : end;
    all += before.length;
  }
  expect(same / all).toBeGreaterThan(0.99);
  expect(server.requests[0]?.json).toMatchObject({
    cache_control: { type: "ephemeral" },
    system: [{ cache_control: {} }],
  });
});

describe("the choice of OpenAI's interface", () => {
  async function paths(more: Parameters<typeof accessOf>[1], ...replies: readonly WireReply[]): Promise<string[]> {
    using server = new WireServer().will(...replies);
    const provider = openAiProvider({ name: "openai", clock: new FakeClock(), access: accessOf(server.url, more) });
    await eventsOf(provider, requestOf([{ user: "hi" }], "m"));
    return server.requests.map(({ path }) => path);
  }
  const chat = reply("openai chat completions", { text: ["fine"] });
  const responses = reply("openai responses", { text: ["fine"] });
  const absent = { status: 404, type: "text/plain", body: "not here" };

  test("is Responses at OpenAI's own address, chat completions elsewhere, unless the setting differs", async () => {
    expect(await paths({ isOwn: true }, responses)).toEqual(["/responses"]);
    expect(await paths({}, chat)).toEqual(["/chat/completions"]);
    expect(await paths({ style: "responses" }, responses)).toEqual(["/responses"]);
    expect(await paths({ isOwn: true, style: "chat" }, chat)).toEqual(["/chat/completions"]);
  });

  test("falls back to the other one on a missing page, but not on a missing model", async () => {
    expect(await paths({}, absent, responses)).toEqual(["/chat/completions", "/responses"]);
    expect(await paths({ style: "chat" }, absent)).toEqual(["/chat/completions"]);
    expect(await paths({}, WIRES["openai chat completions"]!.error("absent"))).toEqual(["/chat/completions"]);
  });

  test("a server that needs no key gets none", async () => {
    using server = new WireServer().will(chat);
    const access = accessOf(server.url, { apiKey: null });
    await eventsOf(
      openAiProvider({ name: "openai", clock: new FakeClock(), access }),
      requestOf([{ user: "hi" }], "m"),
    );
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });
});

test("calls without numbers or ids, whole or in pieces, are understood, also in an answer without [DONE]", async () => {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`;
  const call = (name: string, args: string) => ({ tool_calls: [{ function: { name, arguments: args } }] });
  const body = [
    chunk(call("Read", '{"path":')),
    chunk(call("", '"/a"}')),
    chunk(call("Search", '{"query":"x"}')),
    chunk({}, "tool_calls"),
  ];
  using server = new WireServer().will({ body: body.join("") });
  const provider = openAiProvider({ name: "openai", clock: new FakeClock(), access: accessOf(server.url) });
  const events = await eventsOf(provider, requestOf([{ user: "hi" }], "m"));
  expect(events.filter((event) => event.type === "call.start").map(({ id, name }) => [id, name])).toEqual([
    ["openai-1-0", "Read"],
    ["openai-1-1", "Search"],
  ]);
  expect(events.at(-1)).toMatchObject({ type: "done", stop: "tools" });
});

test("Ollama gets no more parallel requests than it has slots, and waiting requests can be cancelled", async () => {
  const { type, body } = WIRES.ollama!;
  using server = new WireServer(() => ({ type, body: body({ text: ["fine"] }) }));
  server.will({ type, body: '{"message":{"content":"slow"},"done":false}\n', hangs: true });
  const provider = ollamaProvider({ clock: new FakeClock(), access: accessOf(server.url, { parallel: 1 }) });
  const [first, second] = [new AbortController(), new AbortController()];
  const request = requestOf([{ user: "hi" }], "m");
  const one = eventsOf(provider, request, first.signal);
  const two = eventsOf(provider, request, second.signal);
  const three = eventsOf(provider, request);
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  second.abort();
  expect(await two).toEqual([{ type: "aborted" }]);
  expect(server.requests).toHaveLength(1);
  first.abort();
  expect((await one).at(-1)).toEqual({ type: "aborted" });
  expect((await three).at(-1)).toMatchObject({ type: "done" });
  expect(server.requests).toHaveLength(2);
  expect(server.requests[1]?.json).toMatchObject({ options: { num_ctx: 32_768 } });
});

test("gsv asks Ollama about each of its models, and lists models without details, too", async () => {
  const shown: { readonly [model: string]: object } = {
    "eyes:4b": {
      capabilities: ["completion", "vision"],
      model_info: { "eyes.context_length": 8192, "eyes.block_count": 3 },
    },
    "words:1b": { capabilities: ["completion", "tools"], model_info: { "general.architecture": "words" } },
  };
  using server = new WireServer(({ path, json }) => {
    const body =
      path === "/api/tags"
        ? { models: [...Object.keys(shown), "mute:1b"].map((name) => ({ name })) }
        : shown[String(json.model)];
    return body === undefined
      ? { status: 404, type: "application/json", body: "{}" }
      : { type: "application/json", body: JSON.stringify(body) };
  });
  const provider = ollamaProvider({ clock: new FakeClock(), access: accessOf(server.url) });
  expect(await provider.models?.(new AbortController().signal)).toEqual([
    { id: "eyes:4b", windowTokens: 8192, sees: true },
    { id: "words:1b", windowTokens: null, sees: false },
    { id: "mute:1b", windowTokens: null },
  ]);
  expect(server.requests.map(({ path }) => path).sort()).toEqual(["/api/show", "/api/show", "/api/show", "/api/tags"]);
});

describe("a silent server is given up, by the clock", () => {
  async function givenUp(
    body: string,
    ms: number,
    more: Parameters<typeof accessOf>[1] = {},
  ): Promise<StreamEvent | undefined> {
    using server = new WireServer().will({ body, hangs: true });
    const clock = new FakeClock();
    const provider = openAiProvider({ name: "openai", clock, access: accessOf(server.url, more) });
    const heard: StreamEvent[] = [];
    const asked = (async () => {
      const request = requestOf([{ user: "hi" }], "m");
      for await (const event of provider.stream(request, new AbortController().signal)) heard.push(event);
    })();
    while (server.requests.length === 0 || (body !== "" && heard.length === 0)) await turnOfTheLoop();
    // Long enough for a probe whether it accepts connections.
    for (const part of [Math.min(5000, ms - 1), Math.max(0, ms - 5001)]) {
      await clock.advance(part);
      for (let turn = 0; turn < 50; turn++) await turnOfTheLoop();
    }
    expect(heard.filter(({ type }) => type === "error")).toEqual([]);
    await clock.advance(1);
    await asked;
    return heard.at(-1);
  }
  const failure = { class: "timeout", message: expect.stringContaining("in time") };
  const begun = `data: ${JSON.stringify({ choices: [{ delta: { content: "so" } }] })}\n\n`;

  test("before its first byte", async () => {
    expect(await givenUp("", 60_000)).toMatchObject({ type: "error", failure });
  });

  test("in the middle", async () => {
    expect(await givenUp(begun, 90_000)).toMatchObject({ type: "error", failure });
  });

  test("when it exceeds the total time limit, whatever it sent meanwhile", async () => {
    const late = { class: "timeout", message: expect.stringContaining("ai.generation.timeoutMs") };
    expect(await givenUp(begun, 20_000, { totalMs: 20_000 })).toMatchObject({ type: "error", failure: late });
  });
});

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
