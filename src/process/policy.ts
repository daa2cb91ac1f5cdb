// Whether a tool call runs, asks or is denied, by default: the table for the target `gsv`. Pure: the call and the paths it names decide.

import { join, normalise, tilde } from "../../fs/path.ts";
import type { CallRow } from "../store/process/verbs.ts";

export type Verdict = { readonly action: "auto" } | { readonly action: "ask"; readonly why: string };

const AUTO: Verdict = { action: "auto" };
/** What an agent is told to be and what runs by itself: a person sees every change first. */
const GUARDED = /^\/(?:home\/[^/]+|root)\/(?:context\.d|skills\.d|hooks\.d)(?:\/|$)|^\/(?:etc|sys)(?:\/|$)/;

export function verdictOf(call: CallRow, place: { readonly cwd: string; readonly home: string }): Verdict {
  const path = typeof call.args.path === "string" ? absolute(call.args.path, place) : "";
  switch (call.call) {
    case "fs.write":
      return GUARDED.test(path) ? { action: "ask", why: `write ${path}` } : AUTO;
    case "fs.edit":
      return GUARDED.test(path) ? { action: "ask", why: `edit ${path}` } : AUTO;
    case "fs.delete":
      return { action: "ask", why: `delete ${path}` };
    case "fs.read":
    case "fs.search":
      return AUTO;
    default:
      return { action: "ask", why: `call ${call.call ?? call.tool}` };
  }
}

function absolute(path: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string {
  const named = tilde(path);
  if (named === null) return normalise(join(cwd, path));
  return normalise(`${named.username === null ? home : `/home/${named.username}`}/${named.rest}`);
}
