// Calls that need an approval wait for it: asked once, answered once, and only the shown call runs.

import { expect, test } from "bun:test";
import type { Approval } from "../../src/abi/process/process.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const DELETE = { calls: [{ name: "Delete", args: { path: "~/old.md" } }] };

async function open(home: TestKernel): Promise<readonly Approval[]> {
  return (await home.sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals;
}

function answer(home: TestKernel, id: string, decision: string): Promise<Approval> {
  return home.sys.call("hil.answer", { id, decision });
}

/** A process that asks to delete an existing file. */
async function asking(home: TestKernel): Promise<{ readonly run: string; readonly asked: Approval }> {
  await home.sys.call("fs.write", { path: "~/old.md", content: "x" });
  home.model.will(INIT, DELETE, { text: "gone on" });
  const { runId } = await home.send("delete it");
  await home.inState(INIT, "waiting_hil");
  const [asked] = await open(home);
  if (asked === undefined) throw new Error("nothing waits");
  return { run: runId, asked };
}

function isThere(home: TestKernel): Promise<boolean> {
  return home.sys.call("fs.read", { path: "~/old.md" }).then(
    () => true,
    () => false,
  );
}

test("a call that needs approval holds its process and is listed with its subject", async () => {
  await using home = await TestKernel.boot();
  const { run, asked } = await asking(home);
  expect(asked).toMatchObject({
    pid: INIT,
    runId: run,
    tool: "Delete",
    call: "fs.delete",
    args: { path: "~/old.md" },
    why: "delete /home/sam/old.md",
    decision: null,
    by: null,
  });
  expect(asked.id).toMatch(/^[a-z0-9]{4}$/);
  expect((await home.get(INIT)).waitsFor).toEqual({
    kind: "approval",
    id: asked.id,
    tool: "Delete",
    summary: "delete /home/sam/old.md",
  });
  expect(home.heard("chat.hil", run)).toMatchObject([{ id: asked.id, tool: "Delete", args: { path: "~/old.md" } }]);
  expect(await isThere(home)).toBe(true);
  expect(await home.sys.call<object>("proc.history", { pid: INIT })).toMatchObject({ pendingHil: { id: asked.id } });
});

test("an approved call runs exactly as shown, and the run continues", async () => {
  await using home = await TestKernel.boot();
  const { run, asked } = await asking(home);
  expect(await answer(home, asked.id, "approve")).toMatchObject({ id: asked.id, decision: "approve", by: "sam" });
  expect(await home.ended(run)).toMatchObject({ status: "ok", text: "gone on" });
  expect(home.heard("chat.tool_call", run)).toMatchObject([{ call: asked.call, args: asked.args }]);
  expect(await isThere(home)).toBe(false);
  expect(home.heard("chat.hil_closed", run)).toMatchObject([{ id: asked.id, decision: "approve", by: "sam" }]);
  expect(await open(home)).toEqual([]);
});

test("a denied call does not run, the model gets the denial and continues", async () => {
  await using home = await TestKernel.boot();
  const { run, asked } = await asking(home);
  await answer(home, asked.id, "deny");
  expect(await home.ended(run)).toMatchObject({ status: "ok", text: "gone on" });
  expect(await isThere(home)).toBe(true);
  expect(home.heard("chat.tool_call", run)).toEqual([]);
  const result = (await home.messages(INIT)).find((message) => message.role === "toolResult");
  expect(result?.content).toMatchObject({
    outcome: "denied",
    isError: true,
    output: expect.stringContaining("denied by sam"),
  });
});

test("a repeated answer is accepted, and a different second answer fails and names who answered", async () => {
  await using home = await TestKernel.boot();
  const { run, asked } = await asking(home);
  const first = await answer(home, asked.id, "approve");
  await home.ended(run);
  expect(await answer(home, asked.id, "approve")).toEqual(first);
  const other = await home.refusal("hil.answer", { id: asked.id, decision: "deny" });
  expect([other.code, other.message]).toEqual(["ECONFLICT", `${asked.id} was already approved by sam`]);
  expect(home.heard("chat.hil_closed")).toHaveLength(1);
  expect(home.heard("chat.tool_call", run)).toHaveLength(1);
});

test("an answer given just before the kernel died is kept by the next one", async () => {
  await using home = await TestKernel.boot();
  const { run, asked } = await asking(home);
  const given = { approvalId: asked.id, decision: "deny", by: "sam", now: home.clock.now() } as const;
  await home.stores.kernel.processes.markDirty(INIT);
  await home.stores.processes.answer(INIT, given);
  await home.restart();
  expect(await home.wait(INIT, { run })).toMatchObject({ status: "ok", text: "gone on" });
  expect(await open(home)).toEqual([]);
  expect(await answer(home, asked.id, "deny")).toMatchObject({ decision: "deny", by: "sam" });
  expect(await isThere(home)).toBe(true);
});

test("reset and kill withdraw a request, and a late answer gets an error that says so", async () => {
  await using home = await TestKernel.boot();
  for (const verb of ["reset", "kill"] as const) {
    const pid = await home.task();
    home.model.will(pid, DELETE);
    const { runId } = await home.send("delete it", { pid });
    await home.inState(pid, "waiting_hil");
    const [asked] = await open(home);
    await home.sys.call(`proc.${verb}`, { pid });
    expect(await open(home)).toEqual([]);
    expect(home.heard("chat.hil_closed", runId)).toMatchObject([{ decision: "withdrawn" }]);
    expect(home.heard("chat.complete", runId)).toMatchObject([{ status: "aborted", reason: `process.${verb}` }]);
    const late = await home.refusal("hil.answer", { id: asked?.id ?? "", decision: "approve" });
    expect([late.code, late.message]).toEqual(["ECONFLICT", `${asked?.id} was withdrawn: its run has ended`]);
  }
});

test("an unknown approval is not found, whatever its id", async () => {
  await using home = await TestKernel.boot();
  for (const id of ["zzzz", "", "__proto__", "' OR 1=1", "ÄÖÜß"]) {
    expect((await home.refusal("hil.answer", { id, decision: "approve" })).code).toBe("ENOENT");
  }
});
