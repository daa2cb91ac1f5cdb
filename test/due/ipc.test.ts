// Calls between processes: the reply or the deadline comes once, no ring of processes waits, and the next kernel goes on with them.

import { describe, expect, test } from "bun:test";
import type { DueItem } from "../../src/abi/schedule.ts";
import type { IpcReply } from "../../src/syscalls/proc/ipc-service.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman } from "../support/people.ts";
import { rejection } from "../support/refusal.ts";

const call = (pid: string, message: string, more: object = {}) => ({ name: "Call", args: { pid, message, ...more } });

/** The results of the calls that a process made, oldest first. */
async function results(home: TestKernel, pid: string): Promise<string[]> {
  return (await home.messages(pid)).flatMap((message) =>
    message.role === "toolResult" ? [message.content.output] : [],
  );
}

const ends = (home: TestKernel) => [...home.heard("ipc.reply"), ...home.heard("ipc.timeout")];

describe("a call", () => {
  test("returns the final text of the run that answers, and the other process reads who asks and until when", async () => {
    await using home = await TestKernel.boot();
    const [asker, other] = [await home.task({ label: "asker" }), await home.task()];
    home.model.will(asker, { calls: [call(other, "How many?", { metadata: { page: 3 } })] }, { text: "It said 42." });
    home.model.will(other, { text: "Let me count.", calls: [{ name: "Read", args: { path: "~" } }] }, { text: "42" });
    const { runId } = await home.send("Ask it.", { pid: asker });
    expect((await home.ended(runId)).text).toBe("It said 42.");
    expect(await results(home, asker)).toEqual(["42"]);
    const [asked] = await home.messages(other);
    expect(asked).toMatchObject({ role: "user", origin: { kind: "process", pid: asker, cause: { hops: 1 } } });
    expect(asked?.content).toMatch(
      /^Call [a-z0-9]{8} from task:\w{6} \(asker\) of \w+, uid \d+, at \d{4}-.*Z\. The final text of this run is the reply\. Deadline: .*Z\.\n\nHow many\?\n\n```json\n\{\n "page": 3\n\}\n```$/,
    );
    expect(ends(home)).toMatchObject([{ name: "ipc.reply", pid: asker, target: other, ok: true, error: null }]);
  });

  test("ends at its deadline, once, and a late reply changes nothing", async () => {
    await using home = await TestKernel.boot();
    const [asker, other] = [await home.task(), await home.task()];
    home.model.will(asker, { calls: [call(other, "Hello?", { timeoutMs: 5000 })] }, { text: "nobody there" });
    home.model.will(other, { text: "late", hold: true });
    const { runId } = await home.send("Ask it.", { pid: asker });
    await home.holding();
    await home.clock.advance(4999);
    expect(ends(home)).toEqual([]);
    await home.clock.advance(1);
    expect((await home.ended(runId)).text).toBe("nobody there");
    home.model.release();
    await home.inState(other, "idle");
    expect((await results(home, asker))[0]).toMatch(
      /^ETIMEDOUT: no reply of task:\w{6} within 5 seconds \(call [a-z0-9]{8}\)$/,
    );
    expect(ends(home).map(({ name }) => name)).toEqual(["ipc.timeout"]);
  });

  test("of a process that is killed, aborted or fails gets an error that says so", async () => {
    await using home = await TestKernel.boot();
    const failure = { class: "request", message: "refused by the server", status: 400 } as const;
    const asker = await home.task();
    const others = [await home.task(), await home.task(), await home.task()] as const;
    home.model.will(asker, ...others.map((pid) => ({ calls: [call(pid, "Hello?")] })));
    for (const pid of others.slice(0, 2)) home.model.will(pid, { hold: true });
    home.model.will(others[2], { error: failure as never });
    const { runId } = await home.send("Ask them.", { pid: asker });
    await home.holding();
    await home.sys.call("proc.kill", { pid: others[0] });
    await home.until("the second is asked", () => home.model.asked(others[1]).length === 1);
    await home.sys.call("proc.abort", { pid: others[1] });
    await home.ended(runId);
    const [killed, aborted, failed] = await results(home, asker);
    expect(killed).toMatch(/^EIO: task:\w{6} did not answer call \w{8}: it was killed$/);
    expect(aborted).toEndWith(": its run was aborted");
    expect(failed).toContain("refused by the server");
    expect(ends(home).map((end) => "ok" in end && end.ok)).toEqual([false, false, false]);
  });

  test("whose run is aborted gets its reply with the next message", async () => {
    await using home = await TestKernel.boot();
    const [asker, other] = [await home.task(), await home.task()];
    home.model.will(asker, { calls: [call(other, "Hello?")] });
    home.model.will(other, { text: "here I am", hold: true });
    await home.send("Ask it.", { pid: asker });
    await home.holding();
    await home.sys.call("proc.abort", { pid: asker });
    home.model.release();
    await home.until("the call ends", () => ends(home).length === 1);
    await home.say("And?", { pid: asker });
    const notes = (await home.outline(asker)).filter((line) => line.startsWith("system: Call"));
    expect(notes).toHaveLength(1);
    expect(notes[0]).toEndWith(`: the reply of ${other}:\nhere I am`);
  });

  test("of a person prints the reply, exits 124 at the deadline, and needs a time that gsv knows", async () => {
    await using home = await TestKernel.boot();
    const other = await home.task();
    home.model.will(other, { text: "fine" }, { hold: true });
    const ask = (more: object) =>
      home.sys.call<IpcReply>("proc.ipc.call", { pid: other, message: "How are you?", ...more });
    expect(await ask({})).toMatchObject({ pid: other, text: "fine" });
    expect((await home.messages(other))[0]?.content).toMatch(/^Call \w{8} from sam, uid 1000, at /);
    const late = rejection(ask({ timeout: "2m" }));
    await home.holding();
    await home.clock.advance(120_000);
    expect(await late).toMatchObject({ code: "ETIMEDOUT" });
    for (const timeout of ["", "soon", "0s", "11m", "1d"])
      expect((await rejection(ask({ timeout }))).code).toBe("EINVAL");
    expect((await home.refusal("proc.ipc.send", { pid: other, message: "x" })).code).toBe("EINVAL");
  });
});

describe("who may ask whom", () => {
  test("another account's process is absent, also for root it is out of reach", async () => {
    await using home = await TestKernel.boot();
    const bob = await addHuman(home, "bob");
    const asker = await home.insideOf(await home.task());
    const refused = async (sys: typeof asker, pid: string) =>
      (await home.refusal("proc.ipc.call", { pid, message: "x" }, sys)).code;
    expect(await refused(asker, bob.init)).toBe("ESRCH");
    expect(await refused(asker, "task:zzzzzz")).toBe("ESRCH");
    expect(await refused(home.person(0), bob.init)).toBe("EPERM");
  });

  test("a process that may do more gets a message only with an approval", async () => {
    await using home = await TestKernel.boot();
    const asker = await home.task({ drop: "net" });
    home.model.will(asker, { calls: [{ name: "Send", args: { pid: INIT, message: "Fetch this." } }] });
    await home.send("Tell init.", { pid: asker });
    const { waitsFor } = await home.inState(asker, "waiting_hil");
    expect(waitsFor).toMatchObject({ kind: "approval", tool: "Send" });
    expect(home.heard("chat.hil")[0]?.why).toBe(`message ${INIT}, which may use net`);
    const peer = await home.task({ drop: "net,shell" });
    const free = await home.task({ drop: "net" });
    home.model.will(free, { calls: [{ name: "Send", args: { pid: peer, message: "Look here." } }] }, { text: "sent" });
    const { runId } = await home.send("Tell the peer.", { pid: free });
    await home.ended(runId);
    expect(await results(home, free)).toEqual([`sent to ${peer}`]);
    await home.until("the peer answers", async () => (await home.outline(peer)).includes("assistant: done"));
  });
});

describe("processes that would wait for ever", () => {
  test("a call that closes a ring of three is refused and names the ring", async () => {
    await using home = await TestKernel.boot();
    const [a, b, c] = [await home.task(), await home.task(), await home.task()];
    home.model.will(a, { calls: [call(b, "1")] }, { text: "a" });
    home.model.will(b, { calls: [call(c, "2")] }, { text: "b" });
    home.model.will(c, { calls: [call(a, "3")] }, { text: "c" });
    const { runId } = await home.send("Go.", { pid: a });
    expect((await home.ended(runId)).text).toBe("a");
    const [refusal] = await results(home, c);
    expect(refusal).toBe(
      `EDEADLK: not called: ${c} → ${a} → ${b} → ${c} would wait for each other\nanswer your own call first, or use Send`,
    );
    expect([await results(home, a), await results(home, b)]).toEqual([["b"], ["c"]]);
    const inside = await home.insideOf(a);
    expect((await home.refusal("proc.ipc.call", { pid: a, message: "x" }, inside)).code).toBe("EDEADLK");
  });

  test("eight processes may call each other in a row, the ninth call is refused", async () => {
    await using home = await TestKernel.boot();
    const pids = await Promise.all(Array.from({ length: 10 }, () => home.task()));
    for (const [at, pid] of pids.entries())
      if (at < 9) home.model.will(pid, { calls: [call(pids[at + 1]!, "next")] }, { text: `answer ${at}` });
    const { runId } = await home.send("Go.", { pid: pids[0]! });
    expect((await home.ended(runId)).text).toBe("answer 0");
    expect((await results(home, pids[8]!))[0]).toMatch(/^ELOOP: /);
    expect(await home.messages(pids[9]!)).toEqual([]);
  });

  test("eight messages in a row are sent without a person, the ninth is refused", async () => {
    await using home = await TestKernel.boot();
    const pids = await Promise.all(Array.from({ length: 10 }, () => home.task()));
    for (const [at, pid] of pids.entries())
      if (at < 9) home.model.will(pid, { calls: [{ name: "Send", args: { pid: pids[at + 1]!, message: "next" } }] });
    await home.send("Go.", { pid: pids[0]! });
    await home.until("the ninth is refused", async () => (await results(home, pids[8]!)).length === 1);
    expect((await results(home, pids[8]!))[0]).toMatch(
      /^ELOOP: not sent: 8 messages between processes led to this run/,
    );
    expect(await results(home, pids[7]!)).toEqual([`sent to ${pids[8]}`]);
    expect(await home.messages(pids[9]!)).toEqual([]);
  });
});

describe("the next kernel", () => {
  test("goes on with a call, and its reply comes once", async () => {
    await using home = await TestKernel.boot();
    const [asker, other] = [await home.task(), await home.task()];
    home.model.will(asker, { calls: [call(other, "How many?")] }, { text: "thanks" });
    home.model.will(other, { text: "lost with its kernel", hold: true }, { text: "42" });
    const { runId } = await home.send("Ask it.", { pid: asker });
    await home.holding();
    const { due } = await home.sys.call<{ due: readonly DueItem[] }>("sched.due", { limit: 9 });
    expect(due.map(({ kind, what }) => [kind, what])).toEqual([["call", `${asker} → ${other}`]]);
    expect((await home.get(asker)).waitsFor).toMatchObject({
      kind: "call",
      reason: `reply of ${other}`,
      target: other,
    });
    await home.restart();
    expect((await home.ended(runId)).text).toBe("thanks");
    expect(await results(home, asker)).toEqual(["42"]);
    expect((await home.outline(other)).filter((line) => line.startsWith("user: Call"))).toHaveLength(1);
    expect(ends(home)).toHaveLength(1);
    expect((await home.get(asker)).waitsFor).toBeNull();
  });

  test("ends a call whose deadline came without a kernel", async () => {
    await using home = await TestKernel.boot();
    const [asker, other] = [await home.task(), await home.task()];
    home.model.will(asker, { calls: [call(other, "Hello?")] });
    home.model.will(other, { hold: true }, { text: "late", hold: true });
    const { runId } = await home.send("Ask it.", { pid: asker });
    await home.holding();
    await home.clock.advance(59_000);
    expect(home.kernel.dueWithinMs()).toBe(1000);
    await home.restart();
    await home.clock.advance(1000);
    await home.ended(runId);
    expect((await results(home, asker))[0]).toStartWith("ETIMEDOUT: ");
    expect(ends(home).map(({ name }) => name)).toEqual(["ipc.timeout"]);
  });

  test("does not wait for it: a process that only waits leaves at once", async () => {
    await using home = await TestKernel.boot();
    const [asker, other] = [await home.task(), await home.task()];
    home.model.will(asker, { calls: [call(other, "Hello?")] });
    await home.sys.call("proc.signal", { pid: other, signal: "STOP" });
    await home.send("Ask it.", { pid: asker });
    await home.inState(asker, "waiting_tool");
    await home.until("it waits", async () => (await home.get(asker)).waitsFor !== null);
    // The clock stands still: a drain that waited would not end.
    await home.kernel.drain(10_000);
    expect((await home.get(asker)).state).toBe("waiting_tool");
  });
});
