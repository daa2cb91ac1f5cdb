import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Signal } from "../../src/abi/signal.ts";
import { text, until } from "../support/door.ts";
import { FakeHome, readView } from "../support/kernels.ts";
import { seeded } from "../support/random.ts";
import { rejection } from "../support/refusal.ts";

let home: FakeHome;
beforeEach(() => {
  home = new FakeHome();
});
afterEach(() => home.close());

const resyncs = (heard: readonly Signal[]) =>
  heard.flatMap((signal) => (signal.name === "resync" ? [[signal.pid, signal.afterSeq]] : []));

describe("when the kernel dies", () => {
  test("a wait is repeated at the next one", async () => {
    const sys = home.open();
    const waiting = sys.call<string>("wait", {});
    await until("it waits", () => home.doors[0]?.calls.length === 1);
    await home.kill();
    await until("it waits again", () => home.doors[1]?.calls.length === 1);
    home.door.release();
    expect(await waiting).toBe("released");
  });

  test("a keyed call keeps its request id, so a call carried out before its answer was lost is not repeated", async () => {
    await home.up();
    const sys = home.open();
    const first = home.door;
    // Carried out, but the connection ends before the answer leaves.
    first.state.done.set("k1", ++first.state.counter);
    const call = sys.call<number>("slowCount", {}, { requestId: "k1" });
    await until("it arrived", () => first.calls.length === 1);
    await home.kill();
    await until("it is asked again", () => home.doors[1]?.calls.length === 1);
    expect(home.door.calls[0]?.options.requestId).toBe("k1");
    home.door.release();
    expect([await call, home.state.counter]).toEqual([1, 1]);
  });

  test("the client makes the request id once and repeats it", async () => {
    const sys = home.open();
    const call = sys.call<number>("slowCount", {});
    await until("it arrived", () => home.doors[0]?.calls.length === 1);
    await home.kill();
    await until("it is asked again", () => home.doors[1]?.calls.length === 1);
    home.door.release();
    await call;
    const ids = home.doors.map((door) => door.calls[0]?.options.requestId);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[1]).toBe(ids[0]);
  });

  test("calls keep their order when they are repeated", async () => {
    const sys = home.open();
    const calls = [1, 2, 3, 4, 5].map((n) => sys.call("slowCount", { n }));
    await until("all arrived", () => home.doors[0]?.calls.length === 5);
    await home.kill();
    await until("all are asked again", () => home.doors[1]?.calls.length === 5);
    expect(home.door.calls.map((call) => (call.args as { n: number }).n)).toEqual([1, 2, 3, 4, 5]);
    home.door.release();
    await Promise.all(calls);
  });

  test("again and again under 200 calls, none fails and none is carried out twice", async () => {
    const random = seeded(20_261_120);
    const clients = [home.open(), home.open(), home.open(), home.open()];
    const work = clients.flatMap((sys) =>
      Array.from({ length: 50 }, async () => {
        await Bun.sleep(random.int(150));
        await sys.call<number>("count", {});
      }),
    );
    let isOver = false;
    const killer = (async () => {
      while (!isOver) {
        await Bun.sleep(5 + random.int(20));
        // A kernel that nobody has reached yet would never be reached on a busy computer.
        if (home.clients > 0) await home.kill();
      }
    })();
    // Otherwise a failure here would kill the kernels of the tests behind it.
    await Promise.all(work).finally(() => {
      isOver = true;
      return killer;
    });
    expect([home.state.counter, home.state.done.size]).toEqual([200, 200]);
    expect(home.doors.length).toBeGreaterThan(2);
  });

  test("a call that kills every kernel is given up with EAGAIN", async () => {
    const sys = home.open();
    const failed = rejection(sys.call("wait", {}));
    let done = false;
    failed.finally(() => {
      done = true;
    });
    while (!done) {
      if ((home.doors.at(-1)?.calls.length ?? 0) > 0 && home.clients > 0) await home.kill();
      await Bun.sleep(1);
    }
    const error = await failed;
    expect([error.code, error.message]).toEqual(["EAGAIN", "the kernel ended 10 times during wait"]);
  });

  test("listeners are served by the next kernel and learn after which message to read again", async () => {
    await home.up();
    const sys = home.open();
    const one: Signal[] = [];
    const every: Signal[] = [];
    const silent: Signal[] = [];
    sys.on({ pid: "task:abc123" }, (signal) => one.push(signal));
    sys.on({}, (signal) => every.push(signal));
    sys.on({ pid: "init:1000" }, (signal) => silent.push(signal))();
    await until("both listen", () => home.door.listening === 2);
    home.door.emit(text(3));
    home.door.emit(text(9, { pid: "task:zzz999" }));
    await until("both heard", () => one.length === 1 && every.length === 2);
    await home.kill();
    await until("both get a resync", () => resyncs(one).length === 1 && resyncs(every).length === 2);
    expect(resyncs(one)).toEqual([["task:abc123", 3]]);
    expect(resyncs(every)).toEqual([
      ["task:abc123", 3],
      ["task:zzz999", 9],
    ]);
    await until("both listen again", () => home.door.listening === 2);
    home.door.emit(text(4));
    await until("both hear", () => one.length === 3);
    expect(silent).toEqual([]);
  });
});

describe("when the kernel leaves on purpose", () => {
  test("after stop, no kernel is started: calls in flight and later ones are EAGAIN, reads work", async () => {
    await home.up();
    const heard: Signal[] = [];
    const sys = home.open({ readSys: async () => readView(() => ({ from: "view" })) });
    sys.on({ pid: "init:1000" }, (signal) => heard.push(signal));
    const waiting = rejection(sys.call("wait", {}));
    await until("it waits", () => home.door.calls.length === 1);
    await home.leave("stop");
    const cut = await waiting;
    expect([cut.code, cut.message]).toEqual(["EAGAIN", "the kernel was stopped before it answered wait"]);
    const later = await rejection(sys.call("count", {}));
    expect([later.code, later.hints]).toEqual(["EAGAIN", ["gsv kernel start starts it again"]]);
    expect(await sys.call<object>("echo", {})).toEqual({ from: "view" });
    expect(home.starts).toBe(0);
    await until("listeners get a resync, so that none waits for ever", () => resyncs(heard).length > 0);
  });

  test("after stop, a kernel that another client started is used, and restarted when it dies", async () => {
    await home.up();
    const sys = home.open();
    const waiting = rejection(sys.call("wait", {}));
    await until("it waits", () => home.door.calls.length === 1);
    await home.leave("stop");
    await waiting;
    await home.up();
    expect(await sys.call<number>("count", {})).toBe(1);
    expect(home.starts).toBe(0);
    await home.kill();
    expect(await sys.call<number>("count", {})).toBe(2);
    expect(home.starts).toBe(1);
  });

  for (const why of ["restart", "upgrade", "idle"] as const) {
    test(`after ${why}, calls continue at the next kernel, which is started if there is none`, async () => {
      await home.up();
      const sys = home.open();
      const waiting = sys.call<string>("wait", {});
      await until("it waits", () => home.door.calls.length === 1);
      await home.leave(why);
      await until("it waits again", () => home.doors[1]?.calls.length === 1);
      home.door.release();
      expect(await waiting).toBe("released");
      expect(home.starts).toBe(1);
    });
  }

  test("the call that stops it is answered, even if its answer is lost, and never repeated", async () => {
    const door = await home.up();
    door.onDrain = () => void home.leave("restart");
    expect(await home.open().call<object>("sys.drain", { why: "restart" })).toEqual({ pid: 1 });
    const next = await home.up();
    next.onDrain = () => {
      void home.kill();
      return new Promise(() => {});
    };
    expect(await home.open().call<object>("sys.drain", { why: "stop" })).toEqual({ pid: 77 });
    expect(next.calls).toHaveLength(1);
    expect(home.starts).toBe(0);
  });
});

test("a call that is aborted while a kernel is being started is ECANCELED at once", async () => {
  const stop = new AbortController();
  const sys = home.open({ startKernel: () => new Promise(() => {}) });
  const failed = rejection(sys.call("count", {}, { signal: stop.signal }));
  stop.abort();
  expect((await failed).code).toBe("ECANCELED");
});

test("closing while a kernel is being started ends the calls that wait for it", async () => {
  const sys = home.open({ startKernel: () => new Promise(() => {}) });
  const failed = rejection(sys.call("count", {}));
  await sys.close();
  expect((await failed).code).toBe("ECANCELED");
});
