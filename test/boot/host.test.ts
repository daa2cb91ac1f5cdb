// A kernel inside one command, before it connects to another: it waits for a home between two kernels, and reports a new
// home.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { configFrom } from "../../src/abi/config/config.ts";
import { type HostMachine, hostKernel } from "../../src/client/host.ts";
import { socketPlace } from "../../src/client/socket.ts";
import { realClock } from "../../src/lib/clock.ts";
import { homePaths, prepareHome } from "../../src/paths.ts";
import { acquireLock } from "../../src/store/lock.ts";
import { FakeClock } from "../support/clock.ts";
import { seeded } from "../support/random.ts";
import { scratchDirectory } from "../support/scratch.ts";

const uid = process.getuid?.() ?? 0;
const info = { clientId: "client", version: "0", cwd: "/", env: {} };
let directory = "";

beforeEach(() => {
  directory = scratchDirectory("host");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function machine(more: Partial<HostMachine> = {}): HostMachine {
  const paths = homePaths(directory);
  return {
    paths,
    uid,
    clock: realClock,
    random: seeded(3).bytes,
    pid: process.pid,
    exe: "gsv",
    osUser: "sam",
    socket: () => socketPlace(paths, { uid }),
    config: configFrom({}),
    log: () => {},
    startKernel: () => {},
    onLost: () => {},
    onSignal: () => {},
    ...more,
  };
}

test("the first kernel of a home reports a new home, the next one does not", async () => {
  let told = 0;
  for (let n = 0; n < 2; n++) {
    const sys = await hostKernel(machine(), info, () => told++);
    expect(await sys?.call<object>("system.whoami", {})).toMatchObject({ username: "sam" });
    await sys?.close();
  }
  expect(told).toBe(1);
});

test("a home that another kernel is just leaving is waited for", async () => {
  const { lockFile } = homePaths(directory);
  prepareHome(homePaths(directory), uid);
  const leaving = acquireLock(lockFile);
  let looks = 0;
  const clock = {
    ...realClock,
    sleep: async () => {
      if (++looks === 3) leaving?.release();
    },
  };
  const sys = await hostKernel(machine({ clock }), info, () => {});
  expect(sys).not.toBeNull();
  await sys?.close();
});

test("a home that is held for long without a server is given up after two seconds", async () => {
  prepareHome(homePaths(directory), uid);
  const held = acquireLock(homePaths(directory).lockFile);
  const clock = new FakeClock();
  const gaveUp = hostKernel(machine({ clock }), info, () => {});
  let over = false;
  void gaveUp.then(() => {
    over = true;
  });
  const from = clock.mono();
  while (!over) {
    await clock.advance(5);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await gaveUp).toBeNull();
  expect(clock.mono() - from).toBeGreaterThanOrEqual(2000);
  held?.release();
});
