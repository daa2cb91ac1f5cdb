// Which agents get the tools of a server: all of the account, those of one workspace, or one agent.

import { dirname } from "node:path";
import { SysError } from "../../abi/errno.ts";
import { isRoot } from "../../abi/identity.ts";
import { isWorkspaceId } from "../../abi/ids.ts";
import type { McpScope } from "../../abi/links/mcp.ts";
import { hostDirectoryNamed } from "../../kernel/workspaces/host-directories.ts";
import { noSuchWorkspace } from "../../kernel/workspaces/new-workspace.ts";
import { clip } from "../../lib/text/truncate.ts";
import { trustedPlace } from "../../process/prompt/workspace-context.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { McpAdded } from "../../syscalls/links/mcp-service.ts";

export interface ScopePorts {
  readonly kernel: Pick<KernelStore, "accounts" | "workspaces">;
  /** gsv's home: no workspace. */
  readonly home: string;
}

export function scopes(ports: ScopePorts) {
  return async (
    context: CallContext,
    { scope = "account", for: of }: Pick<McpAdded, "scope" | "for">,
  ): Promise<McpScope> => {
    if (scope === "workspace") return { kind: scope, place: await placeNamed(ports, context, of) };
    if (scope === "agent") return await agentNamed(ports, context, of);
    if (of !== undefined)
      throw new SysError("EUSAGE", "--for needs --scope workspace or --scope agent", [
        "gsv mcp add NAME --scope workspace -- COMMAND",
      ]);
    return { kind: "account" };
  };
}

async function agentNamed(
  { kernel }: ScopePorts,
  { caller }: CallContext,
  name: string | undefined,
): Promise<McpScope> {
  const { accounts } = kernel;
  const own = await accounts.personalAgent(caller.ownerUid);
  const agent = name === undefined ? own : await accounts.byName(name);
  if (agent === null)
    throw new SysError("ENOENT", `no such agent: ${clip(name ?? "")}`, ["to list yours: gsv agent list"]);
  return { kind: "agent", uid: agent.uid, name: agent.username };
}

async function placeNamed(ports: ScopePorts, context: CallContext, named: string | undefined): Promise<string> {
  const { caller, client } = context;
  const { workspaces } = ports.kernel;
  const { ownerUid } = caller;
  const name = named ?? client?.cwd ?? "";
  if (isWorkspaceId(name)) {
    const row = await workspaces.get(name);
    if (row === null || (row.ownerUid !== ownerUid && !isRoot(caller))) throw noSuchWorkspace(name);
    return trustedPlace(row);
  }
  const directory = await hostDirectoryNamed(ports, context, { path: name, ownerUid });
  for (let at = directory; ; at = dirname(at)) {
    const row = await workspaces.at(ownerUid, at);
    if (row !== null) return trustedPlace(row);
    if (at === dirname(at)) return directory;
  }
}
