// Messages come in, wait in order, and become runs.

import { expect } from "bun:test";
import { LIMITS } from "../../../src/abi/config/limits.ts";
import { DONE, granted } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

function silence(now: number) {
  return { lastSaid: 0, renew: { before: now, archiveId: "a-1", requestKey: "renewal" } };
}

export const INBOX: Claims = {
  async "the same message under the same key is admitted once, with the same answer"(subject) {
    const message = subject.admission("hello");
    const first = await subject.admit(message);
    const again = await subject.admit({ ...message, runId: "run-of-the-retry", now: subject.now() });
    expect(first).toMatchObject({ ok: true, replay: false, value: { runId: message.runId, queued: false, ends: [] } });
    expect(again).toMatchObject({ ok: true, replay: true, value: { runId: message.runId } });
    expect((await subject.store.head(subject.pid)).queued).toBe(1);
  },

  async "another message under the same key is a conflict and changes nothing"(subject) {
    const message = subject.admission("hello");
    await subject.admit(message);
    expect(await subject.admit({ ...message, text: "something else" })).toEqual({ ok: false, why: "conflict" });
    expect(await subject.admit({ ...message, urgent: true })).toEqual({ ok: false, why: "conflict" });
    expect((await subject.store.head(subject.pid)).queued).toBe(1);
  },

  async "a key that an abort used is a conflict for a message"(subject) {
    await subject.abort(null, "key-x");
    const message = subject.admission("hello", { requestKey: "key-x" });
    expect(await subject.admit(message)).toEqual({ ok: false, why: "conflict" });
  },

  async "a replay after the run finished starts nothing"(subject) {
    const message = subject.admission("hello");
    await subject.admit(message);
    await subject.turn(await subject.claimed(), { finish: DONE });
    expect(await subject.admit(message)).toMatchObject({ ok: true, replay: true });
    expect(await subject.claim()).toBeNull();
    expect(await subject.state()).toBe("idle");
  },

  async "a key is remembered for a day"(subject) {
    const message = subject.admission("hello");
    await subject.admit(message);
    const nextDay = message.now + LIMITS.requestsKeptMs;
    await subject.send("meanwhile", { now: nextDay });
    expect(await subject.admit(message)).toMatchObject({ replay: true });
    await subject.send("later", { now: nextDay + 1 });
    expect(await subject.admit({ ...message, runId: "run-anew" })).toMatchObject({ replay: false });
  },

  async "a message after a long silence starts a new history that it belongs to, and the old one gets archived"(
    subject,
  ) {
    const run = await subject.running("before");
    await subject.turn(run, { finish: DONE });
    await subject.note("quiet news");
    const { lastSaid, renew } = silence(subject.now());
    expect(granted(await subject.admit(subject.admission("early", { renew: { ...renew, before: lastSaid } })))).toEqual(
      expect.not.objectContaining({ renewed: true }),
    );
    await subject.turn(await subject.claimed(), { finish: DONE });
    const message = subject.admission("after", { renew: silence(subject.now()).renew });
    expect(granted(await subject.admit(message))).toMatchObject({ renewed: true, queued: false, ends: [] });
    expect(await subject.admit(message)).toMatchObject({ replay: true, value: { renewed: true } });
    expect((await subject.store.head(subject.pid)).closing).toMatchObject({ reason: "reset", archiveId: "a-1" });
    expect(await subject.claim()).toBeNull();
    expect((await subject.closingRecords()).records).toHaveLength(5);
    await subject.seal();
    expect((await subject.claimed()).entered.map(({ content }) => content)).toEqual(["after"]);
  },

  async "work under way continues, however old the last message is"(subject) {
    const { renew } = silence(subject.now() + 1_000_000);
    expect(granted(await subject.admit(subject.admission("first", { renew })))).not.toHaveProperty("renewed");
    const run = await subject.claimed();
    expect(granted(await subject.admit(subject.admission("busy", { renew })))).not.toHaveProperty("renewed");
    await subject.turn(run, { finish: DONE });
    expect(granted(await subject.admit(subject.admission("waiting", { renew })))).not.toHaveProperty("renewed");
    expect((await subject.store.head(subject.pid)).closing).toBeNull();
  },

  async "unread quiet events come with the message that starts a new history"(subject) {
    await subject.turn(await subject.running("before"), { finish: DONE });
    await subject.note("a child has ended");
    const { renew } = silence(subject.now() + 1_000_000);
    await subject.admit(subject.admission("after", { renew }));
    await subject.seal();
    expect((await subject.claimed()).entered.map(({ content }) => content)).toEqual(["a child has ended", "after"]);
  },

  async "a message to a missing process is refused and creates nothing"(subject) {
    const refused = subject.store.admit("task:zzzzzz", subject.admission("hello"));
    await expect(refused).rejects.toMatchObject({ code: "EIO" });
    expect(await subject.store.exists("task:zzzzzz")).toBe(false);
  },

  async "a full queue refuses and keeps its messages; notices do not count: the newest wait, and never keep a message out"(
    subject,
  ) {
    const count = LIMITS.noticesMax + 5;
    for (let row = 0; row < count; row++) await subject.note(`notice ${row}`, `child:${row}`);
    await subject.note("the last one again", `child:${count - 1}`);
    await subject.claimed().then(
      () => expect.unreachable("a notice starts nothing"),
      () => undefined,
    );
    await subject.running("at last");
    const entered = (await subject.lines()).map((line) => line.replace(/^\d+ /, ""));
    expect(entered).toHaveLength(LIMITS.noticesMax + 1);
    expect(entered.slice(-3)).toEqual([`system: notice ${count - 2}`, "system: the last one again", "user: at last"]);
    for (let row = 0; row < LIMITS.queueRowsMax; row++) await subject.send(`message ${row}`);
    await subject.note("also beside a full queue");
    expect(await subject.admit(subject.admission("one more"))).toEqual({ ok: false, why: "full" });
    expect((await subject.store.head(subject.pid)).queued).toBe(LIMITS.queueRowsMax);
  },

  async "the queue is bounded in bytes too"(subject) {
    const half = "x".repeat(LIMITS.queueBytesMax / 2);
    await subject.send(half);
    await subject.send(half);
    expect(await subject.admit(subject.admission("x"))).toEqual({ ok: false, why: "full" });
  },

  async "messages become runs in the order they were admitted"(subject) {
    const sent = [await subject.send("one"), await subject.send("two"), await subject.send("three")];
    const ran: string[] = [];
    for (let claimed = await subject.claim(); claimed !== null; claimed = await subject.claim()) {
      ran.push(claimed.runId);
      await subject.turn(claimed, { finish: DONE });
    }
    expect(ran).toEqual(sent);
    expect((await subject.lines()).filter((line) => line.includes("user"))).toEqual([
      "1 user: one",
      "3 user: two",
      "5 user: three",
    ]);
  },

  async "a claim opens one run and a second claim resumes the same one"(subject) {
    await subject.send("one");
    await subject.send("two");
    const first = await subject.claimed();
    const second = await subject.claimed();
    expect(first).toMatchObject({ resumed: false, turn: 0 });
    expect(second).toMatchObject({ resumed: true, runId: first.runId });
    expect(second.epoch).toBeGreaterThan(first.epoch);
  },

  async "an empty claim changes nothing"(subject) {
    const before = await subject.store.head(subject.pid);
    expect(await subject.claim()).toBeNull();
    expect(await subject.store.head(subject.pid)).toEqual(before);
    expect(await subject.store.outbox(subject.pid)).toEqual([]);
  },

  async "the sender's choice of model stays with the run, also when a later kernel resumes it"(subject) {
    await subject.send("hello", { model: "script:/tmp/a" });
    expect((await subject.claimed()).model).toBe("script:/tmp/a");
    await subject.nextKernel();
    expect(await subject.claimed()).toMatchObject({ resumed: true, model: "script:/tmp/a" });
  },

  async "an urgent message ends the run in flight and starts at once, after all earlier messages"(subject) {
    const run = await subject.running("slow work");
    const waited = await subject.send("waited");
    const urgent = granted(await subject.admit(subject.admission("now!", { urgent: true })));
    expect(urgent.ends).toMatchObject([{ runId: run.runId, status: "aborted", reason: "user.superseded" }]);
    expect(urgent.queued).toBe(false);
    const next = await subject.claimed();
    expect(next.runId).toBe(urgent.runId ?? "");
    expect(next.entered.map((message) => message.content)).toEqual(["waited", "now!"]);
    expect(await subject.store.runEnd(subject.pid, waited)).toBe("open");
  },

  async "superseding does not end the process's work: no end is reported"(subject) {
    await subject.running();
    await subject.send("now!", { urgent: true });
    expect((await subject.store.outbox(subject.pid)).map((row) => row.ended)).toEqual([null, null, null]);
    expect(await subject.state()).toBe("queued");
  },

  async "quiet events do not count as queued, start nothing, and enter with the next run"(subject) {
    await subject.note("a child ended");
    expect(await subject.store.head(subject.pid)).toMatchObject({ queued: 0, state: "idle" });
    expect(await subject.claim()).toBeNull();
    const run = await subject.running("hello");
    expect(run.entered).toMatchObject([
      { id: 1, role: "system", content: "a child ended", runId: run.runId },
      { id: 2, role: "user", content: "hello" },
    ]);
  },

  async "an event replaces an earlier one of its source that still waits"(subject) {
    await subject.note("child: running", "child:task:bbbbbb");
    await subject.note("other", "child:task:cccccc");
    await subject.note("child: done", "child:task:bbbbbb");
    const run = await subject.running("hello");
    expect(run.entered.map((message) => message.content)).toEqual(["other", "child: done", "hello"]);
  },

  async "a run has a finish of its own if its event was replaced before it started"(subject) {
    const event = { kind: "event", source: "child:task:bbbbbb" } as const;
    const first = await subject.send("ended", event);
    const second = granted(await subject.admit(subject.admission("ended again", event)));
    expect(second.ends).toMatchObject([{ runId: first, status: "aborted", reason: "event.replaced" }]);
    expect(await subject.store.runEnd(subject.pid, first)).toMatchObject({ status: "aborted" });
  },

  async "a process is idle again when a quiet event replaces its only waking one"(subject) {
    await subject.send("ended", { kind: "event", source: "child:task:bbbbbb" });
    await subject.note("ended quietly", "child:task:bbbbbb");
    expect(await subject.state()).toBe("idle");
    expect((await subject.latest())?.projection).toMatchObject({ state: "idle", queued: 0 });
  },
};
