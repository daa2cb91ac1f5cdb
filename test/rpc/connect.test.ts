import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { KernelNeeded } from "../../src/abi/sys.ts";
import { realClock } from "../../src/lib/clock.ts";
import { PROTOCOL } from "../../src/rpc/protocol.ts";
import { serve } from "../../src/rpc/server.ts";
import { FakeClock } from "../support/clock.ts";
import { classOf, FakeDoor, info, text, until } from "../support/door.ts";
import { FakeHome, readView } from "../support/kernels.ts";
import { rejection } from "../support/refusal.ts";

let home: FakeHome;
beforeEach(() => {
  home = new FakeHome();
});
afterEach(() => home.close());

const refusal = new SysError("EPERM", "not yours");

describe("without a kernel", () => {
  test("a read is answered by the read-only view and starts nothing", async () => {
    const view = readView(() => ({ from: "view" }));
    const sys = home.open({ readSys: async () => view });
    expect(await sys.call<object>("echo", {})).toEqual({ from: "view" });
    await sys.close();
    expect([home.starts, view.closes]).toEqual([0, 1]);
  });

  test("a read that the view refuses starts a kernel", async () => {
    expect(await home.open().call<object>("echo", { a: 1 })).toEqual({ a: 1 });
    expect(home.starts).toBe(1);
  });

  // The kernel audits a refusal, and knows things that are not at rest.
  test.each([refusal, new KernelNeeded()])("a read that ends at the view with %s goes to a kernel", async (why) => {
    const view = readView(() => {
      throw why;
    });
    expect(await home.open({ readSys: async () => view }).call<object>("echo", { a: 1 })).toEqual({ a: 1 });
    expect(home.door.calls.map((call) => call.name)).toEqual(["echo"]);
  });

  test("other failures of the view are the answer", async () => {
    const view = readView(() => {
      throw new SysError("ESRCH", "no such process: task:zzzzzz");
    });
    expect((await rejection(home.open({ readSys: async () => view }).call("echo", {}))).code).toBe("ESRCH");
    expect(home.starts).toBe(0);
  });

  test("keyed and waiting calls, and unknown syscalls, start one kernel between them", async () => {
    const sys = home.open({ readSys: async () => readView(() => ({})) });
    const [count, , unknown] = await Promise.all([
      sys.call<number>("count", {}),
      sys.call("speak", { signals: [] }),
      rejection(sys.call("no.such", {})),
    ]);
    expect([count, unknown.code, home.starts]).toEqual([1, "ENOSYS", 1]);
  });

  test("a client that learns of a socket connects at once, and stops watching", async () => {
    let [came, watching] = [() => {}, 0];
    const sys = home.open({
      // No polling happens: no time passes.
      clock: new FakeClock(),
      startKernel: async () => {
        await home.up();
        came();
        return { status: 0, says: null };
      },
      watchSocket: (tell) => {
        came = tell;
        watching++;
        return () => watching--;
      },
    });
    expect(await sys.call<number>("count", {})).toBe(1);
    expect(watching).toBe(0);
  });

  test("a listener starts one too, and is served from then on", async () => {
    const heard: Signal[] = [];
    home.open().on({}, (signal) => heard.push(signal));
    await until("it listens", () => home.doors[0]?.listening === 1);
    home.door.emit(text(1));
    await until("it hears", () => heard.length === 1);
  });

  test("reads that showed an interrupted process start a kernel on leaving, without waiting for it", async () => {
    let started = 0;
    const sys = home.open({
      readSys: async () => readView(() => ({})),
      showedInterrupted: () => true,
      startKernel: () => {
        started++;
        return new Promise(() => {});
      },
    });
    await sys.call("echo", {});
    expect(started).toBe(0);
    await sys.close();
    expect(started).toBe(1);
  });

  test("no client starts a kernel only to stop it", async () => {
    expect(await home.open().call<object>("sys.drain", { why: "stop" })).toEqual({ pid: null });
    expect(home.starts).toBe(0);
  });
});

describe("a kernel that does not come up", () => {
  test("is EAGAIN after the deadline, with the starter's last words; starters never pile up", async () => {
    let running = 0;
    let most = 0;
    let starts = 0;
    const sys = home.open({
      settings: { startMs: 300, retryMs: 1 },
      startKernel: async () => {
        most = Math.max(most, ++running);
        starts++;
        await Bun.sleep(20);
        running--;
        return { status: 75, says: "cannot open kernel.db" };
      },
    });
    const error = await rejection(sys.call("count", {}));
    expect([error.code, error.message]).toEqual([
      "EAGAIN",
      "the kernel did not start within 0.3 s: cannot open kernel.db",
    ]);
    expect(most).toBe(1);
    expect(starts).toBeGreaterThan(1);
    expect(starts).toBeLessThan(20);
  });

  test.each([
    [78, "ECONFIG"],
    [1, "EIO"],
  ] as const)("is reported when a starter ends with %i: its words, hints and status", async (status, code) => {
    let starts = 0;
    const startKernel = async () => ({ status, says: "kernel.db is no good", hints: ["repair it"], starts: starts++ });
    const error = await rejection(home.open({ startKernel }).call("count", {}));
    expect([error.code, error.message, error.hints, starts]).toEqual([code, "kernel.db is no good", ["repair it"], 1]);
  });

  test("is reported at once when the starter cannot be run", async () => {
    const refused = new SysError("ECONFIG", "nothing can be written", ["mount it for writing"]);
    const sys = home.open({ startKernel: () => Promise.reject(refused) });
    expect(await rejection(sys.call("count", {}))).toEqual(refused);
  });

  test("on leaving is not reported", async () => {
    const startKernel = () => Promise.reject(new SysError("ECONFIG", "nothing can be written"));
    const sys = home.open({ readSys: async () => readView(() => ({})), showedInterrupted: () => true, startKernel });
    await sys.call("echo", {});
    await sys.close();
  });

  test("after a call was sent does not claim that nothing was saved", async () => {
    const door = await home.up();
    const sys = home.open({
      startKernel: async () => ({ status: 75, says: "the disk is full" }),
      settings: { startMs: 40 },
    });
    const slow = rejection(sys.call("slowCount", {}));
    await until("it is at work", () => door.calls.length === 1);
    await home.kill();
    const { code, message, hints } = await slow;
    expect([code, message.includes("ended during slowCount")]).toEqual(["EIO", true]);
    expect(hints[0]).toBe("the change may be done already: check before you repeat it");
  });

  test("is started by a second starter when the first gave way to a kernel that then left", async () => {
    let starts = 0;
    const sys = home.open({
      startKernel: async () => {
        if (++starts === 2) await home.up();
        return { status: 0, says: null };
      },
    });
    expect(await sys.call<number>("count", {})).toBe(1);
    expect(starts).toBe(2);
  });
});

describe("versions", () => {
  test("an older kernel gets a request to leave for an upgrade, then ours is started", async () => {
    const old = await home.up("0.9.0");
    expect(await home.open().call<object>("echo", { a: 1 })).toEqual({ a: 1 });
    expect(old.calls.map((call) => [call.name, call.args])).toEqual([["sys.drain", { why: "upgrade" }]]);
    expect(home.door.version).toBe("1.0.0");
  });

  test("an older kernel may take longer to finish than a new one may take to start", async () => {
    const old = await home.up("0.9.0");
    old.onDrain = async () => {
      await Bun.sleep(300);
      void home.leave("upgrade");
    };
    expect(await home.open({ settings: { startMs: 200 } }).call<number>("count", {})).toBe(1);
  });

  test("an older kernel that does not leave is reported with the command to stop it", async () => {
    (await home.up("0.9.0")).onDrain = () => {};
    const error = await rejection(home.open({ settings: { upgradeMs: 30 } }).call("count", {}));
    expect(error.code).toBe("ECONFIG");
    expect(error.message).toBe("the running kernel 0.9.0 is older than gsv 1.0.0 and does not exit");
    expect(error.hints).toEqual(["stop it, then use /opt/gsv-1.0.0: /opt/gsv-0.9.0 kernel stop"]);
  });

  test("a newer kernel is left alone and both binaries are named, for reads too", async () => {
    await home.up("1.1.0-rc.1");
    const sys = home.open({ readSys: async () => readView(() => ({})) });
    for (const name of ["count", "echo"]) {
      const error = await rejection(sys.call(name, {}));
      expect(error.code).toBe("ECONFIG");
      expect(error.message).toBe("gsv 1.0.0 is older than the running kernel 1.1.0-rc.1");
      expect(error.hints).toEqual([
        "use /opt/gsv-1.1.0-rc.1 instead of /opt/gsv-1.0.0, or stop that kernel: /opt/gsv-1.1.0-rc.1 kernel stop",
      ]);
    }
    expect(home.door.calls).toEqual([]);
  });
});

describe("a holder that does not say hello", () => {
  test("reads work without it, the rest is EAGAIN with its pid and the command to type", async () => {
    const silent = new FakeDoor();
    silent.accept = () => new Promise(() => {});
    const listener = Bun.listen({ unix: home.socketPath, socket: { data() {} } });
    const sys = home.open({ settings: { helloMs: 30 }, readSys: async () => readView(() => ({ from: "view" })) });
    expect(await sys.call<object>("echo", {})).toEqual({ from: "view" });
    for (const name of ["count", "wait"]) {
      const error = await rejection(sys.call(name, {}));
      expect([error.code, error.hints]).toEqual(["EAGAIN", ["kill -CONT 4242"]]);
      expect(error.message).toContain("pid 4242");
    }
    expect(home.starts).toBe(0);
    listener.stop(true);
  });
});

describe("a holder that is merely busy", () => {
  const busy = { isSuspended: async () => false };

  test("is waited for beyond the deadline for a suspended one", async () => {
    const door = new FakeDoor();
    const hello = Promise.withResolvers<void>();
    const accept = door.accept.bind(door);
    door.accept = (client) => hello.promise.then(() => accept(client));
    const server = await serve({ socketPath: home.socketPath, door, clock: realClock, pid: 7, exe: "gsv", classOf });
    let asked = 0;
    const sys = home.open({
      settings: { helloMs: 10, busyMs: 10_000 },
      isSuspended: async () => {
        if (++asked === 3) hello.resolve();
        return false;
      },
    });
    expect(await sys.call<number>("count", {})).toBe(1);
    expect([asked, home.starts]).toEqual([3, 0]);
    await sys.close();
    await server.close();
  });

  test("and stays so: reads work without it, the rest is EAGAIN with that reason, and no hint to resume it", async () => {
    const listener = Bun.listen({ unix: home.socketPath, socket: { data() {} } });
    const sys = home.open({
      ...busy,
      settings: { helloMs: 10, busyMs: 40 },
      readSys: async () => readView(() => ({ from: "view" })),
    });
    expect(await sys.call<object>("echo", {})).toEqual({ from: "view" });
    const error = await rejection(sys.call("count", {}));
    expect([error.code, error.message]).toEqual(["EAGAIN", "the kernel (pid 4242) is too busy to answer"]);
    expect(error.hints.join()).not.toContain("kill");
    listener.stop(true);
  });
});

test("gsv connects to no socket that another user controls", async () => {
  await home.up();
  const foreign = new SysError("ECONFIG", "somebody else's");
  const sys = home.open({
    mayDial: () => {
      throw foreign;
    },
  });
  expect(await rejection(sys.call("count", {}))).toEqual(foreign);
  const nowhere = home.open({ mayDial: () => false, readSys: async () => readView(() => ({ from: "view" })) });
  expect(await nowhere.call<object>("echo", {})).toEqual({ from: "view" });
  expect(home.door.clients).toEqual([]);
});

test("the kernel gets the environment and directory of the client", async () => {
  await home.open({ info: info({ cwd: "/tmp", env: { GSV_MODEL: "offline" } }) }).call("count", {});
  expect(home.door.clients).toEqual([info({ protocol: PROTOCOL, cwd: "/tmp", env: { GSV_MODEL: "offline" } })]);
});
