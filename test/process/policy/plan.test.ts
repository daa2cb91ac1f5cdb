// Mode plan ends in a plan to accept: the person accepts it and chooses how to go on, or sends it back with words. Only a person changes the mode.

import { expect, test } from "bun:test";
import type { Approval } from "../../../src/abi/process/process.ts";
import { Desk, why } from "../../support/desk.ts";
import { INIT } from "../../support/kernel.ts";

const PLAN = { plan: "1. write notes.md\n2. run the tests" };

async function planning(): Promise<Desk> {
  const desk = await Desk.at({ cwd: "/" });
  await desk.home.sys.call("proc.mode", { pid: INIT, mode: "plan" });
  return desk;
}

async function presented(desk: Desk): Promise<Approval> {
  const asked = await desk.calls("Plan", PLAN);
  if (typeof asked === "string") throw new Error(asked);
  return asked;
}

const modeOf = async (desk: Desk) => (await desk.home.get(INIT)).mode;

async function answered(desk: Desk, answer: object): Promise<string> {
  await desk.home.sys.call("hil.answer", answer);
  await desk.home.until("the run ends", () => desk.isIdle());
  return (await desk.results()).at(-1) ?? "";
}

test("a plan is a request that no rule can answer", async () => {
  await using desk = await planning();
  await desk.home.sys.call("policy.add", { action: "auto", match: "*" });
  const asked = await presented(desk);
  expect(asked).toMatchObject({ call: "hil.plan", why: "start with this plan", args: PLAN, about: { once: true } });
  const always = await desk.home.refusal("hil.answer", { id: asked.id, decision: "approve", always: true });
  expect(always.code).toBe("EPERM");
});

test.each([
  [undefined, "ask", "ask"],
  ["ask", "ask", "ask"],
  ["accept-edits", "accept-edits", "accept edits"],
  ["auto-edit", "accept-edits", "accept edits"],
])("accepted with %p, the process goes on in mode %s", async (mode, now, text) => {
  await using desk = await planning();
  const { id, hash } = await presented(desk);
  const told = await answered(desk, { id, hash, decision: "approve", ...(mode === undefined ? {} : { mode }) });
  expect(told).toBe(`The user accepted the plan. Mode is now ${text}: carry the plan out.`);
  expect(await modeOf(desk)).toBe(now as never);
  expect(desk.home.heard("process.mode").at(-1)).toMatchObject({ mode: now });
});

test("sent back with words, it stays in mode plan and gets the words", async () => {
  await using desk = await planning();
  const { id } = await presented(desk);
  expect(await answered(desk, { id, decision: "deny", message: "no new files" })).toBe(
    "sam wants changes: no new files\nStill in mode plan: present the changed plan with Plan.",
  );
  expect(await modeOf(desk)).toBe("plan");
  const again = await presented(desk);
  expect(await answered(desk, { id: again.id, decision: "deny" })).toStartWith("sam did not accept the plan");
});

test("a plan never leads to mode yolo, and other requests set no mode", async () => {
  await using desk = await planning();
  const { id } = await presented(desk);
  const yolo = await desk.home.refusal("hil.answer", { id, decision: "approve", mode: "yolo" });
  expect(yolo.code).toBe("EINVAL");
  await answered(desk, { id, decision: "deny" });
  await desk.home.sys.call("proc.mode", { pid: INIT, mode: "ask" });
  await desk.home.sys.call("fs.write", { path: "~/old.md", content: "x" });
  const other = (await desk.calls("Delete", { path: "~/old.md" })) as Approval;
  const refused = await desk.home.refusal("hil.answer", { id: other.id, decision: "approve", mode: "ask" });
  expect(refused.message).toBe(`${other.id} is not a plan: only a plan is approved with a mode`);
});

test("outside mode plan the tool is not offered, and a call of it is refused", async () => {
  await using desk = await Desk.at({ cwd: "/" });
  expect(why(await desk.calls("Plan", PLAN))).toBe("ran: Plan is for mode plan; the mode is ask: do the work.");
  expect(
    desk.home.model
      .asked(INIT)
      .at(-1)
      ?.tools.map(({ name }) => name),
  ).not.toContain("Plan");
  await desk.home.sys.call("proc.mode", { pid: INIT, mode: "plan" });
  await desk.home.say("and now?");
  expect(
    desk.home.model
      .asked(INIT)
      .at(-1)
      ?.tools.map(({ name }) => name),
  ).toContain("Plan");
});

test("what mode plan refuses says how a plan is presented", async () => {
  await using desk = await planning();
  expect(why(await desk.calls("Write", { path: "~/x.md", content: "x" }))).toContain("with the tool Plan");
});
