// The service behind workspace.*, as types. Workspaces of others look absent.

import type { Caller } from "../../abi/identity.ts";
import type { WorkspaceInfo } from "../../abi/process/workspace.ts";
import type { Commit } from "../../abi/repo.ts";
import type { CallContext } from "../define.ts";

export interface WorkspaceView extends WorkspaceInfo {
  /** The newest version; null before the first, and for a host directory. */
  readonly head: string | null;
  /** Their directory on the host. */
  readonly files: string;
}

export interface WorkspacePage {
  readonly workspaces: readonly WorkspaceInfo[];
  readonly next: string | null;
}

export interface Workspaces {
  /** Oldest first, one page. */
  list(
    caller: Caller,
    query: { readonly all: boolean; readonly limit: number; readonly after?: string },
  ): Promise<WorkspacePage>;
  get(caller: Caller, id: string): Promise<WorkspaceView>;
  log(
    caller: Caller,
    request: { readonly id: string; readonly path?: string; readonly limit: number; readonly offset: number },
  ): Promise<{ readonly commits: readonly Commit[] }>;
  create(context: CallContext, request: { readonly label?: string }): Promise<WorkspaceInfo>;
  /** Makes a host directory a workspace; with a pid, that process works in it from its next run on. */
  attach(
    context: CallContext,
    request: { readonly what: string; readonly pid?: string; readonly label?: string },
  ): Promise<WorkspaceInfo>;
  archive(context: CallContext, request: { readonly id: string; readonly undo: boolean }): Promise<WorkspaceInfo>;
}

export interface Speaking {
  readonly id: string;
  readonly directory: string | null;
  readonly trusted: boolean;
  /** Files of instructions for agents; long ones are cut. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export interface Trust {
  /** `id` is a workspace or a host directory. */
  speaks(context: CallContext, id: string): Promise<Speaking>;
  decide(context: CallContext, decision: { readonly id: string; readonly trusted: boolean }): Promise<Speaking>;
}
