// Lasting facts of a history are saved with one model call before a reset archives it. The reset is done even if that fails.

import { expect, test } from "bun:test";
import type { UsagePage } from "../../../src/syscalls/system/spending.ts";
import { INIT, TestKernel } from "../../support/kernel.ts";
import { WIRES } from "../../support/wire-bytes.ts";
import { type WireReply, WireServer } from "../../support/wire-server.ts";

const { body, type, error, path } = WIRES["openai chat completions"]!;
const says = (text: string): WireReply => ({ type, body: body({ text: [text], usage: { input: 10, output: 2 } }) });
const SUMMARY = says("## Task\nBoats.\n\n## Remember\n- Sam prefers tea.\n- Reports are due on Fridays.");
const LONG = "lorem ipsum dolor sit amet ".repeat(80);

async function withModel(work: (home: TestKernel, server: WireServer) => Promise<void>): Promise<void> {
  using server = new WireServer((request) => (request.path.endsWith(path) ? says("done") : { status: 404 }));
  const env = { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${server.url}/v1`, GSV_MODEL: "openai/m" };
  await using home = await TestKernel.boot({ realProviders: true, realTime: true, env });
  await work(home, server);
}

async function memoryOf(home: TestKernel): Promise<string> {
  const { objects, kernel } = home.stores;
  const agent = await kernel.accounts.personalAgent(1000);
  const day = new Date(home.clock.now()).toISOString().slice(0, 10);
  const [found] = await objects.page(`agents/${agent?.username}/memory/`, null, 10);
  if (found === undefined) return `none on ${day}`;
  return new TextDecoder().decode(await objects.read(found.key, { offset: 0, bytesMax: 4096 }));
}

const reset = (home: TestKernel) => home.sys.call<{ archivedMessages: number }>("proc.reset", { pid: INIT });

test("a reset saves lasting facts, and their usage belongs to the process", async () => {
  await withModel(async (home, server) => {
    await home.say(LONG);
    server.will(SUMMARY);
    expect(await reset(home)).toMatchObject({ archivedMessages: 2 });
    const text = await memoryOf(home);
    expect(text).toContain(`### Extracted from ${INIT}`);
    expect(text).toContain("- Sam prefers tea.\n- Reports are due on Fridays.\n");
    const { rows } = await home.sys.call<UsagePage>("proc.usage", { by: "process" });
    expect(rows).toMatchObject([{ key: INIT, turns: 2, input: 20, output: 4 }]);
    expect((await home.messages(INIT)).length).toBe(0);
    await home.say("what do I drink?");
    expect(server.requests.at(-1)?.body).toContain("Sam prefers tea.");
  });
});

test("a reset works when the model fails, and asks no model for a short history or with memory off", async () => {
  await withModel(async (home, server) => {
    await home.say("hi");
    const asked = server.requests.length;
    await reset(home);
    await home.say(LONG);
    await home.sys.call("config.set", { key: "compaction.extractMemories", value: "false" });
    await reset(home);
    expect(server.requests.length).toBe(asked + 1);
    await home.sys.call("config.unset", { key: "compaction.extractMemories" });
    await home.say(LONG);
    server.will(error("internal"));
    expect(await reset(home)).toMatchObject({ archivedMessages: 2 });
    expect(server.requests.length).toBe(asked + 3);
    expect(await memoryOf(home)).toContain("none on");
  });
});
