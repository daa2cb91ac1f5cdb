// Builds what MCP servers may ask for during a call: a person's answers, the model of the process, and its workspace.

import { pathToFileURL } from "node:url";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { PROFILES_ALONE } from "../../abi/process/process.ts";
import { callLog } from "../../kernel/dispatches.ts";
import { Conversations } from "../../links/mcp/asked/conversation.ts";
import type { Root } from "../../links/mcp/asked/talk.ts";
import type { McpServers } from "../../links/mcp/servers.ts";
import { modelCall } from "../../process/run/model-calls.ts";
import { modelsOfRun } from "../../process/run/model-choice.ts";
import { sample } from "../../process/run/sampling.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { Core, ProcessParts } from "../core.ts";

/** Built after the links. */
export type LateProcesses = () => Pick<ProcessParts, "budgets" | "ledger">;

export function bootConversations(core: Core, mcp: McpServers, late: LateProcesses): Conversations {
  const { kernel, processes: store, machine } = core;
  const rowOf = async ({ pid = "" }: Pick<Caller, "pid">) => await kernel.processes.get(pid);
  return new Conversations({
    begin: (linked, args, options) => mcp.call(linked, args, options),
    log: ({ row }, line) => mcp.log(row.id, line),
    held: (pid, call) => store.heldCall(pid, call),
    async hasPerson(pid) {
      const row = await rowOf({ pid });
      return row !== null && !PROFILES_ALONE.includes(row.profile);
    },
    sample: (caller, signal) => async (request) => {
      const { budgets, ledger } = late();
      const row = await rowOf(caller);
      if (row === null || caller.doing === undefined) throw new SysError("EPERM", "only calls of an agent use a model");
      const { run } = caller.doing;
      const modelOf = async (of: ProcessRow) => (await modelsOfRun(core, of, { runId: run, model: null }))[0];
      const logged = callLog(core);
      const log: Parameters<typeof sample>[0]["log"] = (pid, asked) => logged(pid, modelCall(asked));
      const ports = { store, ledger, budgets, clock: machine.clock, modelOf, log };
      return await sample(ports, row, { ...request, run, signal });
    },
    roots: async (caller) => rootsOf(core, await rowOf(caller)),
    progress(caller, text) {
      const { pid, doing } = caller;
      if (pid === undefined || doing?.callId === undefined) return;
      void rowOf({ pid }).then((row) => {
        if (row !== null)
          late().ledger.emit(row, { name: "chat.tool_progress", run: doing.run, callId: doing.callId ?? "", text });
      });
    },
  });
}

/** The workspace of the process, if it is a directory of this computer. */
async function rootsOf({ kernel }: Core, row: ProcessRow | null): Promise<readonly Root[]> {
  const workspace = row?.workspaceId == null ? null : await kernel.workspaces.get(row.workspaceId);
  if (workspace?.directory == null) return [];
  return [{ uri: pathToFileURL(workspace.directory).href, name: workspace.label ?? workspace.directory }];
}
