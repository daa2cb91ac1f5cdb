// The default verdict on a tool call for the target `gsv`: run, ask or deny, by the call and the real path of its file. Pure.

import { foldName } from "../../../lib/text/fold-name.ts";
import type { CallRow } from "../../../store/process/verbs.ts";
import { SERVER_CALL } from "../../run/tool-servers.ts";

export type Verdict = { readonly action: "auto" } | { readonly action: "ask" | "refuse"; readonly why: string };

const AUTO: Verdict = { action: "auto" };
/** Instruction files, hooks, paths outside gsv, and control files: every change asks. */
const GUARDED =
  /^\/(?:home\/[^/]+|root)\/(?:(?:context\.d|skills\.d|hooks\.d)(?:\/|$)|persona\.md$)|^\/(?:etc|sys|mnt|proc)(?:\/|$)|^\/workspaces\/(?:dir_|[^/]+\/(?:\.gsv(?:\/|$)|(?:.*\/)?(?:agents|claude|gemini)\.md$))/iu;

// gsv's paths are case-sensitive, but the disk under a home may not be: there `Context.d` is context.d. Fold names, to be on the safe side.
export function isGuarded(path: string): boolean {
  return GUARDED.test(foldName(path));
}

export type Called = Pick<CallRow, "tool" | "call" | "args">;

export const PLAN_CALL = "hil.plan";

/** `path`: the real path of the call, links resolved. `shown`: the same file as people know it. */
export function verdictOf(call: Called, path: string, shown = path): Verdict {
  switch (call.call) {
    case "fs.write":
      return isGuarded(path) ? { action: "ask", why: `write ${shown}` } : AUTO;
    case "fs.edit":
      return isGuarded(path) ? { action: "ask", why: `edit ${shown}` } : AUTO;
    case "fs.delete":
      return { action: "ask", why: `delete ${shown}` };
    case "fs.read":
    case "fs.search":
    // Judged call by call while it runs.
    case "codemode.exec":
      return AUTO;
    case "net.fetch":
      return {
        action: "ask",
        why: `fetch ${call.args.url}${call.args.target === "host" ? " from this computer" : ""}`,
      };
    case PLAN_CALL:
      return { action: "ask", why: "start with this plan" };
    case SERVER_CALL:
      return { action: "ask", why: `use ${call.tool}, a tool of the session` };
    default:
      return { action: "ask", why: `call ${call.call ?? call.tool}` };
  }
}

export function changes(call: Called): boolean {
  return changesFile(call) || call.call === "fs.delete";
}

export function changesFile({ call }: Called): boolean {
  return call === "fs.write" || call === "fs.edit";
}
