// The Worker that runs shell scripts, one at a time. It begins with nothing and is told everything; whoever made it may end it at any moment.

import type { FromRunner, ShellJob, ToRunner } from "../../src/targets/shell.ts";
import { shellIo } from "./io.ts";
import { KernelLine } from "./kernel-line.ts";
import { Printer } from "./printer.ts";
import { programs } from "./programs.ts";
import { runScript } from "./script.ts";

declare const self: Worker;

const post = (message: FromRunner) => self.postMessage(message);
const kernel = new KernelLine(post);
let aborting = new AbortController();

self.onmessage = ({ data }: MessageEvent<ToRunner>) => {
  if (data.kind === "run") void run(data.job);
  else if (data.kind === "abort") aborting.abort();
  else kernel.hear(data);
};

async function run(job: ShellJob): Promise<void> {
  aborting = new AbortController();
  kernel.reset();
  const printer = new Printer(post, job.outputBytesMax);
  const { print } = printer;
  const { signal } = aborting;
  const end = await runScript(job, { kernel, programs: await programs(shellIo(kernel)), signal, print });
  printer.flush();
  post({ kind: "end", end });
}

post({ kind: "ready" });
