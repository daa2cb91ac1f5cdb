// A conversation from the command line with a whole kernel: output, events and exit status.

import { expect, test } from "bun:test";
import { type ChatEvent, checkEvent } from "../../commands/events.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import { stdinOf } from "../support/io.ts";
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

const FAILURES = {
  auth: ["blocked", 4],
  config: ["error", 78],
  request: ["error", 1],
  quota: ["limit", 6],
  throttle: ["unavailable", 75],
} as const;

for (const [failure, [status, exit]] of Object.entries(FAILURES)) {
  test(`a model that fails with ${failure} exits ${exit}, with the reason on stderr and in the result`, async () => {
    await using home = await TestKernel.boot();
    // Too long to wait for.
    const error = { class: failure as keyof typeof FAILURES, message: "the model says no", retryAfterMs: 3_600_000 };
    home.model.will(INIT, { error }, { error });
    const typed = await type(home, "chat", "--json", "hi");
    expect([typed.status, eventsOf(typed).at(-1)]).toMatchObject([
      exit,
      { status, exit, error: expect.stringContaining("the model says no") },
    ]);
    const text = await type(home, "chat", "hi");
    expect([text.status, text.stdout]).toEqual([exit, ""]);
    expect(text.stderr).toContain("the model says no");
  });
}

test("the first interrupt aborts the run: 130, and the event is aborted", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { hold: true }, { hold: true });
  for (const form of [[], ["--json"]]) {
    const typing = await begin(home, ["chat", ...form, "hi"]);
    await home.holding();
    typing.interrupt("INT");
    const typed = await finish(home, typing);
    expect(typed.status).toBe(130);
    if (form.length > 0) expect(eventsOf(typed).at(-1)).toMatchObject({ status: "aborted", exit: 130 });
  }
  expect(home.heard("chat.complete").map(({ status }) => status)).toEqual(["aborted", "aborted"]);
});

test("a hang-up, a timeout and another client's abort exit 129, 124 and 130, and only the last ends the run", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { hold: true });
  const hung = await begin(home, ["chat", "hi"]);
  await home.holding();
  hung.interrupt("HUP");
  expect((await finish(home, hung)).status).toBe(129);
  const late = await type(home, "chat", "--timeout", "5", "hi again");
  expect([late.status, late.stderr]).toEqual([124, expect.stringContaining("the run goes on: gsv wait init:1000")]);
  expect(home.heard("chat.complete")).toEqual([]);
  const waiting = await begin(home, ["wait", INIT, "--run", (await home.get(INIT)).activeRunId ?? ""]);
  expect((await type(home, "proc", "abort", INIT)).status).toBe(0);
  expect((await finish(home, waiting)).status).toBe(130);
});

test("a message comes from a pipe, a file, or both with the message first", async () => {
  await using home = await TestKernel.boot();
  const said = async (argv: string[], stdin: ReturnType<typeof stdinOf>) => {
    expect((await finish(home, await begin(home, ["chat", ...argv], stdin))).status).toBe(0);
    return (await home.messages(INIT)).at(-2)?.content;
  };
  expect(await said([], stdinOf("pipe", ["two\nlines\n"]))).toBe("two\nlines\n");
  expect(await said(["-"], stdinOf("file", ["from a file"]))).toBe("from a file");
  expect(await said(["Review this."], stdinOf("pipe", ["+ a line\n"]))).toBe(
    'Review this.\n\n<stdin bytes="9">\n+ a line\n</stdin>',
  );
  expect(await said(["--no-stdin", "alone"], stdinOf("pipe", ["unread"]))).toBe("alone");
});

test("--new creates a process, prints its pid on stderr, and does not touch init", async () => {
  await using home = await TestKernel.boot();
  const { status, stdout, stderr } = await type(home, "chat", "--new", "--label", "docs audit", "hello");
  expect([status, stdout]).toEqual([0, "done\n"]);
  const pid = /gsv: new process (task:[a-z0-9]{6})\n/.exec(stderr)?.[1] ?? "";
  expect(await home.get(pid)).toMatchObject({ label: "docs audit", parentPid: INIT });
  expect(await home.outline(pid)).toEqual(["user: hello", "assistant: done"]);
  expect(await home.outline(INIT)).toEqual([]);
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
