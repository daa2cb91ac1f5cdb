// The title of a request: one line that says who wants to do what, where. The rows below it come from
// commands/approvals/approval-card-text.ts, which `gsv approvals` prints too. Control characters are made visible. Pure.

import { MCP_CALL, mcpToolNamed } from "../../src/abi/links/mcp.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import type { Ask } from "../state/asks.ts";
import { subjectOf } from "../talk/subject.ts";

const THIS_COMPUTER = "this computer";

/** For each tool its verb, and its object if the real one does not fit. */
const VERBS: { readonly [tool: string]: readonly [verb: string, object: string] } = {
  Read: ["read", "a file"],
  Write: ["write", "a file"],
  Edit: ["edit", "a file"],
  Delete: ["delete", "a file"],
  Search: ["search", "files"],
  Shell: ["run", "a command"],
  Fetch: ["fetch", "a page"],
  CodeMode: ["run code", ""],
};

/** Follows the name of the process. `computer`: the name of the kernel's computer for the reader. */
export function wishText(ask: Ask, computer?: string): string {
  if (ask.kind === "question") return "asks you";
  return isPlan(ask) ? "has a plan" : wantsText(ask, computer);
}

function wantsText(ask: Ask, computer = THIS_COMPUTER): string {
  const { about } = ask;
  const [verb, object] = wordsOf(ask);
  const what = about?.again === undefined ? `${verb} ${object}`.trimEnd() : `${verb} again`;
  return `wants to ${what}${placeOf(about, computer)}`;
}

function wordsOf({ tool, args }: Ask): readonly [verb: string, object: string] {
  const ofServer = mcpToolNamed(tool === MCP_CALL ? String((args as { tool?: unknown }).tool) : tool);
  if (ofServer !== null) return [`use ${reveal(ofServer.tool)} of the MCP server ${ofServer.server}`, ""];
  return VERBS[tool] ?? [`use ${reveal(tool)}`, ""];
}

export type NamedAsk = Ask & { readonly name: string; readonly computer?: string };

export const DECIDED: { readonly [decision: string]: string } = {
  ...{ approve: "approved", answer: "answered", deny: "denied" },
};

/** Includes the subject if it fits on the row; otherwise the subject is below. */
export function titleOf(ask: NamedAsk, columns: number): string {
  if (ask.kind !== "question" && fitsTitle(ask, columns)) return wholeTitle(ask);
  return `${reveal(ask.name)} ${wishText(ask, ask.computer)}`;
}

export function fitsTitle(ask: NamedAsk, columns: number): boolean {
  // The lines of a longer call are below.
  return !isPlan(ask) && !realSubject(ask).includes("\n") && Bun.stringWidth(wholeTitle(ask)) <= columns;
}

/** The place comes before the subject, so that no command can pass for it. */
function wholeTitle(ask: NamedAsk): string {
  const { name, about, computer } = ask;
  const place = placeOf(about, computer);
  const subject = reveal(realSubject(ask));
  const [verb, object] = wordsOf(ask);
  const head = `${reveal(name)} wants to ${verb}${about?.again === undefined ? "" : " again"}${place}`;
  const isParted = object === "" || place !== "";
  return subject === "" ? head : `${head}${isParted ? ":" : ""} ${subject}`;
}

/** For a file its real path, unless it is only the home written out. */
export function realSubject({ tool, args, about }: Ask): string {
  const given = subjectOf(tool, args);
  const real = about?.path;
  return real === undefined || (given.startsWith("~/") && real.endsWith(given.slice(1))) ? given : real;
}

export function isPlan({ call }: Pick<Ask, "call">): boolean {
  return call === "hil.plan";
}

function placeOf(about: Ask["about"], computer = THIS_COMPUTER): string {
  const target = about?.target ?? "gsv";
  if (target === "gsv") return "";
  return target === "host" ? ` on ${reveal(computer)}` : ` on ${reveal(target)}`;
}
