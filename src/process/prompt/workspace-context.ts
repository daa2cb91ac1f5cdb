// What a workspace tells the agents that work in it. What lies in its `.gsv` in a tree of gsv's own was written by its owner or under their
// eyes. AGENTS.md and CLAUDE.md, and all of a directory of this machine, come from whoever wrote the project: they are told once the
// owner has said that they trust it, and until then only named.

import { isInside } from "../../lib/inside.ts";
import type { ContextFile, ContextRoot } from "../../prompts/told.ts";
import type { WorkspaceRow } from "../../store/kernel/processes/workspaces.ts";
import type { ToldFiles } from "./context-files.ts";

export interface WorkspaceTold {
  readonly root: string;
  /** Of gsv's own, not a directory of this machine. */
  readonly isOwnTree: boolean;
  readonly trusted: boolean;
  /** Where the process stands: what lies on the way there from the workspace's root counts too. */
  readonly cwd: string;
  /** What a person types to trust it. */
  readonly command: string;
}

/** What a person trusts: the directory itself, under whatever workspace it is. */
export function trustedPlace({ id, directory }: Pick<WorkspaceRow, "id" | "directory">): string {
  return directory ?? `/workspaces/${id}`;
}

const NAMES = ["AGENTS.md", "CLAUDE.md"] as const;
const DEPTH_MAX = 16;

/** The files that somebody who trusts a workspace lets speak. */
export async function spokenIn(
  files: ToldFiles,
  { root, isOwnTree, cwd }: Pick<WorkspaceTold, "root" | "isOwnTree" | "cwd">,
): Promise<ContextFile[]> {
  const spoken: ContextFile[] = isOwnTree ? [] : await keptIn(files, root);
  for (const directory of directoriesTo(root, cwd)) {
    for (const name of NAMES) {
      // The same words under the other name, as many projects have them, are told once.
      for (const file of await files.fileAt(`${directory}/${name}`))
        if (!spoken.some(({ text }) => text === file.text) && !isReference(file.text)) spoken.push(file);
    }
  }
  return spoken;
}

export async function workspaceRoot(files: ToldFiles, told: WorkspaceTold): Promise<ContextRoot> {
  const { root: directory, isOwnTree, trusted, command } = told;
  const kept = isOwnTree ? await keptIn(files, directory) : [];
  const spoken = await spokenIn(files, told);
  const root = { source: "workspace", from: "What holds in this workspace" } as const;
  if (trusted) return { ...root, files: [...kept, ...spoken] };
  const untrusted = { paths: spoken.map(({ path }) => path), command };
  return { ...root, files: kept, untrusted };
}

/** `.gsv/context.d`, or where there is none, what the last process left to be known. */
async function keptIn(files: ToldFiles, root: string): Promise<ContextFile[]> {
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

/** `@AGENTS.md` and nothing else: the other file is told by itself. */
function isReference(text: string): boolean {
  return /^@\.?\/?AGENTS\.md$/.test(text.trim());
}
