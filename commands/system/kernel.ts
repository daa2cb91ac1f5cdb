// `gsv kernel start|status|restart|stop`: controls the kernel by hand. Usually not needed: commands start a kernel on demand. `stop` waits
// until running turns are complete.

import { SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { field } from "../../src/syscalls/define.ts";
import type { KernelStatus } from "../../src/syscalls/services.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { ageText } from "../io/table-layout.ts";
import { aligned } from "../man/help-text.ts";
import { printText } from "../print.ts";

// A drain takes at most 10 s; a little more for what follows it.
const LEAVE_MS_MAX = 15_000;
const LOOK_EVERY_MS = 50;

const spec = {
  name: "kernel",
  summary: "Start, stop or inspect the kernel",
  input: {
    verb: field.choice("what to do", ["start", "status", "restart", "stop"], { positional: true }),
  },
  examples: ["gsv kernel status", "gsv kernel restart", "gsv kernel stop"],
  notes: [
    "The kernel starts on demand and exits when idle. Stopping it loses nothing: queued and running work resumes\nwith the next kernel.",
  ],
};

export const kernel = command(spec, async ({ args, json }, io) => {
  switch (args.verb) {
    case "start":
      return show(io, await io.kernel.start(), json);
    case "status":
      return show(io, await statusOf(io.sys()), json);
    case "stop": {
      const left = await leave(io, "stop");
      await say(io, json, left === null ? "no kernel was running" : `kernel ${left} stopped`, { stopped: left });
      return 0;
    }
    case "restart": {
      const left = await leave(io, "restart");
      const status = await startAnother(io, left);
      await say(io, json, `kernel ${status.pid} started${left === null ? "" : `, ${left} left`}`, status);
      return 0;
    }
  }
});

function statusOf(sys: Sys): Promise<KernelStatus> {
  return sys.call<KernelStatus>("system.status", {});
}

/** Asks the kernel to exit and waits for it; returns its pid, or null if none was running. */
export async function leave(io: Io, why: "stop" | "restart"): Promise<number | null> {
  const sys = io.sys();
  const { running, pid } = await statusOf(sys);
  if (!running || pid === null) return null;
  await sys.call("sys.drain", { why });
  // After a restart, the next kernel starts when the old one has exited.
  if (why === "restart") return pid;
  const until = io.clock.mono() + LEAVE_MS_MAX;
  while (await isUp(sys, pid)) {
    if (io.clock.mono() >= until) {
      throw new SysError("EAGAIN", `kernel ${pid} is still finishing its work`, ["gsv kernel status shows it"]);
    }
    await io.clock.sleep(LOOK_EVERY_MS);
  }
  return pid;
}

// After `bye`, the client refuses further calls: count the kernel as gone.
async function isUp(sys: Sys, pid: number): Promise<boolean> {
  try {
    const status = await statusOf(sys);
    // An exiting kernel removes its name before it releases the home.
    return status.running && (status.pid === pid || status.pid === null);
  } catch (error) {
    if (error instanceof SysError && error.code === "EAGAIN") return false;
    throw error;
  }
}

async function startAnother(io: Io, old: number | null): Promise<KernelStatus> {
  const until = io.clock.mono() + LEAVE_MS_MAX;
  for (;;) {
    const status = await io.kernel.start();
    if (status.pid !== old) return status;
    if (io.clock.mono() >= until) throw new SysError("EAGAIN", `kernel ${old} is still finishing its work`);
    await io.clock.sleep(LOOK_EVERY_MS);
  }
}

async function show(io: Io, status: KernelStatus, json: boolean): Promise<number> {
  await say(io, json, statusText(status, io.clock.now()), status);
  return 0;
}

async function say(io: Io, json: boolean, text: string, value: object): Promise<void> {
  if (json) await io.stdout.write(jsonLine(value));
  else await printText(io.stdout, text);
}

function statusText(status: KernelStatus, nowMs: number): string {
  const { pid, startedAt, version, commit, bun, home, generation, clients, processes, working } = status;
  const age = startedAt === null ? "" : `, up ${ageText(startedAt, nowMs)}`;
  const rows: [string, string][] = [
    ["kernel", status.running ? `running (pid ${pid}${age})` : "not running (starts on demand)"],
    ["version", `${version} (${commit}), bun ${bun}`],
    ["home", home],
    ["generation", String(generation)],
    ["processes", `${processes}, ${working} running`],
  ];
  if (status.running) rows.push(["clients", String(clients)]);
  return aligned(rows).join("\n");
}
