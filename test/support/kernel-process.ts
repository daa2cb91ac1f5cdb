// An empty kernel in a process of its own: it is elected, serves a call `count` that it carries out once per request
// id, in a file, and leaves on request or when idle. Arguments: the home, and the idle time.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SysError } from "../../src/abi/errno.ts";
import type { CallOptions, LeaveReason, Sys } from "../../src/abi/sys.ts";
import { elect, keepLifetime } from "../../src/kernel/lifetime/lifetime.ts";
import { realClock } from "../../src/lib/clock.ts";
import { homePaths, prepareHome } from "../../src/paths.ts";
import { isServed } from "../../src/rpc/client.ts";
import { serve } from "../../src/rpc/server.ts";
import { acquireLock } from "../../src/store/lock.ts";
import { classOf } from "./door.ts";

const [home = "", idleMs = "10000"] = process.argv.slice(2);
const paths = homePaths(home);
const ledger = join(home, "ledger");
prepareHome(paths, process.getuid?.() ?? 0);

const lock = await elect({
  acquire: () => acquireLock(paths.lockFile),
  isServed: () => isServed(paths.socket),
  clock: realClock,
});
if (lock === null) process.exit(0);

const done = new Set(existsSync(ledger) ? readFileSync(ledger, "utf8").split("\n") : []);

async function call(name: string, args: object, { requestId = "", signal }: CallOptions): Promise<unknown> {
  if (name === "echo") return args;
  if (name === "wait")
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("over"))));
  if (name === "sys.drain") return void lifetime.drain((args as { why: LeaveReason }).why);
  if (name !== "count") throw new SysError("ENOSYS", name);
  if (!done.has(requestId)) appendFileSync(ledger, `${requestId}\n`);
  done.add(requestId);
  await realClock.sleep(2);
  return process.pid;
}

const sys: Sys = {
  call: <Result>(name: string, args: object, options: CallOptions = {}) => call(name, args, options) as Promise<Result>,
  on: () => () => {},
  close: async () => {},
};

appendFileSync(join(home, "kernels"), `${process.pid}\n`);
const about = { pid: process.pid, exe: "gsv" };
const server = await serve({
  ...about,
  socketPath: paths.socket,
  door: { version: "1.0.0", accept: async () => sys },
  clock: realClock,
  classOf,
});
const lifetime = keepLifetime({
  lock,
  clock: realClock,
  server,
  isWorking: () => false,
  dueWithinMs: () => null,
  onDrain: { stopClaiming() {}, settled: async () => {}, close: async () => {} },
  onLost: () => process.exit(3),
  info: { ...about, version: "1.0.0", socket: paths.socket, startedAt: Date.now() },
  infoFile: paths.kernelInfo,
  settings: { idleMs: Number(idleMs), graceMs: 3000, turnsMs: 10_000, lockCheckMs: 50 },
});
await lifetime.ended;
process.exit(0);
