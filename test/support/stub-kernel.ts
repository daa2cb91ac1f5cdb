// The lifetime of a kernel whose every part is a stub.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LeaveReason } from "../../src/abi/sys.ts";
import { type Ended, keepLifetime, type LifetimeSettings } from "../../src/kernel/lifetime/lifetime.ts";
import { FakeClock } from "./clock.ts";

/** `log` records events in order. `reports`: changes of files are reported. */
export function stubKernel(directory: string, settings: Partial<LifetimeSettings> = {}, { reports = false } = {}) {
  const clock = new FakeClock();
  const log: string[] = [];
  const settled = Promise.withResolvers<void>();
  const infoFile = join(directory, "kernel.json");
  const info = { pid: 7, version: "1.0.0", exe: "/opt/gsv", socket: "/run/s", startedAt: 5 };
  const is = { working: false, ours: true, due: null as number | null, clients: 0 };
  let accept: () => boolean = () => true;
  let quiet = () => {};
  let looks = 0;
  let report = () => {};
  let ended: Ended | null = null;
  const lifetime = keepLifetime({
    clock,
    lock: {
      stillOurs: () => is.ours,
      release: () => log.push(`release, info ${existsSync(infoFile) ? "there" : "gone"}`),
    },
    server: {
      get clients() {
        return is.clients;
      },
      keepReachable: () => void looks++,
      onConnect: (check) => {
        accept = check;
      },
      onQuiet: (listener) => {
        quiet = listener;
      },
      bye: (why) => log.push(`bye ${why}`),
      close: async () => void log.push("server closed"),
    },
    isWorking: () => is.working,
    dueWithinMs: () => is.due,
    onDrain: {
      stopClaiming: () => log.push("claims nothing"),
      settled: () => settled.promise,
      close: async () => void log.push("stores closed"),
    },
    onLost: () => log.push("lost"),
    info,
    infoFile,
    watch: (changed) => {
      report = changed;
      return reports
        ? () => {
            report = () => {};
          }
        : null;
    },
    settings: { idleMs: 10_000, graceMs: 3000, turnsMs: 10_000, lockCheckMs: 5000, ...settings },
  });
  lifetime.ended.then((end) => {
    ended = end;
  });
  return {
    clock,
    log,
    is,
    infoFile,
    info,
    connect: () => accept(),
    disconnect() {
      is.clients--;
      if (is.clients === 0) quiet();
    },
    looks: () => looks,
    report: () => report(),
    settle: () => settled.resolve(),
    drain: (why: LeaveReason) => lifetime.drain(why),
    ended: () => ended,
    isLeaving: () => log.some((line) => line.startsWith("bye")),
  };
}
