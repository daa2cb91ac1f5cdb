// Watches: what follows an event, once or each time, until they expire, and never because of themselves.

import { describe, expect, test } from "bun:test";
import type { Failure } from "../../src/abi/stream.ts";
import type { Watch } from "../../src/abi/watch.ts";
import type { NotificationList } from "../../src/syscalls/due/notify-service.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman } from "../support/people.ts";

const FAILURE = { class: "request", message: "refused", status: 400 } as unknown as Failure;
const DAY = 86_400_000;

const on = (home: TestKernel, signal: string, more: object) =>
  home.sys.call<Watch>("signal.watch", { signal, key: "w", ...more });

const watch = async (home: TestKernel, key = "w") =>
  (await home.sys.call<{ watches: Watch[] }>("signal.list", {})).watches.find((each) => each.key === key);

const titles = async (home: TestKernel) =>
  (await home.sys.call<NotificationList>("notify.list", { limit: 100 })).notifications.map(({ title }) => title);

const fired = (home: TestKernel, count: number, key = "w") =>
  home.until(`${key} fires ${count} times`, async () => (await watch(home, key))?.fired === count);

describe("a watch", () => {
  test("sends the text with the event and its id as data, for each event of its process that meets the condition", async () => {
    await using home = await TestKernel.boot();
    const [task, other] = [await home.task(), await home.task()];
    const where = 'data.status == "error" && !(data.error == "nothing")';
    await on(home, "chat.complete", { pid: task, where, send: INIT, text: "Look at this." });
    home.model.will(task, { text: "fine" }, { error: FAILURE });
    home.model.will(other, { error: FAILURE });
    await home.say("go", { pid: task });
    await home.say("go", { pid: other });
    const { run } = await home.say("go", { pid: task });
    await fired(home, 1);
    await home.until("init answers", async () => (await home.outline(INIT)).includes("assistant: done"));
    const [message] = (await home.outline(INIT)).filter((line) => line.startsWith("user: "));
    expect(message).toStartWith(
      `user: Event chat.complete:${run} (chat.complete of ${task}), by the watch w.\n\nLook at this.\n\n`,
    );
    const data = JSON.parse(message!.slice(message!.indexOf("{\n"), message!.lastIndexOf("\n```")));
    expect(data).toMatchObject({ id: `chat.complete:${run}`, watch: "w", name: "chat.complete", pid: task, run });
    expect(data.data).toMatchObject({ status: "error", label: null });
    expect(JSON.stringify(data)).not.toContain('"uid"');
  });

  test("for one event fires once and is gone; one that fails stays and says why", async () => {
    await using home = await TestKernel.boot();
    const task = await home.task();
    await on(home, "chat.complete", { once: true, notify: "It is done" });
    await on(home, "chat.complete", { once: true, exec: "echo no such thing >&2; exit 3", key: "bad" });
    await home.say("go", { pid: task });
    await home.say("go", { pid: task });
    await home.until("the first is gone", async () => (await watch(home)) === undefined);
    await home.until("the other has failed", async () => (await watch(home, "bad"))?.status === "failed");
    expect(await titles(home)).toEqual(["It is done"]);
    expect(await watch(home, "bad")).toMatchObject({ fired: 1, error: "exit status 3: no such thing" });
  });

  test("gives a command the event on stdin, in gsv's shell as the owner", async () => {
    await using home = await TestKernel.boot();
    const task = await home.task({ label: "old" });
    await on(home, "process.exit", { exec: "cat > ~/end.json; whoami > ~/who", state: { page: 3 } });
    await home.sys.call("proc.kill", { pid: task });
    const read = async (path: string) => {
      const { data } = await home.sys.call<{ data: string }>("fs.get", { path }).catch(() => ({ data: "" }));
      return Buffer.from(data, "base64").toString();
    };
    await home.until("the command has run", async () => (await read("~/who")) !== "");
    expect(await read("~/who")).toBe("sam\n");
    expect(JSON.parse(await read("~/end.json"))).toMatchObject({
      ...{ id: `process.exit:${task}`, name: "process.exit", pid: task, data: { label: "old" }, state: { page: 3 } },
    });
  });

  test("expires, and one of the same name replaces it", async () => {
    await using home = await TestKernel.boot();
    const task = await home.task();
    await on(home, "chat.start", { notify: "first", ttl: "1h" });
    const replaced = await on(home, "chat.complete", { notify: "second", ttl: "2h" });
    expect(replaced.expiresAt - home.clock.now()).toBe(7_200_000);
    await home.say("go", { pid: task });
    await fired(home, 1);
    expect(await titles(home)).toEqual(["second"]);
    await home.clock.advance(7_200_000);
    await home.say("go", { pid: task });
    expect(await watch(home)).toBeUndefined();
    expect(await titles(home)).toEqual(["second"]);
    expect((await on(home, "chat.start", { notify: "x", key: "usual" })).expiresAt - home.clock.now()).toBe(DAY);
  });

  test("is refused if it can never work", async () => {
    await using home = await TestKernel.boot();
    const refused = async (signal: string, more: object) =>
      (await home.refusal("signal.watch", { signal, ...more })).code;
    const notify = { notify: "x" };
    expect(await refused("chat.finished", notify)).toBe("EINVAL");
    expect(await refused("chat.delta", notify)).toBe("EINVAL");
    expect(await refused("notification.*", notify)).toBe("EINVAL");
    expect(await refused("chat.complete", {})).toBe("EINVAL");
    expect(await refused("chat.complete", { notify: "x", exec: "true" })).toBe("EINVAL");
    expect(await refused("chat.complete", { send: INIT })).toBe("EINVAL");
    expect(await refused("chat.complete", { send: "task:zzzzzz", text: "x" })).toBe("ESRCH");
    expect(await refused("chat.complete", { pid: "task:zzzzzz", ...notify })).toBe("ESRCH");
    for (const ttl of ["0s", "31d", "soon"]) expect(await refused("chat.complete", { ttl, ...notify })).toBe("EINVAL");
    for (const where of [
      "data.",
      'data.status = "x"',
      "(a",
      "a b",
      '"x',
      "a &&",
      "nonsense",
      "status == 1",
      "!data.x || stats",
    ])
      expect([where, await refused("chat.complete", { where, ...notify })]).toEqual([where, "EINVAL"]);
    expect(await refused("chat.complete", { key: "a b", ...notify })).toBe("EINVAL");
    expect((await home.refusal("signal.unwatch", { key: "none" })).code).toBe("ENOENT");
  });
});

describe("the events of a watch", () => {
  test("are the owner's own: another account's runs fire nothing, also for root", async () => {
    await using home = await TestKernel.boot();
    const bob = await addHuman(home, "bob");
    await on(home, "chat.complete", { notify: "mine" });
    await home.person(0).call("signal.watch", { signal: "chat.complete", key: "w", notify: "root's" });
    const { runId } = await bob.sys.call<{ runId: string }>("proc.send", { message: "hello" });
    await bob.sys.call("proc.wait", { pids: [bob.init], run: runId });
    await home.say("hello");
    await fired(home, 1);
    const { watches } = await home.person(0).call<{ watches: Watch[] }>("signal.list", {});
    expect(watches.map(({ fired: count }) => count)).toEqual([0]);
    expect((await bob.sys.call<{ watches: Watch[] }>("signal.list", {})).watches).toEqual([]);
  });

  test("an agent needs an approval, and then acts with its own rights", async () => {
    await using home = await TestKernel.boot();
    const pid = await home.task({ drop: "shell" });
    const inside = await home.insideOf(pid);
    const wanted = { signal: "chat.complete", exec: "true" };
    expect((await home.refusal("signal.watch", wanted, inside)).code).toBe("EPERM");
    const approved = await home.insideOf(pid, { approved: true });
    expect((await home.refusal("signal.watch", wanted, approved)).message).toContain("needs shell.exec");
  });
});

describe("a watch never fires on what it caused", () => {
  test("a message to the process whose end it watches is answered once", async () => {
    await using home = await TestKernel.boot();
    const task = await home.task();
    await on(home, "chat.complete", { pid: task, send: task, text: "Go on." });
    await home.say("go", { pid: task });
    await home.until(
      "it is answered",
      async () => (await home.outline(task)).filter((line) => line.startsWith("assistant")).length === 2,
    );
    await home.inState(task, "idle");
    await home.quiet();
    expect((await watch(home))?.fired).toBe(1);
    // A message of a person starts a new chain.
    await home.say("again", { pid: task });
    await fired(home, 2);
  });

  test("also not through another process, a child, a command, or a second watch", async () => {
    await using home = await TestKernel.boot();
    const [a, b] = [await home.task(), await home.task()];
    const child = await home.task({ parent: a });
    await on(home, "chat.complete", { send: a, text: "one" });
    await on(home, "chat.complete", { send: b, text: "two", key: "second" });
    await on(home, "chat.complete", { exec: `gsv send --pid ${child} three`, key: "third" });
    await home.say("go", { pid: b });
    const settled = async () => {
      const each = await Promise.all([watch(home), watch(home, "second"), watch(home, "third")]);
      return each.map((found) => found?.fired);
    };
    await home.until("all have fired", async () => (await settled()).every((count) => count !== 0));
    for (const pid of [a, b, child]) await home.inState(pid, "idle");
    for (let turn = 0; turn < 20; turn++) await home.quiet();
    const counts = await settled();
    for (const pid of [a, b, child]) await home.inState(pid, "idle");
    // Each watch comes once in each order of the three: 1 alone, 2 after one other, 2 after both. An order through the child counts twice,
    // because its end also wakes its parent. So no watch fires more than 1 + 3 + 4 times.
    for (const count of counts) expect(count).toBeLessThanOrEqual(8);
    expect(await settled()).toEqual(counts);
  });

  test("one that fires again and again without a cause is stopped after 60 times in a minute", async () => {
    await using home = await TestKernel.boot();
    const task = await home.task();
    await on(home, "process.mode", { exec: "true" });
    for (let turn = 0; turn < 62; turn++)
      await home.sys.call("proc.mode", { pid: task, mode: turn % 2 ? "ask" : "plan" });
    await home.until("it is stopped", async () => (await watch(home))?.status === "failed");
    expect(await watch(home)).toMatchObject({ fired: 60, error: "fired 60 times within a minute" });
  });
});

describe("the next kernel", () => {
  test("repeats an action that was not finished, with the same id, and a message is not sent twice", async () => {
    await using home = await TestKernel.boot();
    const task = await home.task();
    await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
    await on(home, "chat.complete", { pid: task, send: INIT, text: "done?" });
    await home.say("go", { pid: task });
    await fired(home, 1);
    await home.restart();
    await home.quiet();
    expect((await home.get(INIT)).queued).toBe(1);
    await home.say("go", { pid: task });
    await fired(home, 2);
    await home.until("both wait", async () => (await home.get(INIT)).queued === 2);
  });

  test("hears the end of a run that the last one did not", async () => {
    await using home = await TestKernel.boot();
    const task = await home.task();
    await on(home, "chat.complete", { pid: task, once: true, notify: "It is done" });
    const row = (await home.stores.kernel.watches.named(1000, "w"))!;
    await home.sys.call("signal.unwatch", { key: "w" });
    await home.say("go", { pid: task });
    // As if the kernel had died between the end of the run and the watch.
    await home.stores.kernel.watches.put(row, null);
    await home.restart();
    await home.until("it has fired", async () => (await titles(home)).length === 1);
    expect(await watch(home)).toBeUndefined();
  });
});
