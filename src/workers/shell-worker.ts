// The entry of the Worker that runs shell scripts, one at a time. It has no files and no kernel of its own, gets everything by messages and
// may be terminated at any moment.

import { realClock } from "../lib/clock.ts";
import { shellIo } from "../shell/interpreter/io.ts";
import { KernelPort } from "../shell/interpreter/kernel-port.ts";
import { Printer } from "../shell/interpreter/printer.ts";
import { programs } from "../shell/interpreter/programs.ts";
import { Script } from "../shell/interpreter/script.ts";
import type { FromRunner, ShellJob, ToRunner } from "../targets/shell.ts";

declare const self: Worker;

/** Printed bytes are handed over, not copied. */
const post = (message: FromRunner) =>
  message.kind === "print"
    ? self.postMessage(message, [message.bytes.buffer as ArrayBuffer])
    : self.postMessage(message);
const kernel = new KernelPort(post);
const machine = {
  clock: realClock,
  random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  manual: async () => (await import("../prompts/manual.ts")).MANUAL,
};
const io = shellIo(kernel, machine);
let aborting = new AbortController();
let running: Script | null = null;

self.onmessage = ({ data }: MessageEvent<ToRunner>) => {
  if (data.kind === "run") void run(data.job);
  else if (data.kind === "abort") aborting.abort();
  else if (data.kind === "sent") post({ kind: "heard", goesOn: running?.sent(data.signal) ?? false });
  else kernel.hear(data);
};

async function run(job: ShellJob): Promise<void> {
  aborting = new AbortController();
  kernel.reset();
  const printer = new Printer({ post, clock: realClock, bytesMax: job.outputBytesMax });
  const { print } = printer;
  const { signal } = aborting;
  running = new Script(job, { kernel, programs: await programs(io), machine, signal, print });
  const end = await running.run();
  running = null;
  printer.flush();
  post({ kind: "end", end });
}

post({ kind: "ready" });
