// The signals of a run and their order: each one follows its commit.

import { expect, test } from "bun:test";
import { INIT, TestKernel } from "../support/kernel.ts";

test("a run sends start, text, tool call, tool result and end in order, and its end exactly once", async () => {
  await using home = await TestKernel.boot();
  home.model.will(
    INIT,
    { text: "Let me look.", thinking: "hm", calls: [{ name: "Read", args: { path: "/proc/version" } }] },
    { text: "It is gsv." },
  );
  const { runId } = await home.send("which version?");
  const end = await home.ended(runId);
  await home.quiet();

  const names = home.signals.filter((signal) => "run" in signal && signal.run === runId).map((signal) => signal.name);
  expect(names.filter((name) => name !== "chat.delta")).toEqual([
    "chat.start",
    "chat.text",
    "chat.tool_call",
    "chat.tool_result",
    "chat.text",
    "chat.complete",
  ]);
  expect(end).toMatchObject({
    status: "ok",
    reason: "turn.complete",
    text: "It is gsv.",
    error: null,
    mergedInto: null,
  });
});

test("the subject of a signal can be read from history at once", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "one", calls: [{ name: "Read", args: { path: "/proc/version" } }] }, { text: "two" });
  const found: (string | undefined)[] = [];
  home.sys.on({ names: ["chat.text", "chat.tool_result"] }, (signal) => {
    const seq = "seq" in signal ? signal.seq : 0;
    void home.stores.processes.history(INIT, { limit: 1, afterSeq: seq - 1 }).then(({ messages }) => {
      found.push(messages[0]?.role);
    });
  });
  await home.say("hello");
  await home.quiet();
  expect(found).toEqual(["assistant", "toolResult", "assistant"]);
});

test("the end of a run is signalled when its finish is stored and the process is idle", async () => {
  await using home = await TestKernel.boot();
  let stateThen: string | undefined;
  home.sys.on({ names: ["chat.complete"] }, () => {
    void home.stores.processes.projection(INIT).then(({ state }) => {
      stateThen = state;
    });
  });
  const { run } = await home.say("hello");
  await home.quiet();
  expect(stateThen).toBe("idle");
  expect(await home.stores.processes.runEnd(INIT, run)).toMatchObject({ status: "ok", text: "done" });
});
