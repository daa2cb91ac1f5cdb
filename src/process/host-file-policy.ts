// Whether a file tool of an agent on the target host runs, or a person is asked first: looking inside what a person attached is free, all
// else asks, and says where it leads. Pure.

import type { FileGround } from "../kernel/host-files.ts";
import type { CallRow } from "../store/process/verbs.ts";
import type { Verdict } from "./policy.ts";

const VERBS: { readonly [call: string]: string } = {
  "fs.read": "read",
  "fs.search": "search",
  "fs.write": "write",
  "fs.edit": "edit",
  "fs.delete": "delete",
};

/** A file tool whose call says the target host. */
export function isHostFileCall({ call, args }: Pick<CallRow, "call" | "args">): boolean {
  return call !== null && Object.hasOwn(VERBS, call) && args.target === "host";
}

export function hostFileVerdict({ call }: Pick<CallRow, "call">, { path, inside, attaches }: FileGround): Verdict {
  const looks = call === "fs.read" || call === "fs.search";
  if (looks && inside) return { action: "auto" };
  const attach = attaches === null ? "" : `attach ${attaches} and `;
  const where = inside || attaches !== null ? "on this machine" : "on this machine, outside of what is attached";
  return { action: "ask", why: `${attach}${VERBS[call ?? ""] ?? "use"} ${path} ${where}` };
}
