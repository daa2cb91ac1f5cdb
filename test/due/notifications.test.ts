// Notifications in a real kernel: their rows, their readers, and the time at which they come.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Notification } from "../../src/abi/notification.ts";
import type { NotificationList } from "../../src/syscalls/due/notify-service.ts";
import { TestKernel } from "../support/kernel.ts";
import { rejection } from "../support/refusal.ts";

const DAY_MS = 86_400_000;
let home: TestKernel;

beforeEach(async () => {
  home = await TestKernel.boot();
});
afterEach(() => home[Symbol.asyncDispose]());

const list = (query: object = {}) => home.sys.call<NotificationList>("notify.list", query);
const titles = async (query: object = {}) => (await list(query)).notifications.map(({ title }) => title);
const send = (title: string, more: object = {}) => home.sys.call<Notification>("notify.send", { title, ...more });
const announced = () =>
  home.signals.flatMap((signal) => (signal.name === "notification.created" ? [[signal.title, signal.unread]] : []));

describe("a notification", () => {
  test("has one terminal that claims it for the desktop, in each account and again later", async () => {
    const claim = async (news: string) => (await home.sys.call<{ first: boolean }>("notify.claim", { news })).first;
    expect([await claim("ask a1"), await claim("ask a1"), await claim("ask b2")]).toEqual([true, false, true]);
    await home.clock.advance(61_000);
    expect(await claim("ask a1")).toBe(true);
  });

  test("is listed, read and dismissed, and announced once", async () => {
    const first = await send("backup done", { body: "3 files", level: "success" });
    await send("look at this");
    expect(await titles()).toEqual(["look at this", "backup done"]);
    expect(announced()).toEqual([
      ["backup done", 1],
      ["look at this", 2],
    ]);
    expect(await home.sys.call<object>("notify.read", { ids: [first.id] })).toEqual({ ids: [first.id], unread: 1 });
    expect(await titles({ unread: true })).toEqual(["look at this"]);
    await home.sys.call("notify.dismiss", { all: true });
    expect([await titles(), (await list()).unread, await titles({ dismissed: true })]).toEqual([
      [],
      0,
      ["look at this", "backup done"],
    ]);
  });

  test.each([
    ["unread", {}, 30 * DAY_MS],
    ["with its own time", { ttl: "2h" }, DAY_MS / 12],
  ])("%s expires", async (_name, more, ms) => {
    await send("hello", more);
    await home.clock.advance(ms - 1);
    expect(await titles()).toEqual(["hello"]);
    await home.clock.advance(1);
    expect(await titles()).toEqual([]);
  });

  test("is kept for 7 days once read, and for 3 once dismissed", async () => {
    const { id } = await send("hello");
    await home.clock.advance(29 * DAY_MS);
    await home.sys.call("notify.read", { ids: [id] });
    await home.clock.advance(6 * DAY_MS);
    expect(await titles()).toEqual(["hello"]);
    await home.sys.call("notify.dismiss", { ids: [id] });
    await home.clock.advance(3 * DAY_MS - 1);
    expect(await titles({ dismissed: true })).toEqual(["hello"]);
    await home.clock.advance(1);
    expect(await titles({ dismissed: true })).toEqual([]);
  });

  test.each([
    [{ ttl: "91d" }, "EINVAL", 'invalid --ttl: "91d"'],
    [{ ttl: "soon" }, "EINVAL", 'invalid --ttl: "soon"'],
    [{ action: "rm -rf" }, "EINVAL", 'invalid --action: "rm -rf"'],
    [{ action: "open task:zzzzzz" }, "ESRCH", "no such process: task:zzzzzz"],
    [{ action: "approve zz99" }, "ENOENT", 'no such request: "zz99"'],
    [{ action: "retry nothing" }, "ENOENT", "no such schedule: nothing"],
    [{ title: "\x1b]0;x\x07" }, "EINVAL", "the title is empty"],
  ])("%p is refused", async (more, code, message) => {
    expect(await rejection(home.sys.call("notify.send", { title: "hello", ...more }))).toMatchObject({ code, message });
    expect(await titles()).toEqual([]);
  });

  test("has a clean title and survives the kernel", async () => {
    await send("one\x1b[31m\ntwo", { body: "a\x1b]52;c;x\x07b" });
    await home.restart();
    const [shown] = (await list()).notifications;
    expect([shown?.title, shown?.body]).toEqual(["one two", "ab"]);
  });
});

describe("many notifications", () => {
  test("after three at once the others come as one", async () => {
    for (let n = 1; n <= 40; n++) await send(`news ${n}`);
    expect(announced().length).toBe(3);
    await home.clock.advance(30_000);
    await home.until("announced", () => announced().length === 4);
    expect(announced()[3]).toEqual(["37 notifications", 40]);
    const bundle = home.signals.findLast(({ name }) => name === "notification.created");
    expect(bundle).toMatchObject({ body: "news 4\nnews 5\nnews 6\nand 34 more", source: null });
    await home.clock.advance(30_000);
    await send("later");
    expect(announced()[4]).toEqual(["later", 41]);
  });

  test("in quiet hours they wait for the end, also through a restart", async () => {
    await home.sys.call("config.set", { key: "userTimezone", value: "Asia/Tokyo" });
    // 03:04 UTC is 12:04 in Tokyo.
    await home.sys.call("config.set", { key: "notify.quiet", value: "12:00-12:30" });
    await send("one");
    await send("two");
    expect([announced(), (await list()).unread]).toEqual([[], 2]);
    await home.restart();
    await home.clock.advance(30 * 60_000);
    await home.until("announced", () => announced().length === 1);
    expect(announced()).toEqual([["2 notifications", 2]]);
  });

  test("a read one is not announced later", async () => {
    await home.sys.call("config.set", { key: "notify.quiet", value: "00:00-23:59" });
    await send("one");
    await home.sys.call("notify.read", { all: true });
    await home.clock.advance(DAY_MS);
    expect(announced()).toEqual([]);
  });

  test("an account keeps 1,000: read ones give way first", async () => {
    const first = await send("first");
    const { notifications } = home.stores.kernel;
    const [row] = await notifications.list({ uid: 1000, now: home.clock.now(), limit: 1 });
    // Through the store: a thousand calls would take seconds.
    for (let n = 1; n < 1000; n++) await notifications.add({ ...row!, id: `more-${n}`, title: "more" }, { max: 1000 });
    await home.sys.call("notify.read", { ids: [first.id] });
    await send("last");
    const all = await home.stores.kernel.notifications.list({ uid: 1000, now: home.clock.now(), limit: 2000 });
    expect([all.length, all[0]?.title, all.some(({ title }) => title === "first")]).toEqual([1000, "last", false]);
  });
});

describe("notify.command", () => {
  test("gets the notification as JSON, and no secret", async () => {
    const [program, out] = [join(home.directory, "take"), join(home.directory, "out")];
    writeFileSync(program, `#!/bin/sh\n{ cat; env; } > ${out}.part\nmv ${out}.part ${out}\n`);
    chmodSync(program, 0o700);
    await home.sys.call("config.set", { key: "notify.command", value: program });
    const pid = await home.task();
    await send("look", { action: `open ${pid}`, level: "warning" });
    await home.kernel.drain(5000);
    const [json = "", ...env] = readFileSync(out, "utf8").split("\n");
    expect(JSON.parse(json)).toMatchObject({
      ...{ title: "look", level: "warning", unread: 1 },
      actions: [{ command: "open", on: pid, type: `gsv attach ${pid}` }],
    });
    expect(env.some((line) => /KEY|TOKEN|SECRET/.test(line))).toBe(false);
  });

  test("of the system or another account runs nothing", async () => {
    const out = join(home.directory, "out");
    const root = home.person(0);
    await root.call("config.set", { key: "notify.command", value: `/usr/bin/touch ${out}`, system: true });
    await send("hello");
    const { uid } = await root.call<{ uid: number }>("account.create", { username: "bob" });
    const bob = home.person(uid);
    await bob.call("config.set", { key: "notify.command", value: `/usr/bin/touch ${out}` });
    await bob.call("notify.send", { title: "hello" });
    await home.kernel.drain(5000);
    expect(await Bun.file(out).exists()).toBe(false);
  });

  test("an agent cannot set it", async () => {
    const inside = await home.insideOf(await home.task());
    expect(await rejection(inside.call("config.set", { key: "notify.command", value: "/bin/true" }))).toMatchObject({
      code: "EPERM",
    });
  });
});
