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

export interface ShellParts {
  readonly service: Shells;
  readonly isBusy: () => boolean;
  readonly close: () => void;
}

export function bootShells({ machine, kernel, door }: Core, { options }: FileParts): ShellParts {
  const { clock } = machine;
  const shells = new GsvShells({
    newRunner: newShellRunner,
    clock,
    runningMax: LIMITS.shellsRunningMax,
    warmMax: WARM_MAX,
    warmMs: WARM_MS,
  });
  const service = shellsService({
    shells,
    namespace: options.namespace,
    clock,
    version: VERSION,
    sysFor: ({ caller, client }: CallContext) => door(caller.ownerUid, async () => caller, client),
    begin: (receipt) => kernel.requests.remember(receipt),
    isGuarded,
    wasApproved: async () => false,
  });
  return { service, isBusy: () => shells.isBusy, close: () => shells.close() };
}

export function newShellRunner(): Runner {
  const worker = new Worker(new URL("./boot-shell-worker.ts", import.meta.url).href);
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
