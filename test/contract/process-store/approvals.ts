// Questions to a person, decided once; the run waits for all answers.

import { expect } from "bun:test";
import { SHOWN, UNSAID } from "../../support/asking.ts";
import { DONE, granted, type Subject } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

async function asking(subject: Subject, repeat: "read" | "effect" | "resume" = "effect") {
  const run = await subject.running();
  const call = subject.call("Delete", repeat);
  await subject.turn(run, { calls: [call] });
  const approval = await subject.asks(run, call);
  return { run, call, approval };
}

export const APPROVALS: Claims = {
  async "a question is stored with its call and holds the process"(subject) {
    const { run, call, approval } = await asking(subject);
    expect(approval).toEqual({
      ...UNSAID,
      id: "a1b2",
      pid: subject.pid,
      runId: run.runId,
      tool: "Delete",
      call: "fs.delete",
      args: call.args,
      why: "delete /a",
      createdAt: approval.createdAt,
      decision: null,
      by: null,
      decidedAt: null,
    });
    expect(await subject.store.openApproval(subject.pid)).toEqual(approval);
    const row = await subject.latest();
    expect(row).toMatchObject({ approvals: [approval], ended: { runId: run.runId } });
    expect(row?.projection).toMatchObject({ state: "waiting_hil", waitsFor: { kind: "approval", id: "a1b2" } });
    expect(await subject.claim()).toBeNull();
  },

  async "a call that waits for an answer does not start without it"(subject) {
    const { run, call } = await asking(subject);
    expect(await subject.begin(run, call)).toEqual({ ok: false, why: "fenced" });
  },

  async "approved: the run resumes and the call is carried out"(subject) {
    const { call } = await asking(subject);
    expect(await subject.store.approvedAs(subject.pid, call.dispatchId)).toBeNull();
    expect(await subject.answer("approve")).toMatchObject({ ok: true, value: { decision: "approve", by: "sam" } });
    const run = await subject.claimed();
    expect(await subject.store.openCalls(subject.pid, run.runId)).toMatchObject([{ status: "approved" }]);
    expect(await subject.store.approvedAs(subject.pid, call.dispatchId)).toMatchObject({ why: "delete /a" });
    await subject.carryOut(run, call);
    await subject.turn(run, { finish: DONE });
    expect((await subject.lines())[2]).toBe(`3 toolResult: completed ${call.callId}`);
  },

  async "an interrupted call with an approval stays approved, and one without a question is not"(subject) {
    const { call } = await asking(subject, "resume");
    await subject.answer("approve");
    await subject.begin(await subject.claimed(), call);
    const again = await subject.claimed();
    expect(await subject.store.openCalls(subject.pid, again.runId)).toMatchObject([{ status: "approved" }]);
    await subject.carryOut(again, call);
    const other = subject.call("Shell", "resume");
    await subject.turn(again, { calls: [other] });
    await subject.begin(again, other);
    const third = await subject.claimed();
    expect(await subject.store.openCalls(subject.pid, third.runId)).toMatchObject([{ status: "registered" }]);
  },

  async "denied: the call has its result and the run resumes"(subject) {
    const { call } = await asking(subject);
    await subject.answer("deny");
    const run = await subject.claimed();
    expect(await subject.store.openCalls(subject.pid, run.runId)).toEqual([]);
    expect((await subject.lines())[2]).toBe(`3 toolResult: denied ${call.callId}`);
  },

  async "of two answers the first decides, and the second gets the name of the decider"(subject) {
    await asking(subject);
    const first = granted(await subject.answer("approve", "alice"));
    const second = granted(await subject.answer("deny", "bob"));
    expect(second).toEqual(first);
    expect(second).toMatchObject({ decision: "approve", by: "alice" });
    expect((await subject.store.openCalls(subject.pid, first?.runId ?? "")).map((call) => call.status)).toEqual([
      "approved",
    ]);
  },

  async "an answer without a question has no effect"(subject) {
    expect(await subject.answer("approve")).toEqual({ ok: true, value: null, replay: false });
  },

  async "of several questions each has its own answer, and results keep the order of the calls"(subject) {
    const run = await subject.running();
    const calls = [subject.call("Delete"), subject.call("Delete"), subject.call("Delete")];
    await subject.turn(run, { calls });
    const requests = calls.map(({ dispatchId }, index) => {
      return { ...SHOWN, dispatchId, approvalId: `ask${index}`, why: "delete /a", now: subject.now() };
    });
    expect(granted(await subject.store.ask(subject.pid, run.epoch, requests)).map(({ id }) => id)).toEqual([
      "ask0",
      "ask1",
      "ask2",
    ]);
    await subject.answer("deny", "sam", "ask2");
    await subject.answer("deny", "sam", "ask1");
    expect(await subject.claim()).toBeNull();
    expect((await subject.lines()).slice(2)).toEqual([]);
    await subject.nextKernel();
    await subject.answer("approve", "sam", "ask0");
    const again = await subject.claimed();
    expect((await subject.store.openCalls(subject.pid, run.runId)).map(({ status }) => status)).toEqual([
      "approved",
      "answered",
      "answered",
    ]);
    expect(await subject.begin(again, calls[1]!)).toEqual({ ok: false, why: "fenced" });
    await subject.carryOut(again, calls[0]!);
    expect((await subject.lines()).slice(2)).toEqual([
      `3 toolResult: completed ${calls[0]!.callId}`,
      `4 toolResult: denied ${calls[1]!.callId}`,
      `5 toolResult: denied ${calls[2]!.callId}`,
    ]);
  },

  async "an abort withdraws the question, and an answer after that changes nothing"(subject) {
    const { call } = await asking(subject);
    const aborted = granted(await subject.abort());
    expect(aborted.withdrawn).toMatchObject([{ id: "a1b2", decision: "withdrawn", by: "kernel" }]);
    expect((await subject.latest())?.approvals).toMatchObject([{ decision: "withdrawn" }]);
    expect(await subject.answer("approve")).toMatchObject({ value: { decision: "withdrawn" } });
    expect((await subject.lines())[2]).toBe(`3 toolResult: cancelled ${call.callId}`);
    expect(await subject.store.openApproval(subject.pid)).toBeNull();
    expect(await subject.state()).toBe("idle");
  },

  async "superseding and cutting withdraw the question, too"(subject) {
    await asking(subject);
    await subject.send("never mind", { urgent: true });
    expect(await subject.answer("approve")).toMatchObject({ value: { decision: "withdrawn" } });
    const run = await subject.claimed();
    const call = subject.call("Delete");
    await subject.turn(run, { calls: [call] });
    await subject.asks(run, call, "c3d4");
    expect((await subject.cut()).withdrawn).toMatchObject([{ id: "c3d4", decision: "withdrawn" }]);
  },

  async "a question survives the kernel that asked it, and does not count as its death"(subject) {
    const { approval } = await asking(subject);
    for (let start = 0; start < 5; start++) expect((await subject.nextKernel()).ends).toEqual([]);
    expect(await subject.store.openApproval(subject.pid)).toEqual(approval);
    expect(await subject.state()).toBe("waiting_hil");
    await subject.answer("approve");
    expect(await subject.claimed()).toMatchObject({ resumed: true, runId: approval.runId });
  },

  async "an id may be used again once it is decided, and then means the latest question"(subject) {
    const { call } = await asking(subject);
    await subject.answer("approve");
    const run = await subject.claimed();
    await subject.carryOut(run, call);
    const second = subject.call("Delete");
    await subject.turn(run, { calls: [second] });
    await subject.asks(run, second);
    expect(await subject.answer("deny", "bob")).toMatchObject({ value: { decision: "deny", by: "bob" } });
    expect(await subject.answer("approve", "sam")).toMatchObject({ value: { decision: "deny", by: "bob" } });
  },

  async "messages wait behind the question in order"(subject) {
    await asking(subject);
    await subject.send("later");
    expect(await subject.state()).toBe("waiting_hil");
    await subject.answer("deny");
    const run = await subject.claimed();
    expect(await subject.boundary(run)).toMatchObject({ value: { entered: [{ content: "later" }] } });
  },
};
