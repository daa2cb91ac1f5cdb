// The figures of /metrics: what they count, that the text is of the format, and that no process, account or text of anybody is in it.

import { afterEach, describe, expect, test } from "bun:test";
import { realClock } from "../../src/lib/clock.ts";
import { Counter, Histogram, valuesText } from "../../src/serve/metrics/meters.ts";
import { Metrics } from "../../src/serve/metrics/metrics.ts";
import { TestKernel } from "../support/kernel.ts";
import { ServedKernel } from "../support/served-kernel.ts";

const FAMILY = { name: "gsv_x", help: "A\\B\nC" };

describe("the text of", () => {
  test("a histogram: buckets add up, and the last one has all", () => {
    const histogram = new Histogram(FAMILY, "call", [0.1, 1]);
    for (const seconds of [0.05, 0.1, 0.5, 7]) histogram.observe('a"\\\n', seconds);
    expect(histogram.text()).toBe(
      [
        "# HELP gsv_x A\\\\B\\nC",
        "# TYPE gsv_x histogram",
        'gsv_x_bucket{le="0.1",call="a\\"\\\\\\n"} 2',
        'gsv_x_bucket{le="1",call="a\\"\\\\\\n"} 3',
        'gsv_x_bucket{le="+Inf",call="a\\"\\\\\\n"} 4',
        'gsv_x_sum{call="a\\"\\\\\\n"} 7.65',
        'gsv_x_count{call="a\\"\\\\\\n"} 4',
        "",
      ].join("\n"),
    );
  });

  test("a counter and a gauge", () => {
    const counter = new Counter(FAMILY, ["route", "status"]);
    counter.add("/a", "200");
    counter.add("/a", "200");
    expect(counter.text()).toContain('gsv_x{route="/a",status="200"} 2\n');
    expect(valuesText(FAMILY, "gauge", [{ value: 3 }])).toContain("# TYPE gsv_x gauge\ngsv_x 3\n");
  });
});

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function measured() {
  const kernel = await TestKernel.boot();
  const metrics = new Metrics(kernel.kernel.figures, { ...realClock, now: () => kernel.clock.now() });
  open.push(
    () => metrics.close(),
    () => kernel[Symbol.asyncDispose](),
  );
  return { kernel, metrics };
}

/** Values by name and labels. */
function values(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

test("figures follow what happens: states, queue, approvals, turns, tokens, calls, writes", async () => {
  const { kernel, metrics } = await measured();
  await metrics.text("1.2.3");
  kernel.model.willNext({ text: "ok", usage: { input: 100, output: 20, costUsd: 0.5 } });
  await kernel.say("hello");
  const pid = await kernel.task();
  kernel.model.will(pid, { hold: true });
  await kernel.send("first", { pid });
  await kernel.holding();
  await kernel.send("second", { pid });
  await kernel.clock.advance(5000);
  await kernel.refusal("proc.get", { pid: "task:zzzzzz" });
  await kernel.refusal("no.such.call", {});
  const found = values(await metrics.text("1.2.3"));
  expect(Object.fromEntries(found)).toMatchObject({
    'gsv_info{version="1.2.3"}': 1,
    'gsv_processes{state="running"}': 1,
    'gsv_processes{state="error"}': 0,
    'gsv_approvals_waiting{kind="question"}': 0,
    gsv_queued_messages: 1,
    gsv_queue_age_seconds: 5,
    gsv_turns_total: 1,
    'gsv_tokens_total{kind="input"}': 100,
    gsv_cost_usd_total: 0.5,
    'gsv_call_seconds_count{call="proc.send"}': 3,
    'gsv_call_failures_total{call="proc.get",code="ESRCH"}': 1,
    'gsv_call_failures_total{call="unknown",code="ENOSYS"}': 1,
  });
  expect(found.get('gsv_store_write_seconds_count{durability="full"}')).toBeGreaterThan(0);
  kernel.model.release();
});

test("approvals that wait are counted by kind, with the age of the oldest", async () => {
  const { kernel, metrics } = await measured();
  const pid = await kernel.task();
  kernel.model.will(pid, { calls: [{ name: "Delete", args: { path: "~/notes.md", target: "gsv" } }] });
  await kernel.send("tidy up", { pid });
  await kernel.inState(pid, "waiting_hil");
  await kernel.clock.advance(7000);
  const found = values(await metrics.text("1"));
  expect(found.get('gsv_approvals_waiting{kind="approval"}')).toBe(1);
  expect(found.get("gsv_approval_age_seconds")).toBe(7);
});

test("no pid, account, label or text is in it, and each line is of the format", async () => {
  const { kernel, metrics } = await measured();
  await metrics.text("1");
  const pid = await kernel.task({ label: "secret-label", prompt: "secret-text" });
  await kernel.inState(pid, "idle");
  metrics.answered("/api/call/:name", 200);
  metrics.answered(null, 404);
  const text = await metrics.text("1");
  expect(text).not.toMatch(/secret|init:|task:|sam|gsv_user_/);
  const label = '[a-z_]+="(?:[^"\\\\\\n]|\\\\.)*"';
  for (const line of text.trimEnd().split("\n"))
    expect(line).toMatch(new RegExp(`^# (?:HELP|TYPE) |^[a-z_]+(?:\\{${label}(?:,${label})*\\})? [0-9.e+-]+$`));
});

test("only a token of its kind opens /metrics, and opens nothing else", async () => {
  const served = await ServedKernel.boot();
  const get = async (path: string, token: string) =>
    await served.request("GET", path, undefined, { authorization: `Bearer ${token}` });
  const { token } = await served.kernel.sys.call<{ token: string }>("sys.token.create", { kind: "metrics" });
  const response = await get("/metrics", token);
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  expect((await get("/metrics", served.token)).status).toBe(403);
  expect((await get("/api/health", token)).status).toBe(403);
  expect((await fetch(`${served.listener.url}/metrics`)).status).toBe(401);
  const found = values(await (await get("/metrics", token)).text());
  expect(found.get('gsv_http_requests_total{route="/metrics",status="403"}')).toBe(1);
  expect(found.get('gsv_entries_rejected_total{status="401"}')).toBe(1);
});

test("figures are of the whole home: another person may not make such a token", async () => {
  const { kernel } = await measured();
  const { uid } = await kernel.person(0).call<{ uid: number }>("account.create", { username: "eve" });
  expect(await kernel.refusal("sys.token.create", { kind: "metrics" }, kernel.person(uid))).toMatchObject({
    code: "EPERM",
  });
});

test("nothing is collected before the first request, nor after the listener closed", async () => {
  const { kernel, metrics } = await measured();
  metrics.answered("/healthz", 200);
  await kernel.say("hello");
  const first = values(await metrics.text("1"));
  expect([...first.keys()].filter((name) => /^gsv_(?:call|http)/.test(name))).toEqual([]);
  expect(first.get("gsv_turns_total")).toBe(0);
  await kernel.say("hello");
  expect(values(await metrics.text("1")).get("gsv_turns_total")).toBe(1);
});
