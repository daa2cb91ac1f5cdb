// Checks a call before it is judged. A call that would fail anyway is not worth a question, and the agent gets the error at once.

import type { Callers } from "../../kernel/accounts/accounts.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { EditRequest, Files } from "../../syscalls/fs/files-service.ts";
import type { FetchRequest, Web } from "../../syscalls/run/net.ts";
import type { ExecRequest } from "../../syscalls/run/shell-service.ts";
import { asCalled, SERVER_CALL } from "../run/tool-servers.ts";
import type { Called } from "./policy/file-verdict.ts";

type FileRequest = Parameters<Files["needWritable"]>[1];

export interface PreviewPorts {
  readonly callers: Pick<Callers, "process">;
  readonly files: Files;
  readonly web: Web;
  readonly shells: { needTypable: (caller: Awaited<ReturnType<Callers["process"]>>, request: ExecRequest) => void };
  /** Tools of MCP servers. */
  readonly tools: { needCallable: (row: ProcessRow, tool: string) => Promise<void> };
}

/** Throws the error that the call would end with. */
export function previewer({ callers, files, web, shells, tools }: PreviewPorts) {
  return async (row: ProcessRow, { call, tool, args }: Called): Promise<void> => {
    const caller = await callers.process(row);
    switch (call) {
      case "fs.edit":
        return await files.needEditable(caller, { replaceAll: false, ...args } as EditRequest & Called["args"]);
      case "fs.write":
        return await files.needWritable(caller, args as FileRequest & Called["args"]);
      case "fs.delete":
        return await files.needRemovable(caller, args as FileRequest & Called["args"]);
      case "net.fetch":
        return await web.needFetchable(caller, { target: "gsv", ...args } as FetchRequest & Called["args"]);
      case "shell.exec":
        return shells.needTypable(caller, args as unknown as ExecRequest);
      case SERVER_CALL:
        return await tools.needCallable(row, String(asCalled({ tool, call, args }).tool));
    }
  };
}
