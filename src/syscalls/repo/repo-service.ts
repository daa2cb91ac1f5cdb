// The service behind repo.*, as types. A repository is named `owner/name`, or `name` for the owner's own; the default is the home's.
// Unreadable repositories look absent.

import type { Caller } from "../../abi/identity.ts";
import type { Commit, RepoDiff, RepoInfo, RepoMatch, RepoOp, RepoRef, RepoView } from "../../abi/repo.ts";
import type { CallContext } from "../define.ts";

interface InRepo {
  readonly repo: string;
}

export interface Changed {
  readonly repo: string;
  /** Null before the first commit. */
  readonly head: string | null;
  readonly changed: boolean;
}

export interface Imported extends Changed {
  /** The remote branch, fetched as `upstream/…`. */
  readonly upstream: string;
  /** Both sides have new commits: the local branch did not move. */
  readonly diverged: boolean;
}

export interface SyncedRepo extends Changed {
  readonly pulled: number;
  readonly pushed: number;
  readonly merged: boolean;
}

export interface Repositories {
  list(caller: Caller): Promise<{ readonly repos: readonly RepoInfo[] }>;
  refs(caller: Caller, request: InRepo): Promise<{ readonly head: string | null; readonly refs: readonly RepoRef[] }>;
  read(caller: Caller, request: InRepo & { readonly ref: string; readonly path: string }): Promise<RepoView>;
  search(
    caller: Caller,
    request: InRepo & { readonly ref: string; readonly query: string; readonly path?: string },
    signal: AbortSignal,
  ): Promise<{ readonly matches: readonly RepoMatch[]; readonly truncated: boolean }>;
  log(
    caller: Caller,
    request: InRepo & { readonly ref: string; readonly path?: string; readonly limit: number; readonly offset: number },
  ): Promise<{ readonly commits: readonly Commit[] }>;
  show(
    caller: Caller,
    request: InRepo & { readonly commit: string },
  ): Promise<{ readonly commit: Commit; readonly diff: RepoDiff }>;
  diff(
    caller: Caller,
    request: InRepo & { readonly from: string; readonly to: string; readonly path?: string; readonly context: number },
  ): Promise<RepoDiff>;
  compare(
    caller: Caller,
    request: InRepo & { readonly base: string; readonly head: string },
  ): Promise<{ readonly ahead: number; readonly behind: number; readonly diff: RepoDiff }>;
  create(context: CallContext, name: string): Promise<RepoInfo>;
  apply(
    context: CallContext,
    request: InRepo & { readonly message: string; readonly ops: readonly RepoOp[]; readonly expectedHead?: string },
  ): Promise<Changed>;
  restore(context: CallContext, request: InRepo & { readonly path: string; readonly ref: string }): Promise<Changed>;
  import(
    context: CallContext,
    request: InRepo & { readonly remote: string; readonly branch: string },
  ): Promise<Imported>;
  sync(
    context: CallContext,
    request: InRepo & { readonly remote: string; readonly branch: string },
  ): Promise<SyncedRepo>;
  /** Needs force if the repository has commits. */
  remove(context: CallContext, repo: string, force: boolean): Promise<{ readonly repo: string }>;
}

export interface Bootstrapped {
  /** Files copied into homes; `kept` were there already. */
  readonly copied: readonly string[];
  readonly kept: readonly string[];
}
