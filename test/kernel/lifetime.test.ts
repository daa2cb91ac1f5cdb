import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { elect, type LifetimeSettings } from "../../src/kernel/lifetime/lifetime.ts";
import { FakeClock } from "../support/clock.ts";
import { stubKernel } from "../support/stub-kernel.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gsv-life-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const kernel = (settings?: Partial<LifetimeSettings>, how?: { readonly reports: boolean }) =>
  stubKernel(directory, settings, how);

const whole = (why: string) => [`bye ${why}`, "claims nothing", "server closed", "stores closed", "release, info gone"];

describe("a kernel with nothing to do", () => {
  test("waits 3 s for its first client, then leaves", async () => {
    const { clock, isLeaving, settle, log, ended } = kernel();
    settle();
    await clock.advance(2500);
    expect(isLeaving()).toBe(false);
    await clock.advance(1500);
    expect(log).toEqual(whole("idle"));
    expect(ended()).toEqual({ why: "idle", leftWork: false });
    expect(clock.pending).toBe(0);
  });

  test("stays 10 s after its last client left, and while a client is connected", async () => {
    const { clock, is, connect, disconnect, isLeaving } = kernel();
    is.clients = 1;
    expect(connect()).toBe(true);
    await clock.advance(3_600_000);
    expect(isLeaving()).toBe(false);
    disconnect();
    await clock.advance(9900);
    expect(isLeaving()).toBe(false);
    await clock.advance(1100);
    expect(isLeaving()).toBe(true);
  });

  test("checks every 2.5 s while a client is connected, and at once when the last one leaves", async () => {
    const { clock, is, connect, disconnect, looks } = kernel();
    is.clients = 1;
    connect();
    await clock.advance(10_000);
    const before = looks();
    await clock.advance(100_000);
    expect(looks() - before).toBe(40);
    disconnect();
    expect(looks() - before).toBe(41);
  });

  test("checks every 2.5 s while it only waits for an instant, and every 0.75 s while it works", async () => {
    const { clock, is, looks } = kernel();
    const looksIn = async (ms: number) => {
      const before = looks();
      await clock.advance(ms);
      return looks() - before;
    };
    is.due = 3_600_000;
    await clock.advance(10_000);
    expect(await looksIn(100_000)).toBe(40);
    is.working = true;
    await clock.advance(2500);
    expect(await looksIn(75_000)).toBe(100);
  });

  test("checks every 30 s while a client is connected and changes of its files are reported, and after each report", async () => {
    const { clock, is, connect, looks, report, log } = kernel({}, { reports: true });
    is.clients = 1;
    connect();
    await clock.advance(40_000);
    const before = looks();
    await clock.advance(300_000);
    expect(looks() - before).toBe(10);
    expect(clock.pending).toBe(1);
    is.ours = false;
    report();
    expect(log).toEqual(["lost"]);
    expect(clock.pending).toBe(0);
  });

  test("counts from the last visit, however short it was", async () => {
    const { clock, connect, isLeaving } = kernel();
    for (let visit = 0; visit < 20; visit++) {
      connect();
      await clock.advance(7000);
      expect(isLeaving()).toBe(false);
    }
  });

  test("gives the first client its grace even if its idle time is zero", async () => {
    const { clock, connect, isLeaving } = kernel({ idleMs: 0 });
    await clock.advance(2000);
    expect(isLeaving()).toBe(false);
    connect();
    await clock.advance(100);
    expect(isLeaving()).toBe(true);
  });
});

describe("a kernel stays", () => {
  test("while processes work, and 10 s longer", async () => {
    const { clock, is, connect, isLeaving } = kernel();
    connect();
    is.working = true;
    await clock.advance(86_400_000);
    expect(isLeaving()).toBe(false);
    is.working = false;
    await clock.advance(9000);
    expect(isLeaving()).toBe(false);
    await clock.advance(3000);
    expect(isLeaving()).toBe(true);
  });

  test("for work due within 24 h or overdue, but not for later work", async () => {
    for (const [due, stays] of [
      [0, true],
      [-5000, true],
      [86_400_000, true],
      [86_400_001, false],
    ] as const) {
      const { clock, is, isLeaving } = kernel();
      is.due = due;
      await clock.advance(20_000);
      expect(`due in ${due}: ${isLeaving()}`).toBe(`due in ${due}: ${!stays}`);
    }
  });
});

describe("draining", () => {
  test("says bye first, waits for running turns, and only then closes in order", async () => {
    const { clock, is, drain, settle, log } = kernel();
    is.working = true;
    void drain("restart");
    await clock.advance(9000);
    expect(log).toEqual(["bye restart", "claims nothing"]);
    settle();
    await clock.advance(0);
    expect(log).toEqual(whole("restart"));
  });

  test("waits at most 10 s for turns, and 5 s more for their ends", async () => {
    const { clock, drain, log } = kernel();
    void drain("stop");
    await clock.advance(9999);
    expect(log).toEqual(["bye stop", "claims nothing"]);
    await clock.advance(5000);
    expect(log).toEqual(["bye stop", "claims nothing"]);
    await clock.advance(1);
    expect(log.slice(-3)).toEqual(["server closed", "stores closed", "release, info gone"]);
  });

  test("happens once, with the first reason, however often it is requested", async () => {
    const { clock, drain, settle, log } = kernel();
    settle();
    const first = drain("upgrade");
    const second = drain("stop");
    await clock.advance(0);
    expect(await first).toEqual({ why: "upgrade", leftWork: false });
    expect(await second).toEqual(await first);
    expect(log).toEqual(whole("upgrade"));
  });

  test("reports whether it admitted work on the way out", async () => {
    const { clock, is, drain, settle } = kernel();
    settle();
    is.working = true;
    const ended = drain("idle");
    await clock.advance(0);
    expect(await ended).toEqual({ why: "idle", leftWork: true });
  });
});

describe("a kernel whose lock file was replaced", () => {
  test("notices within 5 s, ends at once and touches nothing", async () => {
    const { clock, is, log, infoFile, ended } = kernel();
    is.clients = 1;
    await clock.advance(4000);
    is.ours = false;
    await clock.advance(5000);
    expect(log).toEqual(["lost"]);
    await clock.advance(3_600_000);
    expect(log).toEqual(["lost"]);
    expect(existsSync(infoFile)).toBe(true);
    expect(ended()).toBeNull();
  });

  test("accepts no client", () => {
    const { is, connect, log } = kernel();
    is.ours = false;
    expect([connect(), connect(), log]).toEqual([false, false, ["lost"]]);
  });

  test("does not drain, and aborts a drain in progress", async () => {
    const early = kernel();
    early.is.ours = false;
    void early.drain("stop");
    await early.clock.advance(60_000);
    expect(early.log).toEqual(["lost"]);
    const late = kernel();
    void late.drain("stop");
    await late.clock.advance(1000);
    late.is.ours = false;
    late.settle();
    await late.clock.advance(60_000);
    expect(late.log).toEqual(["bye stop", "claims nothing", "lost"]);
    expect(existsSync(late.infoFile)).toBe(true);
  });
});

test("run/kernel.json names the holder of the home, and only its owner can read it", () => {
  const before = process.umask(0);
  try {
    const { infoFile, info } = kernel();
    expect(JSON.parse(readFileSync(infoFile, "utf8"))).toEqual(info);
    expect(statSync(infoFile).mode & 0o777).toBe(0o600);
  } finally {
    process.umask(before);
  }
});

describe("an election", () => {
  test("is won by the process that gets the lock, at once or when the holder releases it within 2 s", async () => {
    const clock = new FakeClock();
    expect(await elect({ clock, acquire: () => "lock", isServed: async () => false })).toBe("lock");
    const freeAt = clock.mono() + 1500;
    const late = elect({ clock, acquire: () => (clock.mono() >= freeAt ? "lock" : null), isServed: async () => false });
    await clock.advance(2000);
    expect(await late).toBe("lock");
  });

  test("is lost at once to a serving kernel, and after 2 s to a holder that neither serves nor leaves", async () => {
    const clock = new FakeClock();
    expect(await elect({ clock, acquire: () => null, isServed: async () => true })).toBeNull();
    const stuck = elect({ clock, acquire: () => null, isServed: async () => false });
    await clock.advance(2100);
    expect(await stuck).toBeNull();
  });
});
