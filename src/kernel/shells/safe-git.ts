// Checks that read-only git commands run no other programs in a directory: a repository's configuration can name such programs (fsmonitor,
// filters, pagers, diff drivers). Allows only known harmless settings. Reads the files as text, without git.

import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const CONFIG_BYTES_MAX = 64 * 1024;
/** Sections and keys that name no program, file or directory. */
const KNOWN: { readonly [section: string]: RegExp } = {
  core: /^(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)$/,
  remote: /^(?:url|fetch|pushurl|tagopt|prune)$/,
  branch: /^(?:remote|merge|rebase|description)$/,
  user: /^(?:name|email)$/,
  init: /^defaultbranch$/,
  pull: /^(?:rebase|ff)$/,
  push: /^(?:default|autosetupremote)$/,
  color: /^/,
};

export function isPlainRepository(directory: string): boolean {
  const git = join(directory, ".git");
  try {
    if (!lstatSync(git).isDirectory()) return false;
    if (exists(join(git, "modules")) || exists(join(git, "config.worktree")) || exists(join(git, "commondir")))
      return false;
    return isPlainConfig(readFileSync(join(git, "config"), "utf8")) && readdirOr(join(git, "hooks")).every(isSample);
  } catch {
    return false;
  }
}

function isPlainConfig(text: string): boolean {
  if (text.length > CONFIG_BYTES_MAX) return false;
  let section = "";
  for (const raw of text.split("\n")) {
    const line = raw.replace(/^[ \t]+|[ \t]+$/g, "");
    // Continuation lines are not parsed.
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const head = /^\[([a-z]+)(?: "[^"\\]*")?\]$/i.exec(line);
    const key = /^([a-z][a-z0-9-]*)[ \t]*(?:=|$)/i.exec(line);
    if (line.endsWith("\\") || (head === null && key === null)) return false;
    if (head !== null) section = (head[1] ?? "").toLowerCase();
    else if (!Object.hasOwn(KNOWN, section) || !KNOWN[section]?.test((key?.[1] ?? "").toLowerCase())) return false;
  }
  return true;
}

function isSample(name: string): boolean {
  return name.endsWith(".sample");
}

function readdirOr(path: string): readonly string[] {
  return exists(path) ? readdirSync(path) : [];
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
