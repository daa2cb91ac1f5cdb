// A key or a model that is missing pauses the run at once, without a retry, says what to type, and the run continues when a person has typed it.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { INIT, TestKernel } from "../support/kernel.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY } from "../support/wire-format.ts";
import { WireServer } from "../support/wire-server.ts";

const WIRE = WIRES.anthropic!;
const ANSWER = { type: WIRE.type, body: WIRE.body({ text: ["at last"], usage: { input: 3, output: 2 } }) };
const WRONG = "a-wrong-key-of-the-tests";

function choosy(): WireServer {
  return new WireServer(({ headers, json }) => {
    if (headers.authorization !== `Bearer ${KEY}`) return WIRE.error("auth");
    return json.model === "none" ? WIRE.error("absent") : ANSWER;
  });
}

function client(home: TestKernel, server: WireServer, key: string | null) {
  const env = { ANTHROPIC_BASE_URL: server.url, ...(key === null ? {} : { ANTHROPIC_API_KEY: key }) };
  return home.kernel.accept({ clientId: key ?? "none", version: "0", cwd: "/", env });
}

test("without a key the run waits with one line, and continues when the key is saved", async () => {
  using server = choosy();
  await using home = await TestKernel.boot({ realProviders: true });
  await home.sys.call("config.set", { key: "ai.model", value: "anthropic/some" });
  const { runId } = await home.send("hello");
  const reason = "No API key for anthropic. To set one: gsv auth provider anthropic";
  const waitsFor = { kind: "credential", reason, provider: "anthropic" } as const;
  expect(await home.inState(INIT, "paused")).toMatchObject({ waitsFor });
  expect(await home.wait(INIT)).toMatchObject({ status: "held", exit: 4, waitsFor });
  await home.sys.call("config.set", { key: "baseUrls.anthropic", value: server.url });
  await home.sys.call("config.set", { key: "apiKeys.anthropic", value: KEY });
  // The address alone would do for a proxy without keys; this one refuses, and the saved key is then tried.
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
});

test("a refused key is asked once, names where it came from, and another key continues this run and the next", async () => {
  using server = choosy();
  await using home = await TestKernel.boot({ realProviders: true });
  const own = await client(home, server, WRONG);
  const { runId } = await own.call<{ runId: string }>("proc.send", { message: "hello", model: "anthropic/some" });
  const reason = "anthropic refused ANTHROPIC_API_KEY (401). Another: gsv auth provider anthropic";
  expect(await home.inState(INIT, "paused")).toMatchObject({ waitsFor: { kind: "credential", reason } });
  expect([server.requests.length, home.heard("chat.restart").map(({ putAside }) => putAside)]).toEqual([1, [true]]);
  await home.sys.call("config.set", { key: "apiKeys.anthropic", value: KEY });
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
  // The client still has the wrong key in its environment.
  const next = await own.call<{ runId: string }>("proc.send", { message: "again", model: "anthropic/some" });
  expect(await home.ended(next.runId)).toMatchObject({ status: "ok" });
  expect(server.requests).toHaveLength(3);
});

test("an unknown model is asked once, and another model continues the run", async () => {
  using server = choosy();
  await using home = await TestKernel.boot({ realProviders: true });
  const own = await client(home, server, KEY);
  const { runId } = await own.call<{ runId: string }>("proc.send", { message: "hello", model: "anthropic/none" });
  const reason = "anthropic has no model none (404). To see its models: gsv models --provider anthropic";
  const waitsFor = { kind: "credential", missing: "model", reason } as const;
  expect(await home.inState(INIT, "paused")).toMatchObject({ waitsFor });
  expect(await home.wait(INIT)).toMatchObject({ status: "held", exit: 4 });
  // A key is not what it waits for.
  await home.sys.call("config.set", { key: "apiKeys.anthropic", value: "another-key-of-the-tests" });
  expect([(await home.get(INIT)).state, server.requests.length]).toEqual(["paused", 1]);
  await own.call("proc.model", { pid: INIT, model: "anthropic/some" });
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
});

test("an unknown model of the settings: another one there continues the run", async () => {
  using server = choosy();
  await using home = await TestKernel.boot({ realProviders: true });
  await home.sys.call("config.set", { key: "ai.model", value: "anthropic/none" });
  const own = await client(home, server, KEY);
  const { runId } = await own.call<{ runId: string }>("proc.send", { message: "hello" });
  await home.inState(INIT, "paused");
  await home.sys.call("config.set", { key: "ai.model", value: "anthropic/some" });
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
});

test("a proxy that needs no key gets none, and no sentence of an SDK is shown", async () => {
  using server = new WireServer(() => ANSWER);
  await using home = await TestKernel.boot({ realProviders: true });
  const own = await client(home, server, null);
  const { runId } = await own.call<{ runId: string }>("proc.send", { message: "hello", model: "anthropic/some" });
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
});

test("a key that is gone pauses the next run, and offline does not answer in its place", async () => {
  using server = choosy();
  await using home = await TestKernel.boot({ realProviders: true });
  const own = await client(home, server, KEY);
  const first = await own.call<{ runId: string }>("proc.send", { message: "hello" });
  expect(await home.ended(first.runId)).toMatchObject({ status: "ok", text: "at last" });
  // The next client has neither the key nor the address, and the next kernel remembers neither.
  await home.restart();
  const { runId } = await home.send("again");
  const reason = "No key for anthropic any more. To set one: gsv auth provider anthropic";
  expect(await home.inState(INIT, "paused")).toMatchObject({ waitsFor: { kind: "credential", reason } });
  expect(await home.wait(INIT)).toMatchObject({ status: "held", exit: 4 });
  await client(home, server, KEY);
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
});

test("a key that is gone while its provider is overloaded is asked for, by the waiting run and by a new task", async () => {
  using server = new WireServer(() => WIRE.error("overloaded"));
  await using home = await TestKernel.boot({ realProviders: true });
  const own = await client(home, server, KEY);
  await own.call("proc.send", { message: "hello" });
  await home.until("a pause", async () => {
    const { state, waitsFor } = await home.get(INIT);
    if (waitsFor?.kind === "model") await home.clock.advance(Math.max(0, waitsFor.until - home.clock.now()));
    return state === "paused";
  });
  await home.restart();
  const reason = "No key for anthropic any more. To set one: gsv auth provider anthropic";
  const asks = { state: "paused", waitsFor: { kind: "credential", reason } } as const;
  const pid = await home.task();
  await home.send("what is running", { pid });
  expect(await home.inState(pid, "paused")).toMatchObject(asks);
  const { waitsFor } = await home.get(INIT);
  await home.clock.advance(waitsFor?.kind === "outage" ? waitsFor.until - home.clock.now() : 0);
  await home.until("the run asks for a key", async () => (await home.get(INIT)).waitsFor?.kind === "credential");
  expect(await home.get(INIT)).toMatchObject({ state: "paused", waitsFor: { provider: "anthropic" } });
});

test("after a key is gone, offline answers once a person chooses it", async () => {
  using server = choosy();
  await using home = await TestKernel.boot({ realProviders: true });
  const own = await client(home, server, KEY);
  await home.ended((await own.call<{ runId: string }>("proc.send", { message: "hello" })).runId);
  await home.restart();
  const { runId } = await home.send("what is running");
  await home.inState(INIT, "paused");
  await home.sys.call("config.set", { key: "ai.model", value: "offline" });
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: expect.stringContaining("init") });
});

test("a saved key whose secret is gone is named, and saving it again continues the run", async () => {
  using server = choosy();
  await using home = await TestKernel.boot({ realProviders: true });
  await home.sys.call("config.set", { key: "apiKeys.anthropic", value: KEY });
  await home.restart();
  rmSync(join(home.directory, "secrets"), { recursive: true });
  mkdirSync(join(home.directory, "secrets"), { mode: 0o700 });
  await home.restart();
  const { runId } = await home.send("hello");
  const reason = "The saved key for anthropic is gone. To set it again: gsv auth provider anthropic";
  expect(await home.inState(INIT, "paused")).toMatchObject({ waitsFor: { kind: "credential", reason } });
  const own = await client(home, server, null);
  await own.call("config.set", { key: "apiKeys.anthropic", value: KEY });
  await own.call("config.set", { key: "baseUrls.anthropic", value: server.url });
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
});
