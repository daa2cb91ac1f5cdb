import { afterEach, describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { rejection } from "../contract/sys.ts";
import { FakeDoor, info, text, until } from "../support/door.ts";
import { FakeHome, readView } from "../support/kernels.ts";

let home = new FakeHome();
afterEach(async () => {
  await home.close();
  home = new FakeHome();
});

const refusal = new SysError("EPERM", "not yours");

describe("without a kernel", () => {
  test("a read is answered by the read-only view and starts nothing", async () => {
    const view = readView(() => ({ from: "view" }));
    const sys = home.open({ readSys: async () => view });
    expect(await sys.call<object>("echo", {})).toEqual({ from: "view" });
    await sys.close();
    expect([home.starts, view.closes]).toEqual([0, 1]);
  });

  test("a read that the view cannot give starts a kernel", async () => {
    expect(await home.open().call<object>("echo", { a: 1 })).toEqual({ a: 1 });
    expect(home.starts).toBe(1);
  });

  test("a read that the view refuses is asked again at a kernel, where it is audited", async () => {
    const view = readView(() => {
      throw refusal;
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

  test("keyed and waiting calls, and syscalls we do not know, start one kernel between them", async () => {
    const sys = home.open({ readSys: async () => readView(() => ({})) });
    const [count, , unknown] = await Promise.all([
      sys.call<number>("count", {}),
      sys.call("speak", { signals: [] }),
      rejection(sys.call("no.such", {})),
    ]);
    expect([count, unknown.code, home.starts]).toEqual([1, "ENOSYS", 1]);
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

  test("nobody starts a kernel only to tell it to stop", async () => {
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
        return { status: 1, says: "cannot open kernel.db" };
      },
    });
    const error = await rejection(sys.call("count", {}));
    expect([error.code, error.message]).toEqual(["EAGAIN", "no kernel came up within 0.3 s: cannot open kernel.db"]);
    expect(most).toBe(1);
    expect(starts).toBeGreaterThan(1);
    expect(starts).toBeLessThan(20);
  });

  test("is ECONFIG at once when the starter says that trying again is useless", async () => {
    const sys = home.open({ startKernel: async () => ({ status: 78, says: "kernel.db was written by a newer gsv" }) });
    const error = await rejection(sys.call("count", {}));
    expect([error.code, error.message]).toEqual(["ECONFIG", "kernel.db was written by a newer gsv"]);
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
  test("an older kernel is asked to leave for an upgrade, then ours is started", async () => {
    const old = await home.up("0.9.0");
    expect(await home.open().call<object>("echo", { a: 1 })).toEqual({ a: 1 });
    expect(old.calls.map((call) => [call.name, call.args])).toEqual([["sys.drain", { why: "upgrade" }]]);
    expect(home.door.version).toBe("1.0.0");
  });

  test("an older kernel may take longer to finish than a new one may take to start", async () => {
    const old = await home.up("0.9.0");
    old.onDrain = async () => {
      await Bun.sleep(80);
      void home.leave("upgrade");
    };
    expect(await home.open({ settings: { startMs: 20 } }).call<number>("count", {})).toBe(1);
  });

  test("an older kernel that does not leave is named, with what stops it", async () => {
    (await home.up("0.9.0")).onDrain = () => {};
    const error = await rejection(home.open({ settings: { upgradeMs: 30 } }).call("count", {}));
    expect(error.code).toBe("ECONFIG");
    expect(error.message).toContain("/opt/gsv-0.9.0");
    expect(error.hints.join()).toContain("/opt/gsv-0.9.0 kernel stop");
  });

  test("a newer kernel is left alone and both binaries are named, for reads too", async () => {
    await home.up("1.1.0-rc.1");
    const sys = home.open({ readSys: async () => readView(() => ({})) });
    for (const name of ["count", "echo"]) {
      const error = await rejection(sys.call(name, {}));
      expect(error.code).toBe("ECONFIG");
      expect(error.message).toBe(
        "this gsv 1.0.0 (/opt/gsv-1.0.0) is older than the running kernel 1.1.0-rc.1 (/opt/gsv-1.1.0-rc.1)",
      );
    }
    expect(home.door.calls).toEqual([]);
  });
});

describe("a holder that does not say hello", () => {
  test("reads go on without it, the rest is EAGAIN with its pid and what to type", async () => {
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

test("the environment and directory of the client are what the kernel is told", async () => {
  await home.open({ info: info({ cwd: "/tmp", env: { GSV_MODEL: "offline" } }) }).call("count", {});
  expect(home.door.clients).toEqual([info({ cwd: "/tmp", env: { GSV_MODEL: "offline" } })]);
});
