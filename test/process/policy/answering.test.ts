// A person's answers and their effects: an approval covers only the shown call, an edited call is reported to the agent, a permanent
// approval is a visible rule that can be removed, and a question gets one of its choices.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import type { Approval } from "../../../src/abi/process/process.ts";
import type { AnsweredApproval } from "../../../src/syscalls/approval/hil.ts";
import type { ShownRule } from "../../../src/syscalls/approval/policy.ts";
import { INIT, TestKernel } from "../../support/kernel.ts";
import { seeded } from "../../support/random.ts";
import { samples } from "../../support/soak.ts";

const WRITE = { calls: [{ name: "Write", args: { path: "~/context.d/a.md", content: "be brief\n" } }] };
const DELETE = { calls: [{ name: "Delete", args: { path: "~/old.md" } }] };

async function asked(home: TestKernel, turn: object, options: { readonly pid?: string } = {}): Promise<Approval> {
  const { pid = INIT } = options;
  home.model.will(pid, turn as never, { text: "gone on" });
  await home.send("go", { pid });
  await home.inState(pid, "waiting_hil");
  const { approvals } = await home.sys.call<{ approvals: readonly Approval[] }>("hil.list", {});
  const found = approvals.find((each) => each.pid === pid);
  if (found === undefined) throw new Error("nothing waits");
  return found;
}

function answer(home: TestKernel, id: string, args: object): Promise<AnsweredApproval> {
  return home.sys.call("hil.answer", { id, ...args });
}

async function lastResult(home: TestKernel, pid = INIT): Promise<string> {
  await home.inState(pid, "idle");
  const results = (await home.messages(pid)).filter((message) => message.role === "toolResult");
  return results.at(-1)?.content.output ?? "";
}

const read = (home: TestKernel, path: string) =>
  home.sys.call<{ content: string }>("fs.read", { path }).then(
    ({ content }) => content,
    () => null,
  );

test("a request shows place, reason, and the removed and added lines of a file", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/context.d/a.md", content: "one\ntwo\n" });
  const { about, hash } = await asked(home, {
    calls: [{ name: "Edit", args: { path: "~/context.d/a.md", oldString: "two", newString: "three" } }],
  });
  expect(about).toEqual({
    once: true,
    target: "gsv",
    directory: null,
    path: "/home/sam/context.d/a.md",
    dangers: ["may change what agents or programs do"],
    reasons: ["may change what agents or programs do"],
    diff: "@@ line 1 @@\n one\n-two\n+three\n ",
  });
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
});

test("an answer with the hash of the shown call applies only to that call", async () => {
  await using home = await TestKernel.boot();
  const { id, hash } = await asked(home, WRITE);
  const other = await home.refusal("hil.answer", { id, decision: "approve", hash: hash.replace(/^./, "x") });
  expect([other.code, other.message]).toEqual([
    "ECONFLICT",
    `request ${id} has changed since you last looked: review it again`,
  ]);
  await answer(home, id, { decision: "approve", hash });
  await lastResult(home);
  expect(await read(home, "~/context.d/a.md")).toContain("be brief");
});

test("an approved write is not made if its file has changed meanwhile, and asks again", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/context.d/a.md", content: "one\n" });
  const { id } = await asked(home, WRITE);
  await home.sys.call("fs.write", { path: "~/context.d/a.md", content: "what a person wrote meanwhile\n" });
  await answer(home, id, { decision: "approve" });
  expect(await lastResult(home)).toContain("the file has changed since");
  expect(await read(home, "~/context.d/a.md")).toContain("what a person wrote meanwhile");
});

test("an edited call runs as edited, the agent gets a note, and no refusal is bypassed", async () => {
  await using home = await TestKernel.boot();
  const { id, args } = await asked(home, WRITE);
  expect((await home.refusal("hil.answer", { id, decision: "approve", args: { content: 7 } })).code).toBe("EINVAL");
  const done = await answer(home, id, { decision: "approve", args: { ...args, content: "be kind\n" } });
  expect(done).toMatchObject({ edited: true, args: { content: "be kind\n" } });
  expect(await lastResult(home)).toStartWith("(sam changed this call before it ran, to ");
  expect(await read(home, "~/context.d/a.md")).toContain("be kind");
});

test("a denial contains the reason", async () => {
  await using home = await TestKernel.boot();
  const { id } = await asked(home, WRITE);
  await answer(home, id, { decision: "deny", message: "put it into notes.md" });
  expect(await lastResult(home)).toBe("denied by sam: put it into notes.md; do not try again, ask what to do instead.");
});

test("always: creates a rule for exactly this call, listed with account and time, and removable", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/old.md", content: "x" });
  const { id } = await asked(home, DELETE);
  const { rule } = await answer(home, id, { decision: "approve", always: true });
  await lastResult(home);
  const { rules } = await home.sys.call<{ rules: readonly ShownRule[] }>("policy.list", {});
  expect(rules).toEqual([
    {
      id: rule ?? "",
      rule: {
        match: "fs.delete",
        target: "gsv",
        when: { argEquals: { path: "/home/sam/old.md" } },
        action: "auto",
      },
      place: null,
      by: "sam",
      createdAt: expect.any(Number),
    },
  ]);
  await home.sys.call("fs.write", { path: "/home/sam/old.md", content: "x" });
  home.model.will(INIT, DELETE, { text: "done" });
  await home.say("again");
  expect(await read(home, "~/old.md")).toBeNull();
  await home.sys.call("policy.revoke", { id: rule });
  await home.sys.call("fs.write", { path: "~/old.md", content: "x" });
  await asked(home, DELETE);
});

test("changes to agent instructions can never be allowed permanently", async () => {
  await using home = await TestKernel.boot();
  const { id } = await asked(home, WRITE);
  const refused = await home.refusal("hil.answer", { id, decision: "approve", always: true });
  expect([refused.code, refused.message]).toEqual([
    "EPERM",
    "changes to /home/sam/context.d/a.md always need approval",
  ]);
  await home.sys.call("policy.add", { action: "auto", match: "*" });
  await answer(home, id, { decision: "deny" });
  await lastResult(home);
  await asked(home, WRITE);
});

const QUESTION = { question: "Which one?", choices: ["red", "blue"], default: "blue", timeoutSeconds: 60 };

test("a question holds the process, is signalled as a question, and its answer is the result of the call", async () => {
  await using home = await TestKernel.boot();
  const question = await asked(home, { calls: [{ name: "Ask", args: QUESTION }] });
  expect(question).toMatchObject({ kind: "question", call: "hil.ask", why: "Which one?" });
  expect((await home.get(INIT)).waitsFor).toMatchObject({ kind: "question", id: question.id });
  expect(home.heard("chat.hil")).toMatchObject([{ kind: "question", id: question.id }]);
  const wrong = await home.refusal("hil.answer", { id: question.id, decision: "answer", text: "green" });
  expect([wrong.message, wrong.hints]).toEqual(["not one of the choices: green", ["1 red   2 blue"]]);
  const asYes = await home.refusal("hil.answer", { id: question.id, decision: "approve" });
  expect(asYes.message).toContain("is a question");
  await answer(home, question.id, { decision: "answer", text: "1" });
  expect(await lastResult(home)).toBe("red");
});

test("an unanswered question ends with its default in time, also if the kernel ended meanwhile", async () => {
  for (const restarts of [false, true]) {
    await using home = await TestKernel.boot();
    const { id } = await asked(home, { calls: [{ name: "Ask", args: QUESTION }] });
    if (restarts) await home.restart();
    await home.clock.advance(60_000);
    expect(await lastResult(home)).toBe("no answer within 1 minute; default answer: blue");
    const late = await home.refusal("hil.answer", { id, decision: "answer", text: "red" });
    expect(late.message).toBe(`${id} has expired`);
  }
});

test("a process without an approver gets the default at once, or an error", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task({ profile: "cron" });
  home.model.will(
    pid,
    { calls: [{ name: "Ask", args: QUESTION }] },
    { calls: [{ name: "Ask", args: { question: "?" } }] },
  );
  await home.say("go", { pid });
  const results = (await home.messages(pid)).flatMap((each) =>
    each.role === "toolResult" ? [each.content.output] : [],
  );
  expect(results).toEqual(["no user to ask; default answer: blue", "no user to ask, and the question has no default."]);
});

const MUTATIONS = samples(20, 200);

/** Changes of a call between approval and effect, by tampering with the rows or files. */
test("only the shown call runs, whatever is changed between the approval and the effect", async () => {
  const random = seeded(7);
  await using home = await TestKernel.boot();
  let slipped = 0;
  for (let round = 0; round < MUTATIONS; round++) {
    const pid = await home.task();
    const path = `~/context.d/f${round}.md`;
    const { id, runId } = await asked(
      home,
      { calls: [{ name: "Write", args: { path, content: "shown\n" } }] },
      { pid },
    );
    const other = random.pick([
      { path, content: `shown${String.fromCodePoint(0x200b + random.int(4))}\n` },
      { path: `${path}.x`, content: "shown\n" },
      { path, content: "shown\n\nand more\n" },
      { path: path.replace("context", "skills"), content: "shown\n" },
      { path: `~/context.d/../context.d/g${round}.md`, content: "shown\n" },
    ]);
    await home.sys.call("proc.signal", { pid, signal: "STOP" });
    await answer(home, id, { decision: "approve" });
    const [call] = await home.stores.processes.openCalls(pid, runId);
    changeCall(home, pid, call?.dispatchId ?? "", other);
    await home.sys.call("proc.signal", { pid, signal: "CONT" });
    expect(await lastResult(home, pid)).toStartWith("EPERM: sam approved something else (");
    if ((await read(home, other.path)) !== null) slipped++;
  }
  expect(slipped).toBe(0);
}, 60_000);

function changeCall(home: TestKernel, pid: string, dispatchId: string, args: object): void {
  using db = new Database(`${home.paths.procDir}/${pid}.db`);
  db.run("UPDATE pending_tool_calls SET args_json = ? WHERE dispatch_id = ?", [JSON.stringify(args), dispatchId]);
}
