// A conversation from the command line with a whole kernel: output, events and exit status.

import { expect, test } from "bun:test";
import type { ChatEvent } from "../../commands/events.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import { checkEvent } from "../support/chat-events.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { begin, finish, type Typed, type } from "../support/shell.ts";

const VERSION = { name: "Read", args: { path: "/proc/version" } };
const DELETE = { name: "Delete", args: { path: "~/a" } };

/** The lines of `chat --json`, each checked against the schema. */
function eventsOf({ stdout }: Typed): ChatEvent[] {
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const event of events) expect(checkEvent(event)).toBeNull();
  expect(events[0]).toMatchObject({ type: "init", v: 1 });
  expect(events.at(-1)?.type).toBe("result");
  return events;
}

function types(events: readonly ChatEvent[]): string {
  return events.map(({ type: name }) => name).join(" ");
}

test("only the answer is on stdout, everything else on stderr; the exit status is 0", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "Let me see.", calls: [VERSION] }, { text: "It is gsv." });
  const { status, stdout, stderr } = await type(home, "chat", "which version?");
  expect([status, stdout]).toEqual([0, "Let me see.\nIt is gsv.\n"]);
  expect(stderr).toEndWith('[tool] Read {"path":"/proc/version"}\n');
});

test("the events of an answer are init, message and result, with all their fields", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "hello", thinking: "hm", usage: { input: 3, output: 1, costUsd: 0.01 } });
  const typed = await type(home, "chat", "--json", "hi");
  const events = eventsOf(typed);
  expect(types(events)).toBe("init message result");
  expect(events[1]).toMatchObject({ pid: INIT, parent: null, text: "hello", thinking: "hm", turn: 1, seq: 2 });
  expect(events[2]).toMatchObject({
    status: "ok",
    exit: 0,
    text: "hello",
    error: null,
    model: "offline",
    usage: { input: 3, output: 1 },
    costUsd: 0.01,
  });
  expect(typed.status).toBe(0);
});

test("events of a run with a tool name the call and its outcome", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "looking", calls: [VERSION, { name: "Read", args: { path: "~/none" } }] });
  const events = eventsOf(await type(home, "chat", "--json", "look"));
  expect(types(events)).toBe("init message tool.start tool.end tool.start tool.end message result");
  expect(events[2]).toMatchObject({ tool: "Read", call: "fs.read", args: { path: "/proc/version" } });
  expect(events[5]).toMatchObject({ ok: false, output: expect.stringContaining("ENOENT") });
});

test("a run that needs approval is reported with its request, exits 5, and stays open", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { calls: [DELETE] }, { text: "gone on" });
  const typed = await type(home, "chat", "--json", "delete a");
  const events = eventsOf(typed);
  expect(types(events)).toBe("init approval.request warning result");
  expect(events[1]).toMatchObject({ tool: "Delete", args: { path: "~/a" }, why: "delete /home/sam/a" });
  expect([typed.status, events.at(-1)]).toMatchObject([5, { status: "blocked", exit: 5 }]);
  expect((await home.get(INIT)).state).toBe("waiting_hil");
  const held = await type(home, "chat", "and now?");
  expect(held.status).toBe(5);
  expect(held.stderr).toMatch(/gsv approve [a-z0-9]{4} {3}or: gsv deny/);
});

test("with --wait chat stays, shows who answered, and ends with the run", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { calls: [DELETE] }, { text: "gone on" });
  const typing = await begin(home, ["chat", "--json", "--wait", "delete a"]);
  await home.inState(INIT, "waiting_hil");
  const [asked] = (await home.sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals;
  const answered = await type(home, "deny", asked?.id ?? "");
  expect([answered.status, answered.stdout]).toEqual([0, `denied ${asked?.id}: Delete of ${INIT}\n`]);
  const typed = await finish(home, typing);
  const events = eventsOf(typed);
  expect(types(events)).toBe("init approval.request approval.resolved message result");
  expect(events[2]).toMatchObject({ id: asked?.id, decision: "deny", by: "sam" });
  expect([typed.status, events.at(-1)]).toMatchObject([0, { status: "ok", text: "gone on" }]);
});

test("two clients of one process get the same signals of a run, in the same order", async () => {
  await using home = await TestKernel.boot();
  const heard: string[][] = [[], []];
  for (const names of heard) {
    (await home.client()).on({ pid: INIT, names: ["chat.*"] }, (signal) => names.push(JSON.stringify(signal)));
  }
  home.model.will(INIT, { pieces: ["a", "b"], calls: [VERSION, DELETE] }, { text: "end" });
  await type(home, "chat", "go");
  const [asked] = (await home.sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals;
  await type(home, "deny", asked?.id ?? "");
  await home.inState(INIT, "idle");
  expect(heard[0]?.length).toBeGreaterThan(8);
  expect(heard[1]).toEqual(heard[0] ?? []);
  expect(heard[0]).toEqual(
    home.signals.filter(({ name }) => name.startsWith("chat.")).map((signal) => JSON.stringify(signal)),
  );
});

test("a mode set with a message stays, so the client that changed it sees once how to undo it", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "one" }, { text: "two" }, { text: "three" });
  const first = await type(home, "chat", "--plan", "hi");
  expect(first.stderr).toContain("init:1000 is now in mode plan; to undo: gsv mode init:1000 ask");
  const again = await type(home, "chat", "--plan", "hi");
  expect(again.stderr).not.toContain("from now on");
  expect(types(eventsOf(await type(home, "chat", "--mode", "ask", "--json", "hi")))).toBe(
    "init warning message result",
  );
});
