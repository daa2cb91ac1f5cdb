// The kernel's Sys and a process's Sys pass the suite that every Sys passes.

import type { Sys } from "../../src/abi/sys.ts";
import { sysContract } from "../contract/sys.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

async function subject(doorOf: (home: TestKernel) => Promise<Sys>) {
  const home = await TestKernel.boot();
  await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  const { pid } = await home.spawn();
  await home.sys.call("proc.signal", { pid, signal: "STOP" });
  return {
    sys: await doorOf(home),
    read: { name: "proc.get", args: { pid }, answer: { pid, owner: "sam" } },
    failing: { name: "proc.get", args: { pid: "task:zzzzzz" }, code: "ESRCH" },
    waiting: { name: "proc.wait", args: { pids: [pid] } },
    keyed: { name: "proc.send", args: { pid, message: "hello" } },
    speaking: {
      name: "proc.send",
      args: { pid, message: "hello" },
      hears: { pid, names: ["process.*"] },
      deaf: { pid: INIT },
    },
    quiet: () => home.quiet(),
    cleanup: () => home[Symbol.asyncDispose](),
  };
}

sysContract("the in-process kernel", () => subject((home) => home.client()));
sysContract("a process's own door", () => subject((home) => home.insideOf(INIT)));
