// Requests that may be allowed together with the shown one: the same kind of command, in the same place, with the same grants, and without a
// danger. Only calls whose one line says everything. Pure.

import { lookalikesIn } from "../../commands/approvals/approval-card-text.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import type { Ask } from "../state/asks.ts";
import { subjectOf } from "../talk/subject.ts";

const SUBJECT_CHARS_MAX = 120;
/** They change nothing about what runs. */
const HARMLESS = new Set(["target", "cwd", "timeoutMs", "waitMs", "network", "description"]);
/** What one line says whole: the argument that is the subject. */
const SUBJECTS: { readonly [call: string]: string } = {
  "shell.exec": "command",
  "net.fetch": "url",
  "fs.read": "path",
};

export function alikeWith<A extends Ask>(shown: Ask, others: readonly A[]): readonly A[] {
  const family = familyOf(shown);
  return family === null ? [] : others.filter((other) => other.id !== shown.id && familyOf(other) === family);
}

/** Equal for requests that are alike; null if the request is not like any other. */
function familyOf(ask: Ask): string | null {
  const { kind, tool, call, args, about } = ask;
  const main = SUBJECTS[call];
  const subject = subjectOf(tool, args);
  if (kind !== "approval" || main === undefined || about === null || ask.inPart === true || !isOneLine(subject))
    return null;
  if ((about.dangers ?? []).length > 0 || about.again !== undefined || about.attaches !== undefined) return null;
  if (Object.keys(args).some((name) => name !== main && !HARMLESS.has(name)) || lookalikesIn(ask).length > 0)
    return null;
  const { cwd = null, network = false } = args as { readonly cwd?: string; readonly network?: boolean };
  const like = main === "command" ? commandFamily(subject) : main === "url" ? hostOf(subject) : directoryOf(subject);
  return like === null
    ? null
    : JSON.stringify([call, about.target, about.directory, about.grants ?? [], cwd, network, like]);
}

function isOneLine(subject: string): boolean {
  return (
    subject !== "" && subject.length <= SUBJECT_CHARS_MAX && reveal(subject) === subject && !subject.includes("\n")
  );
}

/** `npm run` of `npm run build`. A line of several commands is like no other. */
function commandFamily(command: string): string | null {
  if (/[;&|<>`$(){}\\]/.test(command)) return null;
  const [program = "", verb = ""] = command.trim().split(/\s+/);
  return /^[A-Za-z][\w:-]*$/.test(verb) ? `${program} ${verb}` : program;
}

function hostOf(url: string): string | null {
  return URL.parse(url)?.host ?? null;
}

function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
