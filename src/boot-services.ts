// The services behind the syscalls, and the files everyone sees.

import { separateStores } from "../fs/memory.ts";
import { Namespace } from "../fs/namespace.ts";
import { objectsFs } from "../fs/objects.ts";
import { procFs } from "../fs/proc.ts";
import type { Caller } from "./abi/identity.ts";
import type { ClientInfo } from "./abi/sys.ts";
import type { Core } from "./boot.ts";
import { aboutThis, homeNamed } from "./boot-about.ts";
import type { ProcessParts } from "./boot-processes.ts";
import { controlService } from "./kernel/control.ts";
import { type FilesOptions, filesService, pathLocator } from "./kernel/files.ts";
import { registryService } from "./kernel/registry.ts";
import { approvalsService } from "./process/approvals.ts";
import { archivesService } from "./process/archive.ts";
import { historiesService } from "./process/histories.ts";
import { processesService } from "./process/processes.ts";
import { chooseProvider } from "./providers/table.ts";
import { messageLine, waitsForText } from "./syscalls/format.ts";
import type { Services } from "./syscalls/table.ts";

const TMP_BYTES_MAX = 64 * 1024 * 1024;

export function bootServices(core: Core, files: FileParts, { ledger, runners, closer }: ProcessParts): Services {
  const { kernel, processes: store, objects, machine, bus, host, startedAt, generation } = core;
  const { clock, random, config, paths, pid } = machine;
  const life = () => ({ running: true, pid, startedAt, generation, clients: host.clients() });
  return {
    registry: registryService({ kernel, atRest: false, heldBy: (held) => ledger.heldBy(held) }),
    histories: historiesService({ kernel, store, open: (row) => ledger.open(row) }),
    kernel: controlService({
      about: aboutThis(paths),
      processes: kernel.processes,
      life,
      drain: (why) => host.drain(why),
    }),
    archives: archivesService({ kernel, objects }),
    approvals: approvalsService({ kernel, store, ledger, runners, clock }),
    files: filesService(files.options),
    processes: processesService({
      kernel,
      store,
      ledger,
      runners,
      closer,
      bus,
      clock,
      random,
      termMs: config["kernel.termMs"],
      modelFor: ({ client }) => modelFor(client),
    }),
  };
}

export interface FileParts {
  readonly options: FilesOptions;
  readonly locate: ReturnType<typeof pathLocator>;
}

/** One namespace for all: what a rule looks at is what a call touches. */
export function bootFiles(core: Core): FileParts {
  const { kernel, objects, machine, unloggedDoor: sysFor } = core;
  const { clock } = machine;
  const storeOf = separateStores((caller: Caller) => caller.ownerUid, TMP_BYTES_MAX);
  const namespace = new Namespace([
    { at: "/", fs: objectsFs({ storeOf: () => objects, clock, root: { uid: 0, gid: 0, mode: 0o755 } }) },
    { at: "/tmp", fs: objectsFs({ storeOf, clock, root: { uid: 0, gid: 0, mode: 0o1777 } }) },
    { at: "/proc", fs: procFs({ sysFor, clock, messageLine, waitsForText }) },
  ]);
  const options: FilesOptions = { namespace, homeOf: (caller, username) => homeNamed(kernel, caller, username) };
  return { options, locate: pathLocator(options) };
}

// Checked when the message comes, so that a wrong name fails at its sender and not in the run.
function modelFor(client: ClientInfo | undefined): string | null {
  if (client?.env.GSV_MODEL === undefined) return null;
  const { provider, model } = chooseProvider({ env: client.env });
  return provider === model ? provider : `${provider}:${model}`;
}
