// Thirty coding tasks with typical model mistakes, run through the whole loop against a model server on loopback. The bytes of the last
// request of each are in test/golden/tasks; the common beginning of each wire's requests has its own file there. A changed prompt, tool
// text or error shows as a diff in all of them. Line breaks are added for readability. Update: UPDATE_GOLDEN=1 bun test
// ./test/process/tasks.test.ts

import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { INIT, TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { PROJECT, TASKS, type Task, type Turn } from "../support/tasks.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY, type Wire } from "../support/wire-format.ts";
import { WireServer } from "../support/wire-server.ts";

const GOLDEN = join(import.meta.dir, "../golden/tasks");
const scratch = scratchDirectory("tasks");
const work = join(scratch, "project");
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

beforeEach(() => {
  rmSync(work, { recursive: true, force: true });
  for (const [path, content] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
});

/** Everything that differs between machines and runs is replaced by a name. */
function plain(home: TestKernel, text: string): string {
  return text
    .replaceAll(work, "/project")
    .replaceAll(scratch, "/scratch")
    .replaceAll(home.directory, "/gsv")
    .replace(/(?<=changed it at )[-0-9T:.]+Z/g, "INSTANT")
    .replace(/Today is \d{4}-\d\d-\d\d/, "Today is DATE")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID");
}

const OF_WIRE: {
  readonly [wire: string]: { readonly model: string; readonly env: (url: string) => object; readonly style?: string };
} = {
  anthropic: { model: "anthropic/m", env: (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }) },
  "openai chat completions": {
    model: "openai/m",
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
  },
  "openai responses": {
    model: "openai/m",
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
    style: "responses",
  },
  ollama: { model: "ollama/m", env: (url) => ({ OLLAMA_HOST: url }) },
};

/** The last request of a task, unchanged. */
async function lastRequest(wireName: string, task: Task): Promise<string> {
  const wire = WIRES[wireName]!;
  const { model, env, style } = OF_WIRE[wireName]!;
  const turns = task.turns.map((calls) => bodyOf(wire, calls));
  using server = new WireServer(({ path }) =>
    path.endsWith(wire.path)
      ? { type: wire.type, body: turns.shift() ?? wire.body({ text: ["I am done."] }) }
      : { status: 404, type: "application/json", body: "{}" },
  );
  await using home = await TestKernel.boot({
    ...{ cwd: work, realTime: true, realProviders: true },
    env: { ...env(server.url) },
  });
  if (style !== undefined) await home.sys.call("config.set", { key: "ai.providerStyle", value: style });
  await play(home, task, model);
  const asked = server.requests.findLast(({ path }) => path.endsWith(wire.path));
  return plain(home, asked?.body ?? "nobody was asked");
}

function bodyOf({ body }: Wire, calls: Turn): string {
  return body({ calls: calls.map(({ name, args, json }) => ({ name, json: [json ?? JSON.stringify(args)] })) });
}

/** The common beginning of a wire's requests, and the messages: together the whole body, every byte of it. */
function partsOf(body: string): { readonly head: string; readonly said: string } {
  const whole = JSON.parse(body) as { [key: string]: unknown };
  expect(JSON.stringify(whole)).toBe(body);
  const key = "input" in whole ? "input" : "messages";
  const messages = whole[key] as readonly { readonly role?: string }[];
  const own = messages[0]?.role === "system" ? 1 : 0;
  const head = { ...whole, [key]: [...messages.slice(0, own), "what was said"] };
  return { head: folded(JSON.stringify(head)), said: folded(JSON.stringify(messages.slice(own))) };
}

/** Removing the line breaks restores the bytes. */
function folded(json: string): string {
  return `${json.replace(/\\n|(?=\{"(?:role|type)":|\{"name":"[A-Z])/g, (found) => `${found}\n`)}\n`;
}

async function play(home: TestKernel, { asked, answers = [] }: Task, model: string): Promise<void> {
  const decisions = [...answers];
  const { runId } = await home.send(asked, { model });
  for (;;) {
    await home.until("it asks or ends", async () => {
      const { state } = await home.get(INIT);
      return state === "waiting_hil" || home.heard("chat.complete", runId).length > 0;
    });
    if (home.heard("chat.complete", runId).length > 0) return;
    const { approvals } = await home.sys.call<{ approvals: { id: string }[] }>("hil.list", {});
    const decision = decisions.shift() ?? "approve";
    if (approvals[0] !== undefined) await home.sys.call("hil.answer", { id: approvals[0].id, decision });
  }
}

async function needGolden(name: string, text: string): Promise<void> {
  const file = join(GOLDEN, `${name}.txt`);
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, text);
  expect(text).toBe(await Bun.file(file).text());
}

for (const [index, [name, task]] of Object.entries(TASKS).entries()) {
  const hasBroken = task.turns.some((calls) => calls.some(({ json }) => json !== undefined));
  const wires = Object.keys(OF_WIRE).filter((wire) => wire !== "ollama" || !hasBroken);
  const wire = wires[index % wires.length]!;
  test(`the last request of task ${name} is unchanged, to the byte (${wire})`, async () => {
    const { head, said } = partsOf(await lastRequest(wire, task));
    await needGolden(name, said);
    await needGolden(`every-request.${wire.replaceAll(" ", "-")}`, head);
  });
}

test("the common beginning of all requests is unchanged, and the first request is small", async () => {
  await using home = await TestKernel.boot();
  await home.say("hi");
  const first = home.model.requests[0]!;
  const told = `${first.system}\n${first.tools.map(({ name, description, parameters }) => `# ${name}\n${description}${JSON.stringify(parameters, null, 1)}`).join("\n\n")}\n`;
  const file = join(GOLDEN, "tools.txt");
  const dated = told.replace(/Today is \S+/, "Today is DATE");
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, dated);
  expect(dated).toBe(await Bun.file(file).text());
  const { messages, system, tools } = first;
  expect(Buffer.byteLength(JSON.stringify({ messages, system, tools }))).toBeLessThan(12 * 1024);
});
