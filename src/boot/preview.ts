// What a call of an agent would come to, for the judge: whoever would be asked in vain is not asked, and the agent hears at once what is wrong.

import type { Callers } from "../kernel/accounts/accounts.ts";
import type { Called } from "../process/approvals/policy/file-verdict.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { EditRequest, Files } from "../syscalls/fs/files-service.ts";
import type { FetchRequest, Web } from "../syscalls/run/net-service.ts";
import type { ExecRequest } from "../syscalls/run/shell-service.ts";
import type { ShellParts } from "../workers/shell-workers.ts";

interface Seers {
  readonly callers: Pick<Callers, "process">;
  readonly files: Files;
  readonly web: Web;
  readonly shells: Pick<ShellParts, "needTypable">;
}

export function foreseer({ callers, files, web, shells }: Seers) {
  return async (row: ProcessRow, { call, args }: Called): Promise<void> => {
    const caller = await callers.process(row);
    switch (call) {
      case "fs.edit":
        return await files.needEditable(caller, { replaceAll: false, ...args } as EditRequest & Called["args"]);
      case "net.fetch":
        return await web.needFetchable(caller, { target: "gsv", ...args } as FetchRequest & Called["args"]);
      case "shell.exec":
        return shells.needTypable(caller, args as unknown as ExecRequest);
    }
  };
}
