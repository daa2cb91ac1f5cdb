// Settings of a session and of one message reach the model.

import { expect, test } from "bun:test";
import { INIT, TestKernel } from "../support/kernel.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { WireServer } from "../support/wire-server.ts";

const { body, type, path } = WIRES["openai chat completions"]!;

test("the message overrides the session, and the session the account, for thinking, length and model", async () => {
  using server = new WireServer((request) =>
    request.path.endsWith(path) ? { type, body: body({ text: ["done"] }) } : { status: 404 },
  );
  const env = { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${server.url}/v1`, GSV_MODEL: "openai/gpt-5.4" };
  await using home = await TestKernel.boot({ realProviders: true, realTime: true, env });
  const asked = async (message: string) => {
    await home.say(message);
    const json = server.requests.at(-1)!.json as { readonly [field: string]: unknown };
    return [json.model, json.reasoning_effort, json.max_completion_tokens];
  };
  const set = (of: string, value: string) => home.sys.call("session.set", { key: "main", path: of, value });
  const [, , usual] = await asked("as usual");
  await set("thinkingLevel", "high");
  await set("maxTokens", "900");
  expect(await asked("for the session")).toEqual(["gpt-5.4", "high", 900]);
  expect(await asked("/think:low /model:openai/gpt-5.4-mini for the message")).toEqual(["gpt-5.4-mini", "low", 900]);
  await set("model.id", "gpt-5.4-mini");
  expect(await asked("and again")).toEqual(["gpt-5.4-mini", "high", 900]);
  for (const of of ["thinkingLevel", "maxTokens", "model.id", "model.provider"]) await set(of, "null");
  expect(await asked("as before")).toEqual(["gpt-5.4", "medium", usual]);
  expect((await home.messages(INIT)).filter(({ role }) => role === "user").at(2)).toMatchObject({
    content: "for the message",
  });
});

test("lasting facts of a conversation are saved when a message starts the next one", async () => {
  using server = new WireServer((request) =>
    request.path.endsWith(path) ? { type, body: body({ text: ["done"] }) } : { status: 404 },
  );
  const env = { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${server.url}/v1`, GSV_MODEL: "openai/m" };
  await using home = await TestKernel.boot({ realProviders: true, realTime: true, env });
  await home.say("lorem ipsum dolor sit amet ".repeat(80));
  const { kernel } = home.stores;
  // As if it had been sent hours ago.
  const { id } = (await kernel.sessions.ofProcess(INIT))!;
  await kernel.sessions.change(id, { resetPolicy: { mode: "idle", atHour: 4, idleMinutes: -60 } }, 1);
  server.will({ type, body: body({ text: ["## Task\nBoats.\n\n## Remember\n- Sam prefers tea."] }) });
  await home.say("good morning");
  expect(await home.outline(INIT)).toEqual(["user: good morning", "assistant: done"]);
  const [memory] = await home.stores.objects.page("agents/friday/memory/", null, 1);
  const text = await home.stores.objects.read(memory?.key ?? "", { offset: 0, bytesMax: 4096 });
  expect(Buffer.from(text).toString()).toContain("Sam prefers tea.");
});
