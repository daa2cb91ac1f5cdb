// Keys of a client: in memory, for its runs. A run that survives its kernel continues with a stored key or waits for one; the used key is
// written nowhere.

import { expect, test } from "bun:test";
import { INIT, TestKernel } from "../support/kernel.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY } from "../support/wire-format.ts";
import { WireServer } from "../support/wire-server.ts";

const CHAT = WIRES["openai chat completions"]!;
const HANGS = { type: CHAT.type, body: ": wait\n\n", hangs: true } as const;
const ANSWER = { type: CHAT.type, body: CHAT.body({ text: ["at last"] }) };

/** A run that started with its client's key, after its kernel died. */
async function forsaken(server: WireServer): Promise<{ home: TestKernel; runId: string }> {
  server.will(HANGS);
  const home = await TestKernel.boot({ realProviders: true });
  await home.sys.call("config.set", { key: "baseUrls.openai", value: `${server.url}/v1` });
  const client = await withKey(home);
  const { runId } = await client.call<{ runId: string }>("proc.send", { message: "hello", model: "openai/gpt-4.1" });
  await home.until("the model is asked", () => server.requests.length === 1);
  await home.sys.call("config.unset", { key: "baseUrls.openai" });
  await home.restart();
  return { home, runId };
}

function withKey(home: TestKernel, url?: string) {
  const base: { [name: string]: string } = url === undefined ? {} : { OPENAI_BASE_URL: url };
  const env = { OPENAI_API_KEY: KEY, GSV_MODEL: "offline", ...base };
  return home.kernel.accept({ clientId: "with-key", version: "0", cwd: "/", env });
}

test("a run of an earlier kernel without its key is paused, names the key, and resumes when its owner brings it", async () => {
  using server = new WireServer(() => ANSWER);
  const { home, runId } = await forsaken(server);
  await using _ = home;
  const waitsFor = { kind: "credential", reason: expect.stringContaining("gsv auth provider openai") };
  expect(await home.inState(INIT, "paused")).toMatchObject({ waitsFor });
  expect(await home.wait(INIT)).toMatchObject({ status: "held", exit: 4 });
  // A client without a key changes nothing, and neither does the next kernel.
  await home.client();
  await home.restart();
  expect(await home.inState(INIT, "paused")).toMatchObject({ waitsFor });
  await withKey(home, `${server.url}/v1`);
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
});

test("a setting that stores the key, or makes it unnecessary, resumes the run", async () => {
  using server = new WireServer(() => ANSWER);
  const { home, runId } = await forsaken(server);
  await using _ = home;
  await home.inState(INIT, "paused");
  await home.sys.call("config.set", { key: "baseUrls.openai", value: `${server.url}/v1` });
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
  expect(server.requests.at(-1)?.headers.authorization).toBeUndefined();
});

test("a child has the key of its parent's run, and the next message its client's key", async () => {
  using server = new WireServer((request) =>
    request.body.includes("do it") ? ANSWER : { type: CHAT.type, body: CHAT.body({ text: ["plain"] }) },
  );
  await using home = await TestKernel.boot({ realProviders: true });
  const client = await withKey(home, `${server.url}/v1`);
  const { runId } = await client.call<{ runId: string }>("proc.send", { message: "hi", model: "openai/m" });
  await home.ended(runId);
  const inside = await home.insideOf(INIT);
  const child = await inside.call<{ pid: string }>("proc.spawn", { prompt: "do it" });
  // The client's GSV_MODEL is offline, for the child too.
  expect(await home.wait(child.pid)).toMatchObject({ status: "ok" });
  expect((await home.refusal("proc.send", { pid: INIT, message: "x", model: "openai/m" }, inside)).code).toBe("EPERM");
  await home.send("again", { model: "openai/gpt-4.1" });
  expect(await home.inState(INIT, "paused")).toMatchObject({
    waitsFor: { kind: "credential", reason: "No API key for openai. To set one: gsv auth provider openai" },
  });
});

/** A server that knows one key. */
function choosy(): WireServer {
  return new WireServer(({ headers }) => (headers.authorization === `Bearer ${KEY}` ? ANSWER : CHAT.error("auth")));
}

async function refused(server: WireServer): Promise<{ home: TestKernel; runId: string }> {
  const home = await TestKernel.boot({ realProviders: true });
  const env = { OPENAI_API_KEY: "a-wrong-one", OPENAI_BASE_URL: `${server.url}/v1` };
  const client = await home.kernel.accept({ clientId: "wrong", version: "0", cwd: "/", env });
  const { runId } = await client.call<{ runId: string }>("proc.send", { message: "hello", model: "openai/m" });
  await home.inState(INIT, "paused");
  return { home, runId };
}

test("a refused key pauses the run; the same key changes nothing, and another stored one resumes it", async () => {
  using server = choosy();
  const { home, runId } = await refused(server);
  await using _ = home;
  const waitsFor = {
    kind: "credential",
    reason: "openai refused OPENAI_API_KEY (401). Another: gsv auth provider openai",
  };
  expect(await home.wait(INIT)).toMatchObject({ status: "held", exit: 4, waitsFor });
  await home.sys.call("config.set", { key: "apiKeys.openai", value: "a-wrong-one" });
  expect(await home.get(INIT)).toMatchObject({ state: "paused" });
  expect(server.requests).toHaveLength(1);
  await home.sys.call("config.set", { key: "apiKeys.openai", value: KEY });
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
  // Still at the address of the run.
  expect(server.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/chat/completions"]);
});

test("the next client with another key resumes the run, for the client's address", async () => {
  using server = choosy();
  const { home, runId } = await refused(server);
  await using _ = home;
  using other = new WireServer(() => ANSWER);
  await withKey(home, `${other.url}/v1`);
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
  expect([server.requests.length, other.requests[0]?.headers.authorization]).toEqual([1, `Bearer ${KEY}`]);
});

test("a refused key ends with its kernel: the next tries the stored key once, and pauses the run again", async () => {
  using server = choosy();
  const { home, runId } = await refused(server);
  await using _ = home;
  await home.sys.call("config.set", { key: "baseUrls.openai", value: `${server.url}/v1` });
  await home.restart();
  await home.sys.call("config.set", { key: "apiKeys.openai", value: "another-wrong-one" });
  await home.until("it was tried", () => server.requests.length >= 2);
  await home.inState(INIT, "paused");
  await home.sys.call("config.set", { key: "apiKeys.openai", value: KEY });
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
});

test("a retry time survives the kernel, also if its key arrives later", async () => {
  using server = new WireServer(() => ANSWER);
  server.will({ ...CHAT.error("throttle"), headers: { "retry-after": "300" } });
  await using home = await TestKernel.boot({ realProviders: true });
  const client = await withKey(home, `${server.url}/v1`);
  const { runId } = await client.call<{ runId: string }>("proc.send", { message: "hello", model: "openai/gpt-4.1" });
  await home.until("it waits", async () => (await home.get(INIT)).waitsFor?.kind === "model");
  await home.restart();
  expect(await home.inState(INIT, "paused")).toMatchObject({ waitsFor: { kind: "credential" } });
  await home.clock.advance(100_000);
  await withKey(home, `${server.url}/v1`);
  expect(await home.inState(INIT, "running")).toMatchObject({ waitsFor: { kind: "model" } });
  await home.clock.advance(199_999);
  expect(server.requests).toHaveLength(1);
  await home.clock.advance(1);
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
});

test("a run that outlives its kernel goes to the stored address, not to that of its client's environment", async () => {
  const { type, body, path } = WIRES.ollama!;
  const hanging = () => ({ type, body: "", hangs: true }) as const;
  using environment = new WireServer(hanging);
  using stored = new WireServer((request) =>
    request.path === path ? { type, body: body({ text: ["at last"] }) } : { status: 404 },
  );
  await using home = await TestKernel.boot({ realProviders: true, realTime: true, env: { OLLAMA_HOST: "" } });
  await home.sys.call("config.set", { key: "baseUrls.ollama", value: stored.url });
  const env = { OLLAMA_HOST: environment.url };
  const client = await home.kernel.accept({ clientId: "with-address", version: "0", cwd: "/", env });
  const { runId } = await client.call<{ runId: string }>("proc.send", { message: "hello", model: "ollama/some-model" });
  await home.until("the model is asked", () => environment.requests.length === 1);
  await home.restart();
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "at last" });
  expect([environment.requests.length, stored.requests.length]).toEqual([1, 1]);
});
