// The working directories of processes as people know them: an attached directory by its path on this computer.

import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { WorkspaceInfo } from "../../src/abi/process/workspace.ts";
import { shortPath } from "../../src/lib/short-path.ts";
import type { Io } from "../command.ts";

const ATTACHED = "/workspaces/dir_";

export async function inRealPlaces(io: Io, processes: readonly ProcessInfo[]): Promise<readonly ProcessInfo[]> {
  if (!processes.some(({ cwd }) => cwd.startsWith(ATTACHED))) return processes;
  const asked = io.sys().call<{ workspaces: readonly WorkspaceInfo[] }>("workspace.list", {});
  const { workspaces } = await asked.catch(() => ({ workspaces: [] }));
  const directories = new Map(workspaces.map(({ id, directory }) => [id, directory]));
  return processes.map((process) => {
    const [id = "", ...rest] = process.cwd.slice("/workspaces/".length).split("/");
    const directory = process.cwd.startsWith(ATTACHED) ? directories.get(id) : null;
    return directory == null ? process : { ...process, cwd: shortPath([directory, ...rest].join("/"), io.env.HOME) };
  });
}
