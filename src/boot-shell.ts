// Shells of people and agents on the target gsv: the Workers they run in, and where the code of these lies, in the sources and in the binary.

import { LIMITS } from "./abi/limits.ts";
import type { Core } from "./boot.ts";
import type { FileParts } from "./boot-services.ts";
import { shellsService } from "./kernel/shells.ts";
import { isGuarded } from "./process/policy.ts";
import type { CallContext } from "./syscalls/define.ts";
import type { Shells } from "./syscalls/shell-service.ts";
import type { Runner } from "./targets/gsv.ts";
import { GsvShells } from "./targets/gsv.ts";
import type { FromRunner } from "./targets/shell.ts";
import { VERSION } from "./version.ts";

const WARM_MAX = 2;
const WARM_MS = 30_000;

export function bootShells({ machine, kernel, door }: Core, { options }: FileParts): Shells {
  const { clock } = machine;
  const shells = new GsvShells({
    newRunner: newShellRunner,
    clock,
    runningMax: LIMITS.shellsRunningMax,
    warmMax: WARM_MAX,
    warmMs: WARM_MS,
  });
  return shellsService({
    shells,
    namespace: options.namespace,
    clock,
    version: VERSION,
    sysFor: ({ caller, client }: CallContext) => door(caller.ownerUid, async () => caller, client),
    begin: (receipt) => kernel.requests.remember(receipt),
    isGuarded,
    wasApproved: async () => false,
  });
}

export function newShellRunner(): Runner {
  // In the binary every module lies below one root, whatever directory its source was in.
  const isBinary = Bun.main.startsWith("/$bunfs/") || Bun.main.startsWith("B:/~BUN/");
  const path = isBinary ? "./commands/sh/worker.ts" : "../commands/sh/worker.ts";
  const worker = new Worker(new URL(path, import.meta.url).href);
  worker.unref();
  return {
    post: (message) => worker.postMessage(message),
    listen(hear, fault) {
      worker.onmessage = ({ data }: MessageEvent<FromRunner>) => hear(data);
      worker.onerror = ({ message }) => fault(message);
      worker.addEventListener("close", () => fault("it has ended"));
    },
    end: () => worker.terminate(),
  };
}
