// Idempotency-Key over a real socket: what runs once, what is refused, and which answer says that it is an earlier one. Also after kill -9.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { TestHome } from "../support/home.ts";
import { servedHome } from "../support/served-home.ts";
import { ServedKernel } from "../support/served-kernel.ts";

interface Answer {
  readonly status: number;
  readonly isReplay: boolean;
  readonly body: { readonly [name: string]: unknown };
}

async function answerOf(asked: Promise<Response>): Promise<Answer> {
  const response = await asked;
  const isReplay = response.headers.get("idempotent-replayed") === "true";
  return { status: response.status, isReplay, body: (await response.json()) as Answer["body"] };
}

test.each([
  ["config.set", { key: "ai.maxTokens", value: "1000" }, { key: "ai.maxTokens", value: "2000" }],
  ["proc.spawn", { label: "a" }, { label: "b" }],
  ["proc.send", { message: "hello" }, { message: "good bye" }],
  ["proc.reset", {}, null],
])("%s: a repeated key is answered from the store, and refused with other content", async (name, args, other) => {
  const served = await ServedKernel.boot();
  const post = (body: object) =>
    answerOf(served.request("POST", `/api/call/${name}`, body, { "idempotency-key": `"${name}-1"` }));
  const first = await post(args);
  const again = await post(args);
  expect([first.status, first.isReplay]).toEqual([200, false]);
  expect([again.status, again.isReplay]).toEqual([200, true]);
  if (name !== "proc.send") expect(again.body).toEqual(first.body);
  expect(again.body.runId).toBe(first.body.runId);
  if (other !== null)
    expect(await post(other)).toMatchObject({ status: 422, body: { code: "ECONFLICT", status: 422 } });
  expect(served.kernel.faults).toEqual([]);
});

test("while the first request runs, a second with its key gets 409 and does not wait", async () => {
  const served = await ServedKernel.boot();
  const run = () =>
    answerOf(served.request("POST", "/api/call/shell.exec", { command: "sleep 60" }, { "idempotency-key": "r-1" }));
  const first = run();
  const running = async () =>
    (await served.kernel.sys.call<{ shells: readonly { id: string }[] }>("shell.list", {})).shells;
  await served.kernel.until("it runs", async () => (await running()).length > 0);
  const second = await run();
  expect(second).toMatchObject({ status: 409, body: { code: "EBUSY" } });
  await served.kernel.sys.call("shell.stop", { id: (await running())[0]?.id });
  expect((await first).status).toBe(200);
});

test.each(["", "a b", "ä", "x".repeat(129), "a,b"])("the key %p is refused", async (key) => {
  const served = await ServedKernel.boot();
  const headers = { "idempotency-key": encodeURI(key) };
  const { status } = await served.request("POST", "/api/call/proc.spawn", { label: "a" }, headers);
  expect(status).toBe(400);
});

const home = new TestHome();
let url = "";
let token = "";

beforeAll(async () => {
  ({ url, token } = await servedHome(home));
});
afterAll(() => home.dispose());

test("after kill -9 a repeated request finds what the first one did", async () => {
  const post = (name: string, body: object, key: string) =>
    answerOf(
      fetch(`${url}/api/call/${name}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
        body: JSON.stringify(body),
      }),
    );
  const spawned = await post("proc.spawn", { label: "once" }, "spawn-1");
  const set = await post("config.set", { key: "ai.maxTokens", value: "1000" }, "set-1");
  await home.kill();
  await home.gsv(["kernel", "start"]);
  // The next kernel opens the port after it answers on its socket.
  while ((await fetch(`${url}/readyz`).catch(() => null))?.status !== 200) await Bun.sleep(5);
  expect(await post("proc.spawn", { label: "once" }, "spawn-1")).toEqual({ ...spawned, isReplay: true });
  expect(await post("config.set", { key: "ai.maxTokens", value: "1000" }, "set-1")).toEqual({ ...set, isReplay: true });
  expect((await post("proc.spawn", { label: "twice" }, "spawn-1")).status).toBe(422);
  const { body } = await post("proc.list", {}, "list-1");
  expect((body.processes as readonly { label: string }[]).filter(({ label }) => label === "once").length).toBe(1);
});
