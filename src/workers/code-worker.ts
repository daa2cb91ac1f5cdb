// The entry of the Worker that runs one block of code. It gets everything by messages and may be terminated at any moment.

import { realClock } from "../lib/clock.ts";
import { CodeMachine, quickjsModule } from "../tools/code-machine.ts";
import type { CodeJob, FromCode, ToCode } from "../tools/code-words.ts";

declare const self: Worker;

const post = (message: FromCode) => self.postMessage(message);
const quickjs = await quickjsModule();
let machine: CodeMachine | null = null;

self.onmessage = ({ data }: MessageEvent<ToCode>) => {
  if (data.kind === "run") void run(data.job);
  else machine?.answer(data.id, data.value);
};

async function run(job: CodeJob): Promise<void> {
  const ports = {
    mono: () => realClock.mono(),
    call: (id: number, name: string, args: string) => post({ kind: "call", id, name, args }),
    waits: () => post({ kind: "waits" }),
  };
  machine = CodeMachine.make(quickjs, job, ports);
  post({ kind: "end", end: await machine.run() });
}

post({ kind: "ready" });
