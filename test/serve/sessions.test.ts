// The routes of sessions, escalations and health on a real port, in front of a kernel.

import { expect, test } from "bun:test";
import type { PlannedAnswer } from "../support/answers.ts";
import { ServedKernel } from "../support/served-kernel.ts";

interface Session {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly pid: string;
  readonly projectId: string | null;
  readonly initialPrompt: string;
}

const NO_ID = "00000000-0000-4000-8000-000000000000";

async function withSession(
  body: object,
  ...answers: readonly PlannedAnswer[]
): Promise<{ readonly served: ServedKernel; readonly made: Session; readonly at: string }> {
  const served = await ServedKernel.boot();
  for (const answer of answers) served.kernel.model.willNext(answer);
  const [status, made] = await served.json<Session>("POST", "/api/sessions", body);
  expect(status).toBe(201);
  return { served, made, at: `/api/sessions/${made.id}` };
}

test("a session is created, renamed, listed by project and deleted", async () => {
  const { served, made, at } = await withSession({ name: "audit" });
  expect(made).toMatchObject({ name: "audit", status: "idle", projectId: null, source: "web", totalTurns: 0 });
  expect(await served.json("PUT", at, { name: "audit 2" })).toMatchObject([200, { id: made.id, name: "audit 2" }]);
  const [, listed] = await served.json<readonly Session[]>("GET", "/api/sessions");
  expect(listed.map(({ id }) => id)).toContain(made.id);
  expect(await served.json("GET", "/api/sessions?projectId=none")).toEqual([200, []]);
  expect(await served.json("DELETE", at)).toMatchObject([200, { ok: true }]);
  expect((await served.request("GET", at)).status).toBe(404);
  expect(await served.kernel.refusal("proc.get", { pid: made.pid })).toMatchObject({ code: "ESRCH" });
});

test("a first message starts it, however long it is, and its answer is among the messages", async () => {
  const initialPrompt = `Look at this: ${"x".repeat(2000)}`;
  const { served, made, at } = await withSession({ initialPrompt }, { text: "fine" });
  expect(made.initialPrompt).toBe(initialPrompt);
  await served.kernel.inState(made.pid, "idle");
  const [, messages] = await served.json<readonly { id: number }[]>("GET", `${at}/messages`);
  expect(messages).toMatchObject([
    { role: "user", content: initialPrompt, sessionId: made.id },
    { role: "assistant", content: "fine" },
  ]);
  const [, rest] = await served.json("GET", `${at}/messages?after=${messages[0]!.id}&limit=1`);
  expect(rest).toMatchObject([{ content: "fine" }]);
  expect(await served.json("GET", at)).toMatchObject([200, { totalTurns: 1 }]);
});

test("a running session takes messages, stops, and continues", async () => {
  const { served, made, at } = await withSession({ initialPrompt: "hello" }, { hold: true });
  await served.kernel.holding();
  expect(await served.json("POST", `${at}/messages`, { content: "and this" })).toMatchObject([200, { ok: true }]);
  expect(await served.json("POST", `${at}/stop`)).toEqual([200, { ok: true, stopped: true }]);
  expect(await served.json("GET", at)).toMatchObject([200, { status: "stopped" }]);
  expect(await served.json("POST", `${at}/stop`)).toEqual([200, { ok: true, stopped: false }]);
  expect(await served.json("POST", `${at}/resume`, { prompt: "go on" })).toMatchObject([200, { ok: true }]);
  await served.kernel.inState(made.pid, "idle");
  expect((await served.kernel.outline(made.pid)).filter((line) => line.startsWith("user"))).toContain("user: go on");
});

test.each([
  ["GET", "", undefined],
  ["PUT", "", { name: "x" }],
  ["DELETE", "", undefined],
  ["GET", "/messages", undefined],
  ["POST", "/messages", { content: "x" }],
  ["POST", "/start", {}],
  ["POST", "/resume", {}],
  ["POST", "/stop", undefined],
])("%s …/:id%s of a session that does not exist makes none", async (method, rest, body) => {
  const served = await ServedKernel.boot();
  const [, before] = await served.json<readonly Session[]>("GET", "/api/sessions");
  expect(await served.json(method, `/api/sessions/${NO_ID}${rest}`, body)).toMatchObject([404, { code: "ENOENT" }]);
  expect((await served.json<readonly Session[]>("GET", "/api/sessions"))[1].length).toBe(before.length);
});

test("the session of another account reads as absent, and nothing of it changes", async () => {
  const { served, made, at } = await withSession({ name: "mine" });
  const root = served.kernel.person(0);
  const { uid } = await root.call<{ uid: number }>("account.create", { username: "eve" });
  const { token } = await served.kernel.person(uid).call<{ token: string }>("sys.token.create", {});
  const authorization = `Bearer ${token}`;
  for (const [method, path, body] of [
    ["GET", at, undefined],
    ["DELETE", at, undefined],
    ["POST", `${at}/messages`, { content: "x" }],
    ["POST", `${at}/stop`, undefined],
  ] as const)
    expect((await served.request(method, path, body, { authorization })).status).toBe(404);
  expect(await served.json("GET", at)).toMatchObject([200, { id: made.id, name: "mine" }]);
});

test.each([
  ["POST", "/api/sessions", { name: 5 }],
  ["POST", "/api/sessions", { initialPrompt: {} }],
  ["PUT", `/api/sessions/${NO_ID}`, { status: "running" }],
  ["PUT", `/api/sessions/${NO_ID}`, {}],
  ["POST", `/api/sessions/${NO_ID}/messages`, {}],
  ["GET", `/api/sessions/${NO_ID}/messages?limit=x`, undefined],
  ["GET", `/api/sessions/${NO_ID}/messages?limit=501`, undefined],
  ["POST", "/api/escalation-queue/k3x9/resolve", { approved: "yes" }],
])("%s %s with %p is refused", async (method, path, body) => {
  const served = await ServedKernel.boot();
  expect(await served.json(method, path, body)).toMatchObject([400, { code: "EINVAL", status: 400 }]);
});

test("a repeated key creates one session, and the second answer says so", async () => {
  const served = await ServedKernel.boot();
  const create = (name: string) => served.request("POST", "/api/sessions", { name }, { "idempotency-key": "s-1" });
  const [first, again, other] = [await create("a"), await create("a"), await create("b")];
  expect(((await again.json()) as Session).id).toBe(((await first.json()) as Session).id);
  expect([first, again].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([null, "true"]);
  expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([422, "ECONFLICT"]);
});

test("the escalation queue shows pending approvals, and resolves one once", async () => {
  const call = { name: "Delete", args: { path: "~/notes.md", target: "gsv" } };
  const { served, made } = await withSession({ initialPrompt: "tidy up" }, { calls: [call] });
  await served.kernel.inState(made.pid, "waiting_hil");
  const [, queue] = await served.json<readonly { id: string; sessionId: string; hash: string }[]>(
    "GET",
    "/api/escalation-queue",
  );
  expect(queue).toMatchObject([{ sessionId: made.id, toolName: "Delete", toolInput: call.args, status: "pending" }]);
  const { id, hash } = queue[0]!;
  const resolve = (body: object) => served.json("POST", `/api/escalation-queue/${id}/resolve`, body);
  expect(await resolve({ approved: true, hash: "0".repeat(64) })).toMatchObject([409, { code: "ECONFLICT" }]);
  expect(await resolve({ approved: false, message: "keep it", hash })).toEqual([200, { ok: true }]);
  await served.kernel.inState(made.pid, "idle");
  expect(await served.json("GET", "/api/escalation-queue")).toEqual([200, []]);
  expect((await resolve({ approved: true }))[0]).toBe(409);
});

test("health names the version and the work", async () => {
  const served = await ServedKernel.boot();
  expect(await served.json("GET", "/api/health")).toMatchObject([200, { status: "ok", working: 0 }]);
  const response = await served.request("GET", "/api/health", undefined, { authorization: "Bearer none" });
  expect(response.status).toBe(401);
});
