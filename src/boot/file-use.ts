// Who uses and who wrote which file: built over the files of both targets.

import type { Core } from "../boot.ts";
import type { HostFiles } from "../kernel/files/host-files.ts";
import { fileUseService } from "../process/workspace/file-use.ts";
import type { FileUse } from "../syscalls/fs/file-use-service.ts";
import type { ProcessParts } from "./processes.ts";
import type { FileParts } from "./services.ts";

export function bootFileUse(
  { kernel, processes: store, machine: { clock } }: Core,
  { locate, options: { namespace } }: FileParts,
  { ledger, places, hostFiles }: Pick<ProcessParts, "ledger" | "places"> & { readonly hostFiles: HostFiles },
): FileUse {
  return fileUseService({
    ...{ kernel, store, places, clock },
    open: (row) => ledger.open(row),
    locate: (caller, target, path) => (target === "host" ? hostFiles.locate(caller, path) : locate(caller, path)),
    async versionOf(caller, target, path) {
      if (target === "host")
        return (await hostFiles.namespace.stat(caller, await hostFiles.locate(caller, path))).version;
      // Asked of the content: what is made as it is read has no other version.
      return (await namespace.read(caller, path, { offset: 0, bytesMax: 1 })).version;
    },
  });
}
