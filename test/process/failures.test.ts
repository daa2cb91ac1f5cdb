// Model failures and their ends: temporary ones are retried, permanent ones reported, and the history stays legal for the next model.

import { expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Failure, FailureClass } from "../../src/abi/stream.ts";
import type { PlannedAnswer } from "../support/answers.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { samples } from "../support/soak.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY } from "../support/wire-format.ts";
import { WireServer } from "../support/wire-server.ts";

const CHAT = WIRES["openai chat completions"]!;

const LASTING: { readonly [failure: string]: string } = {
  quota: "limit",
  overflow: "limit",
  config: "error",
  request: "error",
  content: "error",
};
/** Attempts before its run is paused. */
const PASSING: { readonly [failure: string]: number } = { outage: 4, network: 4, timeout: 4, throttle: 4 };
const EXITS: { readonly [status: string]: number } = { limit: 6, error: 1 };
/** For causes with more detail. */
const EXITS_OF: { readonly [failure: string]: number } = { config: 78 };

function failing(name: string, more: Partial<Failure> = {}): PlannedAnswer {
  return { text: "half an ans", error: { class: name as FailureClass, message: `it was ${name}`, ...more } };
}

/** Sends a message and lets time pass until its run has ended. */
async function saidInTime(home: TestKernel, message: string) {
  const { runId } = await home.send(message);
  await home.until("the run ends", async () => {
    await home.clock.advance(1000);
    return home.heard("chat.complete", runId).length > 0;
  });
  return await home.ended(runId);
}

for (const [name, status] of Object.entries(LASTING)) {
  test(`a failure of class ${name} ends the run as ${status} at once, and the next message starts a new run`, async () => {
    await using home = await TestKernel.boot();
    home.model.will(INIT, failing(name));
    const end = await home.say("hello");
    expect(end).toMatchObject({ status, reason: `model.${name}`, error: `it was ${name}`, text: null });
    expect(home.model.requests).toHaveLength(1);
    expect(await home.wait(INIT)).toMatchObject({ status, exit: EXITS_OF[name] ?? EXITS[status] });
    expect(await home.outline(INIT)).toEqual(["user: hello", `system: Generation failed: it was ${name}`]);
    expect(await home.say("again")).toMatchObject({ status: "ok", text: "done" });
  });
}

for (const [name, asked] of Object.entries(PASSING)) {
  test(`a failure of class ${name} is retried, and after ${asked} attempts the run is paused`, async () => {
    await using home = await TestKernel.boot();
    home.model.will(INIT, failing(name), failing(name), { text: "at last" });
    expect(await saidInTime(home, "hello")).toMatchObject({ status: "ok", text: "at last" });
    expect(home.heard("chat.restart").map((told) => [told.turn, told.attempt, told.class, told.reason])).toEqual([
      [1, 2, name as FailureClass, `it was ${name}`],
      [1, 3, name as FailureClass, `it was ${name}`],
    ]);
    expect(await home.outline(INIT)).toEqual(["user: hello", "assistant: at last"]);

    home.model.will(INIT, ...Array.from({ length: asked }, () => failing(name)));
    const { runId: run } = await home.send("and now");
    await home.until("it is paused", async () => {
      await home.clock.advance(1000);
      return (await home.get(INIT)).state === "paused";
    });
    const waitsFor = { kind: "outage", class: name as FailureClass, model: "offline", reason: `it was ${name}` };
    expect(await home.wait(INIT, { run })).toMatchObject({ status: "held", exit: 75, waitsFor });
    expect(home.model.requests).toHaveLength(3 + asked);
  });
}

test("an answer in a wrong format is retried twice, and then the run ends", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, ...Array.from({ length: 3 }, () => failing("protocol")));
  expect(await saidInTime(home, "hello")).toMatchObject({ status: "error", reason: "model.protocol" });
  expect(home.model.requests).toHaveLength(3);
});

test.each(["throttle", "outage"])(
  "a model that sets a retry time (%s) is not asked earlier, and the time is visible",
  async (name) => {
    await using home = await TestKernel.boot();
    home.model.will(INIT, failing(name, { retryAfterMs: 30_000 }), { text: "at last" });
    const { runId } = await home.send("hello");
    await home.until("it waits", () => home.heard("chat.restart").length === 1);
    await home.clock.advance(29_999);
    expect(await home.get(INIT)).toMatchObject({ state: "running", waitsFor: { kind: "model" } });
    expect(home.heard("process.state").at(-1)).toMatchObject({ state: "running", waitsFor: { kind: "model" } });
    expect(home.model.requests).toHaveLength(1);
    await home.clock.advance(1);
    expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
    expect(await home.get(INIT)).toMatchObject({ state: "idle", waitsFor: null });
  },
);

test("a run pauses if its server wants a wait of more than ten minutes", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, failing("throttle", { retryAfterMs: 3_000_000 }));
  const { runId } = await home.send("hello");
  const { waitsFor } = await home.inState(INIT, "paused");
  expect(waitsFor).toMatchObject({ kind: "outage", until: home.clock.now() + 3_000_000 });
  await home.clock.advance(2_999_999);
  expect(home.model.requests).toHaveLength(1);
  await home.clock.advance(1);
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
});

test("a run that waits for a retry can be aborted", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, failing("outage", { retryAfterMs: 300_000 }));
  const { runId } = await home.send("hello");
  await home.until("it waits", () => home.heard("chat.restart").length === 1);
  await home.sys.call("proc.abort", { pid: INIT });
  expect(await home.ended(runId)).toMatchObject({ status: "aborted" });
  expect(await home.say("again")).toMatchObject({ status: "ok" });
});

const BROKEN: { readonly [what: string]: PlannedAnswer } = {
  "a stream that is cut": { text: "half an ans", cut: true },
  "a stream that is cut within a call": { calls: [{ name: "Write", json: '{"path":"~/a","con' }], cut: true },
  "arguments that are no JSON": { calls: [{ name: "Write", json: "{path: a}" }] },
  "arguments that are no object": { calls: [{ name: "Write", json: "[1]" }] },
  "arguments nested 10^5 deep": { calls: [{ name: "Write", json: `{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}` }] },
  "two calls of one id": {
    calls: [
      { name: "Read", id: "x" },
      { name: "Read", id: "x" },
    ],
  },
  "a call without a name": { calls: [{ name: "" }] },
  "more calls than may be": { calls: Array.from({ length: LIMITS.toolCallsPerTurnMax + 1 }, () => ({ name: "Read" })) },
};

for (const [what, answer] of Object.entries(BROKEN)) {
  test(`${what}: nothing of it is carried out or stored, and it is retried`, async () => {
    await using home = await TestKernel.boot();
    home.model.will(INIT, answer, { text: "better" });
    expect(await saidInTime(home, "hello")).toMatchObject({ status: "ok", text: "better" });
    expect(await home.outline(INIT)).toEqual(["user: hello", "assistant: better"]);
    expect(home.heard("chat.tool_call")).toEqual([]);
    expect(home.heard("chat.restart")).toHaveLength(1);
  });
}

test("an empty answer is retried, and three of them end the run with the reason", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "" }, { text: "said" });
  expect(await saidInTime(home, "hello")).toMatchObject({ status: "ok", text: "said" });
  home.model.will(INIT, { text: "" }, { text: "" }, { text: "" });
  expect(await saidInTime(home, "hello")).toMatchObject({
    status: "error",
    error: "the model returned an empty answer",
  });
  home.model.will(INIT, ...Array.from({ length: 3 }, () => ({ text: " \n\n" })));
  expect(await saidInTime(home, "again")).toMatchObject({
    status: "error",
    error: "the model returned an empty answer",
  });
});

test("a failure after tools ran keeps their effects and every result", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { calls: [{ name: "Write", args: { path: "~/a", content: "x" } }] }, failing("request"));
  expect(await home.say("write it")).toMatchObject({ status: "error" });
  expect(await home.outline(INIT)).toEqual([
    "user: write it",
    "assistant:  [Write]",
    "Write: completed",
    "system: Generation failed: it was request",
  ]);
  expect(await home.sys.call<object>("fs.read", { path: "~/a" })).toMatchObject({ kind: "file" });
});

test("a refusal without text is reported and not retried", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "", stop: "refusal" });
  expect(await home.say("hello")).toMatchObject({ status: "error", reason: "model.content" });
});

test("an answer cut at the output limit or by a content filter is reported as such", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "so far", stop: "length" }, { text: "I will not", stop: "refusal" });
  expect(await home.say("one")).toMatchObject({ status: "ok", reason: "turn.length", text: "so far" });
  expect(await home.say("two")).toMatchObject({ status: "ok", reason: "turn.refusal", text: "I will not" });
});

test("the usage of all turns of a run is added up, without the cost of cut answers", async () => {
  await using home = await TestKernel.boot();
  const calls = [{ name: "Read", args: { path: "/proc/version" } }];
  home.model.will(INIT, { calls, usage: { input: 10, output: 1, costUsd: 0.5 } }, failing("network"), {
    text: "x",
    usage: { input: 20, output: 2, cacheRead: 5, costUsd: 0.25 },
  });
  expect((await saidInTime(home, "hello")).usage).toEqual({
    input: 30,
    output: 3,
    cacheRead: 5,
    cacheWrite: 0,
    costUsd: 0.75,
  });
});

test("an endless run ends after a maximum of turns, with that reason", async () => {
  await using home = await TestKernel.boot();
  expect(await home.sys.call<object>("config.get", { key: "run.maxTurns" })).toMatchObject({
    value: LIMITS.turnsPerRunMax,
  });
  const turns = samples(12, LIMITS.turnsPerRunMax);
  if (turns < LIMITS.turnsPerRunMax) await home.sys.call("config.set", { key: "run.maxTurns", value: String(turns) });
  const step = (at: number) => ({ calls: [{ name: "Read", args: { path: `/tmp/${at}` } }] });
  home.model.will(INIT, ...Array.from({ length: turns + 5 }, (_, at) => step(at)));
  expect(await home.say("go on for ever")).toMatchObject({
    status: "limit",
    reason: "turns",
    error: expect.stringContaining(`stopped after ${turns} model calls`),
  });
  expect(home.model.requests).toHaveLength(turns);
  expect(await home.wait(INIT)).toMatchObject({ exit: 6 });
  await home.sys.call("config.set", { key: "run.maxTurns", value: "3" });
  home.model.will(INIT, ...[300, 301, 302, 303].map(step));
  expect(await home.say("and again")).toMatchObject({ error: expect.stringContaining("after 3 model calls") });
}, 30_000);

test("a client sees the fallback model when the chosen one has no quota left", async () => {
  using server = new WireServer(() => ({ type: CHAT.type, body: CHAT.body({ text: ["done"] }) }));
  server.will(CHAT.error("quota"));
  await using home = await TestKernel.boot({ realProviders: true });
  await home.sys.call("config.set", { key: "ai.fallback", value: '["openai/second"]' });
  const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${server.url}/v1` };
  const client = await home.kernel.accept({ clientId: "with-key", version: "0", cwd: "/", env });
  await client.call("proc.send", { pid: INIT, message: "hello", model: "openai/first" });
  await home.until("it answers", () => home.heard("chat.complete").length === 1);
  const [restart] = home.heard("chat.restart");
  expect(restart).toMatchObject({ turn: 1, attempt: 2, class: "quota", fallbackModel: "openai/second" });
  expect(restart?.reason).toEndWith("; trying openai/second instead");
});
