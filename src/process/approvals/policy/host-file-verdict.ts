// Whether a file tool of an agent on the target host runs, or a person is asked first: looking inside what a person attached is free, in mode
// auto-edit writing there too, all else asks and says where it leads. What makes programs run by themselves, or tells agents what to do, is
// written with a person's yes alone. Pure.

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

/** Directories of programs that read their orders from them, and files that are orders. */
const ACTS =
  /\/(?:\.(?:git|gsv|husky|vscode|idea|claude|cursor|codex|gemini|devcontainer|github|ssh|config)(?:\/|$)|(?:agents|claude|gemini)\.md$|\.(?:mcp\.json|gitconfig|gitmodules|gitattributes|bashrc|bash_profile|profile|zshrc|zshenv|envrc|npmrc|yarnrc|netrc)$)/;

/** A file tool whose call says the target host. */
export function isHostFileCall({ call, args }: Pick<Called, "call" | "args">): boolean {
  return call !== null && Object.hasOwn(VERBS, call) && args.target === "host";
}

/** There or not yet there, and whatever a disk takes for the same name. */
export function actsByItself(path: string): boolean {
  return ACTS.test(foldName(path));
}

/** What the path of a directory of the machine begins with, attached, as it is inside gsv. */
export const ATTACHED = "/workspaces/dir_";

/** Why a change of a guarded file inside gsv asks. */
export function guardedWords(path: string): string {
  if (path.startsWith(ATTACHED) && !actsByItself(path)) return "it changes a directory of this machine";
  return "it tells an agent what to do, or is a file that acts";
}

export function hostFileVerdict({ call }: Pick<Called, "call">, ground: FileGround, mode: Mode): Verdict {
  const { path, inside, attaches } = ground;
  const looks = call === "fs.read" || call === "fs.search";
  if (looks && inside) return { action: "auto" };
  const edits = call === "fs.write" || call === "fs.edit";
  if (mode === "auto-edit" && edits && inside && !actsByItself(path)) return { action: "auto" };
  const attach = attaches === null ? "" : `attach ${attaches} and `;
  return { action: "ask", why: `${attach}${hostFileWords(call, ground)}` };
}

/** The same before and after a directory was attached. */
export function hostFileWords(call: string | null, { path, inside, attaches }: FileGround): string {
  const where = inside || attaches !== null ? "on this machine" : "on this machine, outside of what is attached";
  return `${VERBS[call ?? ""] ?? "use"} ${path} ${where}`;
}
