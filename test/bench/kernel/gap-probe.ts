// A Worker that asks the kernel all the time, as another client would, and keeps its longest wait.

import { realClock } from "../../../src/lib/clock.ts";
import { dial } from "../../../src/rpc/client.ts";
import { VERSION } from "../../../src/version.ts";

declare const self: Worker;

const PAUSE_MS = 2;
let longest = 0;

self.onmessage = ({ data }: MessageEvent<{ readonly socketPath: string } | "longest">) => {
  if (data === "longest") {
    self.postMessage({ longest });
    longest = 0;
  } else void probe(data.socketPath).catch((error: unknown) => self.postMessage({ error: String(error) }));
};

async function probe(socketPath: string): Promise<void> {
  const info = { clientId: "probe", version: VERSION, cwd: "/", env: {} };
  const link = await dial({ socketPath, info, clock: realClock, helloMs: 5000 });
  self.postMessage({ longest: 0 });
  for (;;) {
    const from = performance.now();
    await link.call("proc.get", { pid: "init:1000" });
    longest = Math.max(longest, performance.now() - from);
    await Bun.sleep(PAUSE_MS);
  }
}
