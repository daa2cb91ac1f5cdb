// A plan as a card: the person goes on in one of two modes, or sends it back. The dock shows the mode.

import { expect, test } from "bun:test";
import type { Signal, SignalOf } from "../../src/abi/signal.ts";
import { answering, READ_MS } from "../support/cards.ts";
import { said } from "../support/chat.ts";
import { Played } from "../support/played.ts";
import { PLAN } from "../support/scene-talk.ts";

async function shown(): Promise<Played> {
  const shell = await answering();
  await shell.play(said.hil(PLAN));
  await shell.settle(READ_MS);
  return shell;
}

test.each([
  ["y", { decision: "approve", mode: "accept-edits" }],
  ["a", { decision: "approve", mode: "ask" }],
  ["n", { decision: "deny" }],
])("the key %s answers a plan", async (key, answer) => {
  const shell = await shown();
  await shell.type(key);
  await shell.settle(READ_MS);
  expect(shell.io.fakeSys.asked("hil.answer")).toEqual([{ id: "p1n4", ...answer }]);
  await shell.leave();
});

test("`r` sends the plan back with words", async () => {
  const shell = await shown();
  await shell.type("r");
  await shell.settle(READ_MS);
  expect(shell.text()).toContain("enter send back");
  await shell.type("no new files\r");
  expect(shell.io.fakeSys.asked("hil.answer")).toEqual([{ id: "p1n4", decision: "deny", message: "no new files" }]);
  await shell.leave();
});

test("an accepted plan stays in the transcript, each line once", async () => {
  const shell = await shown();
  await shell.type("y");
  await shell.settle(READ_MS);
  await shell.play({ ...said.closed(), id: PLAN.id } as SignalOf<"chat.hil_closed">);
  const result = { ...said.result(true, "accepted"), tool: "Plan", call: "hil.plan" } as Signal;
  await shell.play(said.call("Plan", PLAN.args ?? {}), result);
  expect(shell.text()).toMatch(/^✓ approved: Plan.*\n {2}\| 1\. Add src\/cache\.ts: /m);
  expect(shell.text()).not.toContain("Plan accepted");
  expect(shell.text().split("1. Add src/cache.ts")).toHaveLength(2);
  await shell.leave();
});

test("the dock shows the mode as it changes, and says nothing of the usual one", async () => {
  const shell = await Played.open();
  const mode = (name: string) => shell.play({ ...said.start(), name: "process.mode", mode: name } as never);
  expect(shell.text()).not.toMatch(/ask$/m);
  for (const [name, text] of [
    ["plan", "plan"],
    ["accept-edits", "accept edits"],
    ["yolo", "yolo"],
  ] as const) {
    await mode(name);
    expect(shell.text()).toMatch(new RegExp(`init:1000 .* ${text}$`, "m"));
  }
  await mode("ask");
  expect(shell.text()).not.toMatch(/ yolo$/m);
  await shell.leave();
});
