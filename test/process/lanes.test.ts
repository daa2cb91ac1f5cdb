// Order of model calls when several processes use one key.

import { describe, expect, test } from "bun:test";
import { Lanes } from "../../src/process/run/lanes.ts";
import { FakeClock } from "../support/clock.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { WIRES } from "../support/wire-bytes.ts";
import { KEY } from "../support/wire-format.ts";
import { WireServer } from "../support/wire-server.ts";

const KEY_A = "openai a";

/** All enter one lane at once; returns the order of their turns. */
class Crowd {
  readonly clock = new FakeClock();
  readonly lanes = new Lanes(this.clock);
  readonly entered: string[] = [];
  private readonly ways = new Map<string, () => void>();

  come(name: string, about: { nice?: number; watched?: boolean; most?: number; signal?: AbortSignal } = {}): void {
    const { signal = new AbortController().signal, nice = 0, watched = false, most = 1 } = about;
    void this.lanes.enter(KEY_A, { nice, watched, most, signal }).then((leave) => {
      if (leave === null) return;
      this.entered.push(name);
      this.ways.set(name, leave);
    });
  }

  async leave(name: string): Promise<void> {
    this.ways.get(name)?.();
    await this.clock.advance(0);
  }

  async all(): Promise<readonly string[]> {
    await this.clock.advance(0);
    for (let at = 0; at < this.entered.length; at++) await this.leave(this.entered[at] ?? "");
    return this.entered;
  }
}

describe("a lane", () => {
  test("serves lower niceness first, attached before background, and equals in order of arrival", async () => {
    const crowd = new Crowd();
    crowd.come("first");
    crowd.come("background");
    crowd.come("also background");
    crowd.come("nice", { nice: 5 });
    crowd.come("watched", { watched: true });
    crowd.come("urgent", { nice: -20 });
    expect(await crowd.all()).toEqual(["first", "urgent", "watched", "background", "also background", "nice"]);
  });

  test("has a limit of parallel calls, or none", async () => {
    const crowd = new Crowd();
    for (const name of ["a", "b", "c"]) crowd.come(name, { most: 2 });
    await crowd.clock.advance(0);
    expect(crowd.entered).toEqual(["a", "b"]);
    await crowd.leave("a");
    expect(crowd.entered).toEqual(["a", "b", "c"]);
    const open = new Crowd();
    for (const name of ["a", "b", "c"]) open.come(name, { most: 0 });
    await open.clock.advance(0);
    expect(open.entered).toHaveLength(3);
  });

  test("that is parked admits no call before that time, and the latest time counts", async () => {
    const crowd = new Crowd();
    const now = crowd.clock.now();
    crowd.lanes.park(KEY_A, now + 5000);
    crowd.come("a");
    crowd.lanes.park(KEY_A, now + 9000);
    crowd.lanes.park(KEY_A, now + 1000);
    await crowd.clock.advance(8999);
    expect(crowd.entered).toEqual([]);
    await crowd.clock.advance(1);
    expect(crowd.entered).toEqual(["a"]);
  });

  test("ignores cancelled waiters, and leaving counts once", async () => {
    const crowd = new Crowd();
    const giveUp = new AbortController();
    crowd.come("a");
    crowd.come("gone", { signal: giveUp.signal });
    crowd.come("b");
    crowd.come("c");
    await crowd.clock.advance(0);
    giveUp.abort();
    await crowd.leave("a");
    await crowd.leave("a");
    expect(crowd.entered).toEqual(["a", "b"]);
    expect(crowd.lanes.waiting(KEY_A)).toBe(1);
  });
});

const CHAT = WIRES["openai chat completions"]!;
const ANSWER = { type: CHAT.type, body: CHAT.body({ text: ["done"] }) };
const LATER = { status: 429, headers: { "retry-after": "30" }, type: "application/json", body: "{}" };

async function keyed(server: WireServer) {
  const home = await TestKernel.boot({ realProviders: true });
  const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${server.url}/v1` };
  const client = await home.kernel.accept({ clientId: "with-key", version: "0", cwd: "/", env });
  const send = (pid: string) =>
    client.call<{ runId: string }>("proc.send", { pid, message: "hello", model: "openai/gpt-4.1" });
  return { home, client, send };
}

describe("processes of one key", () => {
  test("a Retry-After for one parks the others too, and each is asked once afterwards", async () => {
    using server = new WireServer(() => ANSWER).will(LATER);
    const { home, send } = await keyed(server);
    await using _ = home;
    const pids = [INIT, await home.task({}), await home.task({})];
    const first = await send(INIT);
    await home.until("it is parked", async () => (await home.get(INIT)).waitsFor?.kind === "model");
    const others = await Promise.all(pids.slice(1).map(send));
    const waitsFor = { kind: "model", class: "throttle", model: "openai/gpt-4.1" };
    for (const pid of pids.slice(1))
      await home.until("it says for what it waits", async () => (await home.get(pid)).waitsFor?.kind === "model");
    expect(await home.get(pids[1] ?? "")).toMatchObject({ waitsFor });
    await home.clock.advance(20_000);
    expect(server.requests).toHaveLength(1);
    // No further: a server is also given up by this clock while it answers.
    await home.clock.advance(20_000);
    await home.until("everybody is asked", () => server.requests.length === 4);
    for (const { runId } of [first, ...others]) expect(await home.ended(runId)).toMatchObject({ status: "ok" });
  });

  test("parallel calls respect the limit, and a stop does not wait for a turn", async () => {
    using server = new WireServer(() => ({ type: CHAT.type, body: ": wait\n\n", hangs: true }));
    const { home, send } = await keyed(server);
    await using _ = home;
    await home.sys.call("config.set", { key: "ai.parallel", value: "1" });
    const waiting = await home.task({});
    await send(INIT);
    await home.until("the first is asked", () => server.requests.length === 1);
    const { runId } = await send(waiting);
    await home.inState(waiting, "running");
    await home.sys.call("proc.abort", { pid: waiting });
    expect(await home.ended(runId)).toMatchObject({ status: "aborted" });
    expect(server.requests).toHaveLength(1);
    await home.sys.call("proc.abort", { pid: INIT });
  });
});

describe("niceness", () => {
  test("can be lowered by a person and only raised by an agent, and ends with the process", async () => {
    await using home = await TestKernel.boot();
    const pid = await home.task({});
    const nice = (more: object, sys = home.sys) => sys.call<{ nice: number }>("proc.nice", { pid, ...more });
    expect(await nice({})).toEqual({ pid, nice: 0 } as never);
    expect((await nice({ nice: "5" })).nice).toBe(5);
    const agent = await home.insideOf(pid);
    expect((await nice({ nice: "+7" }, agent)).nice).toBe(7);
    expect(await home.refusal("proc.nice", { pid, nice: "-3" }, agent)).toMatchObject({ code: "EPERM" });
    for (const wrong of ["20", "-21", "fast", "1.5"])
      expect(await home.refusal("proc.nice", { pid, nice: wrong })).toMatchObject({ code: "EINVAL" });
    expect((await nice({ nice: "-3" })).nice).toBe(-3);
  });
});
