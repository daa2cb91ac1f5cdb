// Sends file calls to their target: gsv's own files, or those of the host.

import { SysError } from "../../abi/errno.ts";
import type { Files } from "../../syscalls/fs/files-service.ts";

/** `host` is null without a kernel. */
export function filesByTarget(gsv: Files, host: Files | null): Files {
  const at = ({ target = "gsv" }: { readonly target?: string }): Files => {
    if (target === "gsv") return gsv;
    if (host !== null) return host;
    throw new SysError("EAGAIN", "files of this computer need a running kernel");
  };
  return {
    read: async (caller, request) => at(request).read(caller, request),
    write: async (context, request) => at(request).write(context, request),
    edit: async (context, request) => at(request).edit(context, request),
    remove: async (context, request) => at(request).remove(context, request),
    search: async (caller, request, signal) => at(request).search(caller, request, signal),
    needEditable: async (caller, request) => at(request).needEditable(caller, request),
    needWritable: async (caller, request) => at(request).needWritable(caller, request),
    needRemovable: async (caller, request) => at(request).needRemovable(caller, request),
  };
}
