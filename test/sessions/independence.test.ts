// Sessions do not affect each other: no end of a run, approval or kill reaches another session. Judged by the bytes of the model request
// for the owner's own conversation.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DM_SCOPES } from "../../src/abi/process/session.ts";
import type { Spawned } from "../../src/syscalls/services.ts";
import type { SessionAddress } from "../../src/syscalls/session/session-service.ts";
import { runs } from "../support/io.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { KernelIo } from "../support/kernel-io.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY, type Spoken } from "../support/wire-format.ts";
import { type WireReply, type WireRequest, WireServer } from "../support/wire-server.ts";

const CHAT = WIRES["openai chat completions"]!;
const says = (spoken: Spoken): WireReply => ({ type: CHAT.type, body: CHAT.body(spoken) });
const DELETE = { name: "Delete", json: ['{"path":"~/secret-plan.md"}'] };

/** The model repeats the last message; it deletes a file, spawns a process or fails when a message asks for it. */
function answer({ json }: WireRequest): WireReply {
  const { role, content } = (json.messages as { role: string; content: unknown }[]).at(-1)!;
  const said = typeof content === "string" ? content : JSON.stringify(content);
  if (role !== "user") return says({ text: ["done"] });
  if (said.includes("delete")) return says({ calls: [DELETE] });
  if (said.includes("fail"))
    return { status: 400, type: "application/json", body: `{"error":{"message":"no ${said}"}}` };
  return says({ text: [`heard: ${said}`] });
}

const server = new WireServer(answer);
afterAll(() => server.stop());

let home: TestKernel;
beforeAll(async () => {
  const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${server.url}/v1`, GSV_MODEL: "openai/m" };
  home = await TestKernel.boot({ realProviders: true, realTime: true, env });
});
afterAll(() => home[Symbol.asyncDispose]());

/** The whole request for the next message to the owner's own process. */
async function askedByMain(): Promise<string> {
  const { runId } = await home.send("and now?");
  await home.ended(runId);
  return server.requests.findLast(({ body }) => body.includes("and now?"))!.body;
}

async function chat(key: string, message: string): Promise<string> {
  const io = new KernelIo(home.sys);
  await runs(io, "chat", "--session", key, message);
  return io.stderr.text;
}

const open = (key: string) => home.sys.call<SessionAddress & { readonly pid: string }>("session.open", { key });

const KEYS = [
  "agent:main:cli:dm:alice",
  "agent:main:telegram:dm:alice",
  "agent:main:telegram:bot:dm:alice",
  "agent:main:whatsapp:+49170:dm:alice",
];

test("a key names its own session if session.dmScope is not set", async () => {
  for (const key of KEYS) {
    await chat(key, "cardamom");
    expect((await open(key)).key).toBe(key);
  }
  const bytes = await askedByMain();
  expect([bytes.includes("cardamom"), bytes.includes("[event]")]).toEqual([false, false]);
});

describe.each(DM_SCOPES)("session.dmScope %s", (scope) => {
  beforeAll(async () => {
    await home.sys.call("config.set", { key: "session.dmScope", value: scope });
  });

  test.each(KEYS)("a message to %s", async (key) => {
    const secret = `nutmeg-${scope}-${key.replaceAll(":", "-")}`;
    const told = await chat(key, secret);
    const { pid } = await open(key);
    const bytes = await askedByMain();
    // With the scope main, a sender in another channel writes to the owner's conversation, and a name on the terminal has its own.
    const isShared = scope === "main" && !key.includes(":cli:");
    expect([pid === INIT, bytes.includes(secret)]).toEqual([isShared, isShared]);
    expect(bytes).not.toContain("[event]");
    const { key: used } = await open(key);
    expect(told).toBe(used === key ? "" : `gsv: ${key} writes in ${used} (session.dmScope)\n`);
  });

  test("the route of a sender and chat --session agree", async () => {
    for (const key of KEYS.slice(1)) {
      const [, , channel, ...rest] = key.split(":");
      const account = rest.length === 3 ? { account: rest[0] } : {};
      const routed = await home.sys.call<SessionAddress>("session.route", { channel, ...account, peer: "alice" });
      expect((await open(key)).key).toBe(routed.key);
    }
  });
});

describe("a separate session", () => {
  const KEY_OF_BOB = "agent:main:cli:dm:bob";

  test.each([
    ["a run that failed", "fail saffron-1"],
    ["a run that waits for approval", "delete saffron-2"],
  ])("%s", async (_, message) => {
    const { pid } = await open(KEY_OF_BOB);
    await home.sys.call("proc.send", { pid, message });
    await home.until("the run is over or waits", async () =>
      ["idle", "waiting_hil"].includes((await home.get(pid)).state),
    );
    const bytes = await askedByMain();
    expect([bytes.includes("saffron"), bytes.includes("secret-plan"), bytes.includes("[event]")]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("children of its process, also after a kill of the session, and its fork", async () => {
    const { pid } = await open(KEY_OF_BOB);
    const inside = await home.insideOf(pid);
    const elsewhere = await inside.call<Spawned>("proc.spawn", {
      parent: INIT,
      label: "saffron-3",
      prompt: "saffron-4",
    });
    const child = await inside.call<Spawned>("proc.spawn", { label: "saffron-5" });
    const { pid: fork } = await home.sys.call<Spawned>("proc.fork", { pid });
    await home.sys.call("proc.kill", { pid });
    for (const each of [child.pid, fork]) {
      const { runId } = await home.send("saffron-6", { pid: each });
      await home.ended(runId);
    }
    await home.wait(elsewhere.pid);
    const bytes = await askedByMain();
    expect([bytes.includes("saffron"), bytes.includes("[event]")]).toEqual([false, false]);
  });

  test("a task of your own process still reports its end", async () => {
    const { runId, pid } = await home.spawn({ label: "cumin", prompt: "hello" });
    await home.ended(runId!);
    expect(await askedByMain()).toContain(`[event] Process ${pid} (cumin) ended: ok: heard: hello`);
  });
});
