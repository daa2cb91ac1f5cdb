// Growing histories: compaction before a model call, after a provider reports an overflow, and on demand.

import { expect, test } from "bun:test";
import type { Signal } from "../../../src/abi/signal.ts";
import type { CompactResult, PolicyView } from "../../../src/syscalls/proc/history-service.ts";
import type { PlannedAnswer } from "../../support/answers.ts";
import { INIT, TestKernel } from "../../support/kernel.ts";
import { typed } from "../../support/kernel-io.ts";

const LONG = "lorem ipsum dolor sit amet ".repeat(150);
const SUMMARY: PlannedAnswer = { text: "## Task\nCount the boats.\n\n## State\nThree counted." };

function compact(home: TestKernel, args: object = {}): Promise<CompactResult> {
  return home.sys.call("proc.compact", { pid: INIT, ...args });
}

async function small(home: TestKernel, windowTokens = 20_000): Promise<void> {
  await home.sys.call("config.set", { key: "ai.contextWindowTokens", value: String(windowTokens) });
}

async function talk(home: TestKernel, times: number, text = "and on"): Promise<void> {
  for (let time = 1; time <= times; time++) await home.say(`${text} ${time}`);
}

function told(home: TestKernel): string[] {
  const request = home.model.asked(INIT).at(-1);
  return (request?.messages ?? []).map(({ role, content }) => {
    const text = typeof content === "string" ? content : "text" in content ? content.text : content.output;
    return `${role}: ${text.slice(0, 24)}`;
  });
}

function compacted(home: TestKernel) {
  return home.signals.filter(
    (signal): signal is Extract<Signal, { name: "chat.compacted" | "process.compacted" }> =>
      signal.name === "chat.compacted" || signal.name === "process.compacted",
  );
}

test("compaction on demand keeps the newest messages, and the next run gets a summary of the rest", async () => {
  await using home = await TestKernel.boot();
  await talk(home, 4);
  home.model.will(INIT, SUMMARY);
  const done = await compact(home, { keep: 3 });
  expect(done).toMatchObject({ did: "compacted", trimmed: 5, kept: 3, fromSeq: 1, toSeq: 5, model: "offline" });
  expect(done.archivedTo).toBe(`/proc/${INIT}/segments/1-5`);
  await home.say("where were we?");
  expect(told(home)).toEqual([
    "system: [compacted] Messages up ",
    "assistant: done",
    "user: and on 4",
    "assistant: done",
    "user: where were we?",
  ]);
  expect(JSON.stringify(home.model.asked(INIT).at(-1)?.messages)).toContain("Count the boats");
  expect(compacted(home)).toHaveLength(1);
});

test("all messages stay readable: in history, and word for word under /proc", async () => {
  await using home = await TestKernel.boot();
  await talk(home, 3);
  const before = await home.messages(INIT);
  home.model.will(INIT, SUMMARY);
  const { archivedTo } = await compact(home, { keep: 2 });
  expect((await home.messages(INIT)).slice(0, 6)).toEqual([...before]);
  const { content } = await home.sys.call<{ content: string }>("fs.read", { path: archivedTo });
  const lines = content
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  const listed = await home.sys.call<{ files: string[] }>("fs.read", { path: `/proc/${INIT}/segments` });
  expect(listed.files).toEqual(["1-4"]);
});

test("a preview calls no model and changes nothing", async () => {
  await using home = await TestKernel.boot();
  await talk(home, 3);
  const asked = home.model.requests.length;
  const preview = await compact(home, { keep: 2, preview: true });
  expect(preview).toMatchObject({ did: "preview", trimmed: 4, kept: 2, archivedTo: null });
  expect(preview.asked.map(({ text }) => text)).toEqual(["and on 1", "and on 2"]);
  expect(home.model.requests).toHaveLength(asked);
  expect(await home.messages(INIT)).toHaveLength(6);
});

test("an undo restores the removed messages, until the next message", async () => {
  await using home = await TestKernel.boot();
  await talk(home, 3);
  home.model.will(INIT, SUMMARY, { text: "before" });
  await compact(home, { keep: 1 });
  expect(await compact(home, { undo: true })).toMatchObject({ did: "undone", fromSeq: 1, toSeq: 5 });
  await home.say("again");
  expect(told(home)).toHaveLength(7);
  home.model.will(INIT, SUMMARY);
  await compact(home, { keep: 1 });
  await home.say("too late");
  const late = await home.refusal("proc.compact", { pid: INIT, undo: true });
  expect(late.message).toContain("too late to undo");
});

test("a failed model leaves a notice instead of a summary, with the last request", async () => {
  await using home = await TestKernel.boot();
  await talk(home, 3, "count the boats");
  home.model.will(INIT, { error: { class: "outage", message: "the server is down" } });
  expect(await compact(home, { keep: 2 })).toMatchObject({ did: "compacted", model: null, trimmed: 4 });
  const summary = (await home.messages(INIT)).at(-1)?.content as string;
  expect(summary).toContain("No summary could be written: the server is down");
  expect(summary).toContain("- [1] count the boats 1");
});

test("a history that is too long is compacted before the model call, and the run continues", async () => {
  await using home = await TestKernel.boot();
  await small(home);
  for (let time = 0; time < 8; time++) {
    if (time > 0) home.model.will(INIT, { text: `so ${time}` });
    if (compacted(home).length > 0) break;
    home.model.will(INIT, SUMMARY, { text: "after" });
    const { status } = await home.say(`${time} ${LONG}`);
    expect(status).toBe("ok");
  }
  const [signal] = compacted(home);
  expect(signal).toMatchObject({ name: "chat.compacted", cause: "pressure", model: "offline" });
  expect(signal!.tokensAfter).toBeLessThan(signal!.tokensBefore);
  expect(told(home)[0]).toStartWith("system: [compacted]");
});

test("the provider's count decides, not the estimate", async () => {
  await using home = await TestKernel.boot();
  await small(home);
  home.model.will(INIT, { text: "one", usage: { input: 2000, cacheRead: 9000 } }, SUMMARY, { text: "two" });
  await home.say(`first ${LONG}`);
  expect(compacted(home)).toHaveLength(0);
  await home.say("second");
  expect(compacted(home)).toMatchObject([{ cause: "pressure", fromSeq: 1 }]);
  expect(compacted(home)[0]?.tokensBefore).toBeGreaterThanOrEqual(11_000);
});

test("gsv compacts once after a provider reports an overflow, and retries", async () => {
  await using home = await TestKernel.boot();
  const overflow = { error: { class: "overflow", message: "too many tokens" } } as const;
  await talk(home, 3);
  home.model.will(INIT, overflow, SUMMARY, { text: "it fits now" });
  expect(await home.say("more")).toMatchObject({ status: "ok", text: "it fits now" });
  expect(compacted(home)).toMatchObject([{ cause: "overflow" }]);
  home.model.will(INIT, overflow, SUMMARY, overflow);
  expect(await home.say("and more")).toMatchObject({ status: "limit", reason: "model.overflow" });
  expect(compacted(home)).toHaveLength(2);
});

test("a request that is mostly not history causes no compaction", async () => {
  await using home = await TestKernel.boot();
  await small(home, 2048);
  await talk(home, 4);
  expect(compacted(home)).toHaveLength(0);
});

test('the policy "fail" ends the run with advice, and manual leaves it to the provider', async () => {
  await using home = await TestKernel.boot();
  await small(home);
  await home.sys.call("proc.history.policy", { pid: INIT, overflow: "fail", pressure: "5%" });
  home.model.will(INIT, { text: "never said" });
  const ended = await home.say(LONG);
  expect(ended).toMatchObject({ status: "limit", reason: "model.overflow" });
  expect(ended.error).toContain(`gsv compact ${INIT}`);
  await home.sys.call("proc.history.policy", { pid: INIT, overflow: "manual" });
  expect(await home.say("now")).toMatchObject({ status: "ok" });
  expect(compacted(home)).toHaveLength(0);
});

/** The rows of gsv history policy. */
async function shownPolicy(home: TestKernel): Promise<ReadonlyMap<string, string>> {
  const [status, text] = await typed(home.sys, "history", "policy", INIT);
  expect(status).toBe(0);
  return new Map(
    text
      .trimEnd()
      .split("\n")
      .map((line) => [line.slice(0, 12).trim(), line.slice(12)]),
  );
}

test("the settings override the policy, and can turn it off", async () => {
  await using home = await TestKernel.boot();
  await small(home);
  await talk(home, 2);
  const view = () => home.sys.call<PolicyView>("proc.history.policy", { pid: INIT });
  const usual = await view();
  expect(usual).toMatchObject({ isSet: false, policy: { overflow: "auto-compact", keepLast: 80 } });
  expect((await shownPolicy(home)).get("keeps")).toMatch(/^80 messages, at most [0-9,]+ tokens$/);
  expect((await shownPolicy(home)).get("pressure")).toBe("90 %");
  await home.sys.call("config.set", { key: "compaction.reserveTokens", value: "9000" });
  // Capped at a quarter of the window.
  expect((await view()).context.compactsAtTokens).toBe(Math.min(usual.context.availableTokens, 15_000));
  await home.sys.call("config.set", { key: "compaction.keepRecentTokens", value: "1234" });
  await home.sys.call("config.set", { key: "compaction.enabled", value: "false" });
  for (const [name, shown] of [
    ["overflow", "manual (compaction.enabled)"],
    ["pressure", "100 % (compaction.reserveTokens)"],
    ["keeps", "1,234 tokens (compaction.keepRecentTokens)"],
    ["full at", `${(await view()).context.compactsAtTokens.toLocaleString("en-US")} tokens`],
  ] as const)
    expect((await shownPolicy(home)).get(name)).toBe(shown);
  home.model.will(INIT, { error: { class: "overflow", message: "too many tokens" } });
  expect(await home.say("more")).toMatchObject({ status: "limit" });
  expect(compacted(home)).toHaveLength(0);
});

test("lasting facts are added to the day's memory, and only while memory is on", async () => {
  await using home = await TestKernel.boot();
  await talk(home, 2);
  const lasting = {
    text: "## Task\nBoats.\n\n## Remember\n- Sam prefers tea.\n- Sam prefers tea.\n- Reports are due on Fridays.",
  };
  home.model.will(INIT, lasting);
  await compact(home, { keep: 1 });
  const day = new Date(home.clock.now()).toISOString().slice(0, 10);
  const { objects, kernel } = home.stores;
  const agent = await kernel.accounts.personalAgent(1000);
  const key = `agents/${agent?.username}/memory/${day}.md`;
  const text = new TextDecoder().decode(await objects.read(key, { offset: 0, bytesMax: 4096 }));
  expect(text).toContain(`### Extracted from ${INIT}`);
  expect(text.match(/^- /gm)).toHaveLength(2);
  expect((await home.messages(INIT)).at(-1)?.content).not.toContain("## Remember");
  const asked = home.model.asked(INIT).at(-1);
  expect(asked?.system).toContain("## Remember");
  await home.sys.call("config.set", { key: "compaction.extractMemories", value: "false" });
  await talk(home, 1);
  home.model.will(INIT, { text: "## Task\nBoats.\n\n## Remember\n- Sam likes rain." });
  await compact(home, { keep: 1 });
  expect(home.model.asked(INIT).at(-1)?.system).not.toContain("## Remember");
});

test("a history can be compacted during a model call, and the run continues with it", async () => {
  await using home = await TestKernel.boot();
  await talk(home, 3);
  const calls = [{ id: "c", name: "Read", args: { path: "/proc/version" } }];
  home.model.will(INIT, { text: "I look.", calls, hold: true });
  const { runId } = await home.send("which version?");
  await home.holding();
  home.model.will(INIT, SUMMARY, { text: "this one" });
  expect(await compact(home, { keep: 2 })).toMatchObject({ did: "compacted", trimmed: 5, kept: 2 });
  expect(await home.refusal("proc.compact", { pid: INIT, undo: true })).toMatchObject({ code: "ECONFLICT" });
  home.model.release();
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "this one" });
  expect(told(home).map((line) => line.split(":")[0])).toEqual([
    "system",
    "assistant",
    "user",
    "assistant",
    "toolResult",
  ]);
});

test("an abort during the summary leaves the history unchanged", async () => {
  await using home = await TestKernel.boot();
  await talk(home, 3);
  const overflow = { error: { class: "overflow", message: "too many tokens" } } as const;
  home.model.will(INIT, overflow, { ...SUMMARY, hold: true });
  const { runId } = await home.send("more");
  await home.holding();
  expect(home.heard("chat.compacting", runId)).toMatchObject([{ cause: "overflow" }]);
  await home.sys.call("proc.abort", { pid: INIT });
  expect(await home.ended(runId)).toMatchObject({ status: "aborted" });
  await home.quiet();
  expect(compacted(home)).toHaveLength(0);
  await home.say("on");
  expect(told(home)).toHaveLength(8);
});

test("two parallel compactions run one after the other: the second finds nothing to do", async () => {
  await using home = await TestKernel.boot();
  await talk(home, 3);
  home.model.will(INIT, SUMMARY);
  const both = await Promise.all([compact(home, { keep: 2 }), compact(home, { keep: 2 })]);
  expect(both.map(({ did }) => did).sort()).toEqual(["compacted", "nothing"]);
  expect(home.model.requests).toHaveLength(4);
});
