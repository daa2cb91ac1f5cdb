// Repositories, commits and diffs as callers see them, and the file names that git reserves.

import { isWorkspaceId } from "./ids.ts";

/** The versioned parts of an account's home. */
export const VERSIONED = ["context.d", "skills.d", "knowledge"] as const;

/** The repository of an account's home. */
export const HOME_REPO = "home";

/** Whether the repository has a working tree: homes and workspaces have one. */
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
  /** null before the first commit. */
  readonly head: string | null;
  /** Host path, usable with any git. */
  readonly path: string;
}

export interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  readonly at: number;
  readonly subject: string;
  /** The whole message. */
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
      /** null for binary files. */
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
  /** In git's format. */
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

/** Characters that some file systems ignore in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** A name that git reads as its own directory on some system. */
export function isGits(name: string): boolean {
  return plainParts(name).some((part) => part === ".git" || /^git~[0-9]+$/.test(part));
}

/** A file that git reads itself: invalid content makes the whole history impossible to fetch. */
export function isOrdersToGit(name: string): boolean {
  return plainParts(name).some((part) => /^\.git(?:modules|attributes)$|^g[a-z0-9]{0,5}~[0-9]+$/.test(part));
}

/** The name on other systems: a backslash may separate names, and text after a colon, final blanks and dots may be dropped. */
function plainParts(name: string): string[] {
  const plain = name.normalize("NFC").replace(IGNORED, "").toLowerCase();
  return plain.split("\\").map((part) => (part.split(":")[0] ?? "").replace(/[. ]+$/, ""));
}
