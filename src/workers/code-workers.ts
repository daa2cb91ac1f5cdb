// The Workers that blocks of code run in: one for each.

import { needDescriptorsForThread } from "../machine/descriptors.ts";
import type { CodeRunner } from "../tools/code-block.ts";
import type { FromCode } from "../tools/code-words.ts";

export function newCodeRunner(): CodeRunner {
  needDescriptorsForThread();
  const worker = new Worker(new URL("./code-worker.ts", import.meta.url).href);
  worker.unref();
  return {
    post: (message) => worker.postMessage(message),
    listen(hear, fault) {
      worker.onmessage = ({ data }: MessageEvent<FromCode>) => hear(data);
      worker.onerror = ({ message }) => fault(message);
      worker.addEventListener("close", () => fault("it has ended"));
    },
    end: () => worker.terminate(),
  };
}
