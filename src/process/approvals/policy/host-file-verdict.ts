// The verdict on a file tool for the target host. Reads in an attached directory run, in mode accept-edits writes too; everything else asks. Writes
// to files that configure programs or agents always ask. Pure.

import type { Mode } from "../../../abi/policy.ts";
import type { FileGround } from "../../../kernel/files/host-files.ts";
import { foldName } from "../../../lib/text/fold-name.ts";
import type { Called, Verdict } from "./file-verdict.ts";

const VERBS: { readonly [call: string]: string } = {
  "fs.read": "read",
  "fs.search": "search",
  "fs.write": "write",
  "fs.edit": "edit",
  "fs.delete": "delete",
};

const ACTS =
  /\/(?:\.(?:git|gsv|husky|vscode|idea|claude|cursor|codex|gemini|devcontainer|github|ssh|config)(?:\/|$)|(?:agents|claude|gemini)\.md$|\.(?:mcp\.json|gitconfig|gitmodules|gitattributes|bashrc|bash_profile|profile|zshrc|zshenv|envrc|npmrc|yarnrc|netrc)$)/;

export function isHostFileCall({ call, args }: Pick<Called, "call" | "args">): boolean {
  return call !== null && Object.hasOwn(VERBS, call) && args.target === "host";
}

/** True if the path configures a program or an agent. Names are folded, as some disks do. */
export function actsByItself(path: string): boolean {
  return ACTS.test(foldName(path));
}

/** Prefix of the paths in gsv that lead to attached host directories. */
export const ATTACHED = "/workspaces/dir_";

export const ACTS_REASON = "may change what agents or programs do";

export function guardedWords(path: string): string {
  if (path.startsWith(ATTACHED) && !actsByItself(path)) return "changes files on this computer";
  return ACTS_REASON;
}

export function hostFileVerdict({ call }: Pick<Called, "call">, ground: FileGround, mode: Mode): Verdict {
  const { path, inside, attaches } = ground;
  const looks = call === "fs.read" || call === "fs.search";
  if (looks && inside) return { action: "auto" };
  const edits = call === "fs.write" || call === "fs.edit";
  if (mode === "accept-edits" && edits && inside && !actsByItself(path)) return { action: "auto" };
  const attach = attaches === null ? "" : `attach ${attaches} and `;
  return { action: "ask", why: `${attach}${hostFileWords(call, ground)}` };
}

/** Must be the same before and after the directory is attached. */
export function hostFileWords(call: string | null, { path, inside, attaches }: FileGround): string {
  const where = inside || attaches !== null ? "on this computer" : "on this computer, outside the workspace";
  return `${VERBS[call ?? ""] ?? "use"} ${path} ${where}`;
}
