// Instruction files of a workspace. The `.gsv` of gsv's own workspaces is the owner's. AGENTS.md and CLAUDE.md, and all files of host directories,
// come from the authors of the project: they are included only if the owner trusts the place, else only named.

import { isInside } from "../../lib/inside.ts";
import type { ContextFile, ContextRoot } from "../../prompts/context.ts";
import type { WorkspaceRow } from "../../store/kernel/processes/workspaces.ts";
import type { ContextFiles } from "./context-files.ts";

export interface WorkspacePlace {
  readonly root: string;
  /** False for a host directory. */
  readonly isOwnTree: boolean;
  readonly trusted: boolean;
  /** Working directory: files in directories from the root to it are included. */
  readonly cwd: string;
  readonly command: string;
}

/** Key of trust: the host directory, else the workspace. */
export function trustedPlace({ id, directory }: Pick<WorkspaceRow, "id" | "directory">): string {
  return directory ?? `/workspaces/${id}`;
}

const NAMES = ["AGENTS.md", "CLAUDE.md"] as const;
const DEPTH_MAX = 16;

/** The instruction files that trust covers. */
export async function instructionFilesIn(
  files: ContextFiles,
  { root, isOwnTree, cwd }: Pick<WorkspacePlace, "root" | "isOwnTree" | "cwd">,
): Promise<ContextFile[]> {
  const found: ContextFile[] = isOwnTree ? [] : await keptIn(files, root);
  for (const directory of directoriesTo(root, cwd)) {
    for (const name of NAMES) {
      // Many projects have the same text under both names: include it once.
      for (const file of await files.fileAt(`${directory}/${name}`))
        if (!found.some(({ text }) => text === file.text) && !/^@\.?\/?AGENTS\.md$/.test(file.text.trim()))
          found.push(file);
    }
  }
  return found;
}

export async function workspaceRoot(files: ContextFiles, place: WorkspacePlace): Promise<ContextRoot> {
  const { root: directory, isOwnTree, trusted, command } = place;
  const kept = isOwnTree ? await keptIn(files, directory) : [];
  const found = await instructionFilesIn(files, place);
  const root = { source: "workspace", from: "Instructions in this workspace" } as const;
  if (trusted) return { ...root, files: [...kept, ...found] };
  const untrusted = { paths: found.map(({ path }) => path), command };
  return { ...root, files: kept, untrusted };
}

/** `.gsv/context.d`, else the summary of earlier processes. */
async function keptIn(files: ContextFiles, root: string): Promise<ContextFile[]> {
  const kept = await files.contextIn(`${root}/.gsv/context.d`);
  return kept.length > 0 ? kept : await files.fileAt(`${root}/.gsv/summary.md`);
}

function directoriesTo(root: string, cwd: string): string[] {
  if (!isInside(cwd, root)) return [root];
  const names = cwd
    .slice(root.length)
    .split("/")
    .filter((name) => name !== "");
  return [0, ...names.map((_, index) => index + 1)]
    .slice(0, DEPTH_MAX)
    .map((count) => [root, ...names.slice(0, count)].join("/"));
}
