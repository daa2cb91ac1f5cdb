import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sys } from "../../src/abi/sys.ts";
import { realClock } from "../../src/lib/clock.ts";
import { isStopped } from "../../src/lib/stopped.ts";
import { homePaths, readKernelInfo } from "../../src/paths.ts";
import { openSys } from "../../src/rpc/connect.ts";
import { classOf, info, until } from "../support/door.ts";
import { readView } from "../support/kernels.ts";
import { seeded } from "../support/random.ts";
import { rejection } from "../support/refusal.ts";
import { samples } from "../support/soak.ts";

let home = "";
let paths = homePaths("/");
const children: Bun.Subprocess[] = [];
const opened: Sys[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gsv-proc-"));
  paths = homePaths(home);
});

afterEach(async () => {
  for (const sys of opened.splice(0)) await sys.close();
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    await child.exited;
  }
  rmSync(home, { recursive: true, force: true });
});

function start(idleMs = 10_000): Promise<{ status: number; says: string | null }> {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../support/kernel-process.ts"), home, String(idleMs)],
    {
      stdout: "inherit",
      stderr: "inherit",
      env: { HOME: home },
    },
  );
  children.push(child);
  return child.exited.then((status) => ({ status, says: null }));
}

function open(patch: { idleMs?: number; helloMs?: number } = {}): Sys {
  const sys = openSys({
    socketPath: paths.socket,
    info: info(),
    exe: "gsv",
    clock: realClock,
    random: seeded(opened.length + 1).bytes,
    classOf,
    readSys: async () => readView(() => ({ from: "view" })),
    startKernel: () => start(patch.idleMs),
    showedInterrupted: () => false,
    isSuspended: async (pid) => isStopped(pid),
    holderPid: () => readKernelInfo(paths)?.pid ?? null,
    settings: { startMs: 15_000, ...(patch.helloMs !== undefined && { helloMs: patch.helloMs }) },
  });
  opened.push(sys);
  return sys;
}

const lines = (name: string) => readFileSync(join(home, name), "utf8").trim().split("\n");
const kernelPid = () => readKernelInfo(paths)?.pid ?? 0;

const CLIENTS = samples(16, 50);

test(`${CLIENTS} clients at once on an empty home and a stale socket: one kernel, all served`, async () => {
  await open().call("count", {});
  process.kill(kernelPid(), "SIGKILL");
  rmSync(join(home, "kernels"));
  const pids = await Promise.all(Array.from({ length: CLIENTS }, () => open().call<number>("count", {})));
  expect(new Set(pids).size).toBe(1);
  expect(lines("kernels")).toEqual([String(pids[0])]);
}, 30_000);

test("kill -9 of the kernel in the middle of 200 calls: none fails, none is carried out twice", async () => {
  const random = seeded(9);
  let finished = 0;
  const clients = [open(), open(), open(), open()];
  const work = clients.map(async (sys) => {
    for (let n = 0; n < 50; n++) {
      await sys.call("count", {});
      finished++;
    }
  });
  const killer = (async () => {
    for (const at of [20, 80, 81, 150]) {
      await until(`${at} calls are through`, () => finished >= at, 15_000);
      await Bun.sleep(random.int(3));
      try {
        process.kill(kernelPid(), "SIGKILL");
      } catch {} // it died a moment ago and the next one is not up yet
    }
  })();
  await Promise.all([...work, killer]);
  const ledger = lines("ledger");
  expect([ledger.length, new Set(ledger).size]).toEqual([200, 200]);
  expect(lines("kernels").length).toBeGreaterThan(2);
}, 30_000);

const ROUNDS = samples(4, 15);

test("an idle kernel that exits under changing clients fails no call", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const sys = open({ idleMs: 5 });
    await sys.call("count", {});
    await sys.close();
    await Bun.sleep(round);
  }
  expect(lines("ledger")).toHaveLength(ROUNDS);
}, 30_000);

test("a suspended holder keeps the home: reads work, writes say what to type, and succeed once it resumes", async () => {
  await open().call("count", {});
  const pid = kernelPid();
  process.kill(pid, "SIGSTOP");
  const sys = open({ helloMs: 100 });
  expect(await sys.call<object>("echo", {})).toEqual({ from: "view" });
  const error = await rejection(sys.call("count", {}));
  expect([error.code, error.hints]).toEqual(["EAGAIN", [`kill -CONT ${pid}`]]);
  process.kill(pid, "SIGCONT");
  expect(await sys.call<number>("count", {})).toBe(pid);
}, 30_000);

test("a kernel with a replaced lock file leaves without removing the other's files", async () => {
  await open().call("count", {});
  renameSync(paths.lockFile, join(home, "away"));
  writeFileSync(paths.lockFile, "");
  expect(await children[0]?.exited).toBe(3);
  expect(existsSync(paths.kernelInfo)).toBe(true);
}, 30_000);

test("a kernel that gets a stop leaves nothing behind that looks alive", async () => {
  const sys = open();
  await sys.call("count", {});
  const waiting = rejection(sys.call("wait", {}));
  await sys.call("sys.drain", { why: "stop" });
  expect((await waiting).code).toBe("EAGAIN");
  expect(await children[0]?.exited).toBe(0);
  expect([existsSync(paths.socket), existsSync(paths.kernelInfo)]).toEqual([false, false]);
}, 30_000);
