// Approvals and questions of sessions: time limits, who may answer, and the result without an answer.

import { expect, test } from "bun:test";
import type { PlannedAnswer } from "../../support/answers.ts";
import { ManagedKernel } from "../../support/manager.ts";

const SECOND = 1000;
const DELETE: PlannedAnswer = { calls: [{ name: "Delete", args: { path: "~/notes.md" } }] };
const ASK: PlannedAnswer = { calls: [{ name: "Ask", args: { question: "Which?", choices: ["tea", "coffee"] } }] };
const OWNER = "the owner";

/** A session that asks; by default in another channel, with the sender `peer-1`. */
async function asking(it: ManagedKernel, source = "algochat", answer = DELETE) {
  it.manager.setOwnerCheck((sender) => sender === OWNER);
  const { session, pid } = await it.resumed({ source }, answer, { text: "so be it" });
  const { waitsFor } = await it.home.inState(pid, "waiting_hil");
  await it.manager.settled();
  const id = waitsFor?.kind === "approval" || waitsFor?.kind === "question" ? waitsFor.id : "";
  const peer = session.sender ?? "";
  return { session, pid, id, peer };
}

async function outcome(it: ManagedKernel, pid: string, tool = "Delete"): Promise<string | undefined> {
  return (await it.home.outline(pid)).find((line) => line.startsWith(`${tool}:`));
}

test.each([
  ["a browser", "web", 55],
  ["another channel", "algochat", 120],
] as const)("a request of a session in %s is refused after its time limit", async (_, source, seconds) => {
  await using it = await ManagedKernel.boot();
  const { session, pid, id } = await asking(it, source);
  const [request] = it.told(session).filter(({ type }) => type === "approval_request");
  expect(request).toMatchObject({ id, sessionId: session.id, toolName: "Delete", timeoutMs: seconds * SECOND });
  expect(JSON.stringify(request)).not.toContain('notes.md":');
  await it.home.clock.advance(seconds * SECOND - 1);
  expect((await it.home.get(pid)).state).toBe("waiting_hil");
  await it.home.clock.advance(1);
  await it.until(session, "session_exited", 2);
  expect(await outcome(it, pid)).toBe("Delete: denied");
});

test("a request at a terminal has no time limit", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid, id } = await asking(it, "cli");
  expect(it.told(session).find(({ type }) => type === "approval_request")).toMatchObject({ timeoutMs: null });
  await it.home.clock.advance(3 * 3600 * SECOND);
  expect((await it.home.get(pid)).state).toBe("waiting_hil");
  expect(it.manager.approvalManager.getPendingForSession(session.id)).toHaveLength(1);
  expect(it.manager.approvalManager.resolveRequest(id, { behavior: "allow" })).toBe(true);
  await it.until(session, "session_exited", 2);
});

test("the owner may answer from any channel, and so may the session's sender; others and unnamed senders may not", async () => {
  await using it = await ManagedKernel.boot();
  const allow = { behavior: "allow" } as const;
  for (const who of ["owner", "sender"]) {
    const { session, pid, id, peer } = await asking(it);
    const { approvalManager: approvals } = it.manager;
    expect(approvals.resolveByShortId(id, allow, "another member")).toBe(false);
    expect(approvals.resolveByShortId(id, allow, "nobody anyone knows")).toBe(false);
    expect(approvals.resolveByShortId(id, allow)).toBe(false);
    expect(await it.home.get(pid)).toMatchObject({ state: "waiting_hil" });
    expect(approvals.resolveByShortId(id.toUpperCase(), allow, who === "owner" ? OWNER : peer)).toBe(true);
    // Replayed: it was already answered.
    expect(approvals.resolveByShortId(id, { behavior: "deny" }, OWNER)).toBe(false);
    await it.until(session, "session_exited", 2);
    expect(await outcome(it, pid)).not.toBe("Delete: denied");
  }
});

test("a late answer, one for an unknown request, and one for several requests have no effect", async () => {
  await using it = await ManagedKernel.boot();
  const [one, two] = [await asking(it), await asking(it)];
  const { approvalManager: approvals } = it.manager;
  const allow = { behavior: "allow" } as const;
  expect([approvals.resolveByShortId("", allow, OWNER), approvals.resolveByShortId("zzzzz", allow, OWNER)]).toEqual([
    false,
    false,
  ]);
  await it.home.clock.advance(120 * SECOND);
  for (const { session, pid, id } of [one, two]) {
    await it.until(session, "session_exited", 2);
    expect(approvals.resolveByShortId(id, allow, OWNER)).toBe(false);
    expect(await outcome(it, pid)).toBe("Delete: denied");
  }
});

test("a stop withdraws the requests of its session, and of no other", async () => {
  await using it = await ManagedKernel.boot();
  const [one, two] = [await asking(it), await asking(it)];
  const { approvalManager: approvals } = it.manager;
  it.manager.stopProcess(one.session.id);
  await it.until(one.session, "session_stopped");
  expect(approvals.getPendingForSession(one.session.id)).toEqual([]);
  expect(approvals.getPendingForSession(two.session.id)).toHaveLength(1);
  expect(approvals.resolveRequest(one.id, { behavior: "allow" }, OWNER)).toBe(false);
});

test("a question reaches the owner's clients, and the answer is a choice's number, its name, or a text", async () => {
  await using it = await ManagedKernel.boot();
  const told: unknown[] = [];
  it.manager.setBroadcast((topic, data) => told.push([topic, data]));
  const { ownerQuestionManager: questions } = it.manager;
  for (const [said, expected] of [
    ["2", "coffee"],
    ["TEA", "tea"],
  ] as const) {
    const { session, pid, id } = await asking(it, "algochat", ASK);
    expect(told.at(-1)).toMatchObject(["owner", { type: "agent_question", question: { id, question: "Which?" } }]);
    expect(questions.resolveByShortId("", said, OWNER)).toBe(false);
    expect(questions.resolveByShortId(id, said, "another member")).toBe(false);
    expect(questions.resolveByShortId(id.toUpperCase(), said, OWNER)).toBe(true);
    expect(questions.resolveByShortId(id, said, OWNER)).toBe(false);
    await it.until(session, "session_exited", 2);
    expect(JSON.stringify(await it.home.messages(pid))).toContain(expected);
  }
});

test("an unanswered question ends after two minutes, and the agent continues with its own judgement", async () => {
  await using it = await ManagedKernel.boot();
  const { session, pid, id } = await asking(it, "algochat", ASK);
  await it.home.clock.advance(120 * SECOND - 1);
  expect(it.manager.ownerQuestionManager.getPendingForSession(session.id)).toHaveLength(1);
  await it.home.clock.advance(1);
  await it.until(session, "session_exited", 2);
  expect(it.manager.ownerQuestionManager.resolveQuestion(id, "1")).toBe(false);
  expect(JSON.stringify(await it.home.messages(pid))).toContain("with your best judgement");
});
