// Whether a repository has an SSH remote: then a push needs the person's keys. Reads the settings as text, without git.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const CONFIG_BYTES_MAX = 64 * 1024;
const SSH_URL = /^[ \t]*(?:push)?url[ \t]*=[ \t]*"?(?:ssh:\/\/|git\+ssh:\/\/|[\w.-]+@[\w.-]+:)/im;
const PARENTS_MAX = 32;

/** Of the repository that holds the directory. */
export function hasSshRemote(directory: string): boolean {
  let at = directory;
  for (let level = 0; level < PARENTS_MAX; level++) {
    const text = textOf(join(at, ".git/config"));
    if (text !== null) return text.length <= CONFIG_BYTES_MAX && SSH_URL.test(text);
    if (dirname(at) === at) return false;
    at = dirname(at);
  }
  return false;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
