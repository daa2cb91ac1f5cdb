// Parents and children: an end reaches the parent once, wakes a task and waits quietly for an init, and every process has a parent.

import { expect, test } from "bun:test";
import { StoreUnavailable } from "../../src/store/open.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

/** A task with its own child. */
async function family(home: TestKernel): Promise<{ readonly parent: string; readonly child: string }> {
  const parent = await home.task({ label: "parent" });
  return { parent, child: await home.task({ parent, label: "child" }) };
}

function events(outline: readonly string[]): string[] {
  return outline.filter((line) => line.startsWith("system:"));
}

test("the end of a child wakes a task with the outcome", async () => {
  await using home = await TestKernel.boot();
  const { parent, child } = await family(home);
  home.model.will(child, { text: "all checked" });
  home.model.will(parent, { text: "good to know" });
  await home.say("check", { pid: child });
  await home.until("the parent answers", async () => (await home.outline(parent)).length === 2);
  expect(await home.outline(parent)).toEqual([
    `system: Process ${child} (child) ended: ok: all checked`,
    "assistant: good to know",
  ]);
  const [event] = await home.messages(parent);
  expect(event?.origin).toMatchObject({ kind: "process", pid: child });
});

test("an init is not woken: the event is not counted as queued and precedes the next message", async () => {
  await using home = await TestKernel.boot();
  const child = await home.task();
  await home.say("work", { pid: child });
  await home.quiet();
  expect(await home.get(INIT)).toMatchObject({ state: "idle", queued: 0 });
  expect(await home.outline(INIT)).toEqual([]);
  expect(home.model.asked(INIT)).toEqual([]);
  await home.say("anything new?");
  expect(await home.outline(INIT)).toEqual([
    `system: Process ${child} ended: ok: done`,
    "user: anything new?",
    "assistant: done",
  ]);
});

test("an init gets the beginning of a long answer, on one line", async () => {
  await using home = await TestKernel.boot();
  const child = await home.task();
  home.model.will(child, { text: "a long answer\n".repeat(30) });
  await home.say("work", { pid: child });
  await home.say("anything new?");
  const [told] = events(await home.outline(INIT));
  expect(told).toMatch(/^system: Process task:\w{6} ended: ok: a long answer a long [^\n]{80,110}…$/);
});

test("a child that waits for approval counts as ended for its parent, and so does a killed one", async () => {
  await using home = await TestKernel.boot();
  const child = await home.task();
  home.model.will(child, { calls: [{ name: "Delete", args: { path: "~/a" } }] });
  await home.send("delete", { pid: child });
  await home.inState(child, "waiting_hil");
  await home.say("one");
  await home.sys.call("proc.kill", { pid: child });
  await home.say("two");
  const told = events(await home.outline(INIT));
  expect(told[0]).toMatch(
    new RegExp(`^system: Process ${child} ended: waits for approval [a-z0-9]{4}: delete /home/sam/a$`),
  );
  expect(told[1]).toBe(`system: Process ${child} ended: killed`);
});

test("the children of a killed process move to its parent, which gets their ends", async () => {
  await using home = await TestKernel.boot();
  const { parent, child } = await family(home);
  const grandchild = await home.task({ parent: child });
  await home.sys.call("proc.kill", { pid: child });
  expect((await home.get(grandchild)).parentPid).toBe(parent);
  await home.say("work", { pid: grandchild });
  await home.until("the grandparent is told", async () => {
    return events(await home.outline(parent)).some((line) => line.includes(grandchild));
  });
  await home.inState(parent, "idle");
  await home.sys.call("proc.kill", { pid: parent });
  expect((await home.get(grandchild)).parentPid).toBe(INIT);
});

test("the next kernel delivers an end that a dying kernel did not, once", async () => {
  await using home = await TestKernel.boot();
  const { parent, child } = await family(home);
  home.model.will(child, { text: "never said", hold: true }, { text: "said later" });
  await home.send("work", { pid: child });
  await home.holding();
  for (let start = 0; start < 2; start++) {
    await home.restart();
    await home.inState(child, "idle");
    await home.inState(parent, "idle");
  }
  expect(events(await home.outline(parent))).toEqual([`system: Process ${child} (child) ended: ok: said later`]);
});

test("a parent's failure does not affect its child, and the parent gets the end later", async () => {
  let broken = true;
  await using home = await TestKernel.boot({
    ports: (ports) => {
      const admit: typeof ports.processes.admit = async (pid, message) => {
        if (message.kind === "event" && broken) throw new StoreUnavailable("io", "cannot use the database");
        return await ports.processes.admit(pid, message);
      };
      return { ...ports, processes: { ...ports.processes, admit } };
    },
  });
  const { parent, child } = await family(home);
  home.model.will(parent, { text: "good to know" });
  expect(await home.say("work", { pid: child })).toMatchObject({ status: "ok" });
  const told = `${parent} has no event yet that ${child} ended: cannot use the database`;
  expect(new Set(home.faults.splice(0))).toEqual(new Set([told]));
  broken = false;
  await home.clock.advance(60_000);
  await home.until("the parent answers", async () => (await home.outline(parent)).length === 2);
  expect(await home.outline(parent)).toEqual([
    `system: Process ${child} (child) ended: ok: done`,
    "assistant: good to know",
  ]);
});
