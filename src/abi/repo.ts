// Versions of files as callers see them: repositories, commits, differences. And which names git keeps for itself.

import { isWorkspaceId } from "./ids.ts";

/** What of a home is versioned. */
export const VERSIONED = ["context.d", "skills.d", "knowledge"] as const;

/** The repository of an account's home. */
export const HOME_REPO = "home";

/** Whether the files of a repository lie there to be worked on: those of homes and workspaces do. */
export function hasTree(name: string): boolean {
  return name === HOME_REPO || isWorkspaceId(name);
}

export interface RepoName {
  readonly owner: string;
  readonly name: string;
}

export interface RepoInfo {
  /** `owner/name`. */
  readonly repo: string;
  readonly kind: "home" | "workspace" | "user";
  readonly writable: boolean;
  /** Null while nothing was committed. */
  readonly head: string | null;
  /** Where it lies on this machine: any git can work on it. */
  readonly path: string;
}

export interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  readonly at: number;
  readonly subject: string;
  /** All of the message. */
  readonly message: string;
}

export interface RepoRef {
  readonly name: string;
  readonly kind: "branch" | "tag" | "remote";
  readonly commit: string;
  readonly at: number;
}

export interface TreeEntry {
  readonly path: string;
  readonly kind: "file" | "directory" | "symlink" | "repository";
  readonly size: number | null;
}

export type RepoView =
  | { readonly kind: "tree"; readonly path: string; readonly ref: string; readonly entries: readonly TreeEntry[] }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly ref: string;
      readonly size: number;
      readonly isBinary: boolean;
      /** Null of a binary. */
      readonly content: string | null;
      readonly truncated: boolean;
    };

export interface FileChange {
  readonly path: string;
  readonly added: number | null;
  readonly removed: number | null;
}

export interface RepoDiff {
  readonly from: string;
  readonly to: string;
  readonly files: readonly FileChange[];
  /** As git prints it. */
  readonly text: string;
  readonly truncated: boolean;
}

export interface RepoMatch {
  readonly path: string;
  readonly line: number;
  readonly content: string;
}

export type RepoOp =
  | { readonly put: string; readonly content: string }
  | { readonly delete: string }
  | { readonly move: string; readonly to: string };

/** Characters that some file systems leave out when they compare names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** A name git would take for its own directory, on this system or on another. */
export function isGits(name: string): boolean {
  return plainParts(name).some((part) => part === ".git" || /^git~[0-9]+$/.test(part));
}

/** A name whose file git reads by itself: one that it does not like makes a whole history impossible to fetch, for ever. */
export function isOrdersToGit(name: string): boolean {
  return plainParts(name).some((part) => /^\.git(?:modules|attributes)$|^g[a-z0-9]{0,5}~[0-9]+$/.test(part));
}

/** As other systems see it: for some a backslash parts names, and what follows a colon, blanks and dots at the end are not there. */
function plainParts(name: string): string[] {
  const plain = name.normalize("NFC").replace(IGNORED, "").toLowerCase();
  return plain.split("\\").map((part) => (part.split(":")[0] ?? "").replace(/[. ]+$/, ""));
}
