// Makes the Workers: for scripts of a shell, for blocks of code, and for searches of this computer. Their code must stay in this folder,
// because in the binary all modules lie in one directory.

import type { SearchRunner } from "../kernel/files/search-thread.ts";
import { needDescriptorsForThread } from "../machine/descriptors.ts";
import type { Runner } from "../targets/shell.ts";
import type { CodeRunner } from "../tools/code-block.ts";

interface RunnerOf<To, From> {
  post(message: To): void;
  listen(hear: (message: From) => void, fault: (why: string) => void): void;
  end(): void;
}

export function newShellRunner(): Runner {
  return runnerOf(new URL("./shell-worker.ts", import.meta.url));
}

export function newCodeRunner(): CodeRunner {
  return runnerOf(new URL("./code-worker.ts", import.meta.url));
}

export function newSearchRunner(): SearchRunner {
  return runnerOf(new URL("./search-worker.ts", import.meta.url));
}

function runnerOf<To, From>(url: URL): RunnerOf<To, From> {
  needDescriptorsForThread();
  const worker = new Worker(url.href);
  worker.unref();
  return {
    post: (message) => worker.postMessage(message),
    listen(hear, fault) {
      worker.onmessage = ({ data }: MessageEvent<From>) => hear(data);
      worker.onerror = ({ message }) => fault(message);
      worker.addEventListener("close", () => fault("it has ended"));
    },
    end: () => worker.terminate(),
  };
}
