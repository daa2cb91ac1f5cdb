// Whether a tool call runs, asks or is denied, by default: the table for the target `gsv`. Pure: the call and the file it really leads to
// decide.

import { foldName } from "../../../lib/text/fold-name.ts";
import type { CallRow } from "../../../store/process/verbs.ts";
import { SERVER_CALL } from "../../run/tool-servers.ts";

export type Verdict = { readonly action: "auto" } | { readonly action: "ask" | "refuse"; readonly why: string };

const AUTO: Verdict = { action: "auto" };
/** What an agent is told to be, what runs by itself, what lies outside gsv, and files that are calls which would ask: a person sees every
 * change first. */
const GUARDED =
  /^\/(?:home\/[^/]+|root)\/(?:(?:context\.d|skills\.d|hooks\.d)(?:\/|$)|persona\.md$)|^\/(?:etc|sys|mnt|proc)(?:\/|$)|^\/workspaces\/(?:dir_|[^/]+\/(?:\.gsv(?:\/|$)|(?:.*\/)?(?:agents|claude|gemini)\.md$))/iu;

// Names differ by case here, but a home may lie on a disk of the machine where they do not, or where what shows as the same is the same:
// there `Context.d` is what an agent is told to be. Asking once too often is the cheaper mistake.
export function isGuarded(path: string): boolean {
  return GUARDED.test(foldName(path));
}

/** What a call is about, as far as this goes. */
export type Called = Pick<CallRow, "tool" | "call" | "args">;

/** `path` is where the call's path leads, links followed. */
export function verdictOf(call: Called, path: string): Verdict {
  switch (call.call) {
    case "fs.write":
      return isGuarded(path) ? { action: "ask", why: `write ${path}` } : AUTO;
    case "fs.edit":
      return isGuarded(path) ? { action: "ask", why: `edit ${path}` } : AUTO;
    case "fs.delete":
      return { action: "ask", why: `delete ${path}` };
    case "fs.read":
    case "fs.search":
    // Each of its calls is judged by itself.
    case "codemode.exec":
      return AUTO;
    case "net.fetch":
      return { action: "ask", why: `fetch ${call.args.url}${call.args.target === "host" ? " from this machine" : ""}` };
    case SERVER_CALL:
      return { action: "ask", why: `use ${call.tool}, a tool of its session` };
    default:
      return { action: "ask", why: `call ${call.call ?? call.tool}` };
  }
}
