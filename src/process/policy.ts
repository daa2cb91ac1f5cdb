// Whether a tool call runs, asks or is denied, by default: the table for the target `gsv`. Pure: the call and the file it really leads to
// decide.

import type { CallRow } from "../store/process/verbs.ts";

export type Verdict = { readonly action: "auto" } | { readonly action: "ask"; readonly why: string };

const AUTO: Verdict = { action: "auto" };
/** What an agent is told to be and what runs by itself: a person sees every change first. */
const GUARDED = /^\/(?:home\/[^/]+|root)\/(?:context\.d|skills\.d|hooks\.d)(?:\/|$)|^\/(?:etc|sys)(?:\/|$)/;

/** `path` is where the call's path leads, links followed. */
export function verdictOf(call: CallRow, path: string): Verdict {
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
