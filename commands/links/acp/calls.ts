// Tool calls and requests of gsv in the words of the Agent Client Protocol. Pure.

import { join } from "node:path";
import type { ApprovalAbout } from "../../../src/abi/process/process.ts";
import type { Signal } from "../../../src/abi/signal.ts";
import type { Json } from "./rpc.ts";

/** Where a session works. */
export interface Place {
  /** The editor's directory. */
  readonly cwd: string;
  /** The same as gsv names it; null if gsv stores the files. */
  readonly workspace: { readonly directory: string; readonly path: string } | null;
}

const KINDS: { readonly [tool: string]: string } = {
  Read: "read",
  Write: "edit",
  Edit: "edit",
  Delete: "delete",
  Search: "search",
  Shell: "execute",
  CodeMode: "execute",
  Fetch: "fetch",
  Plan: "switch_mode",
  Ask: "think",
};
/** The argument that says most of a call. */
const SUBJECTS = ["path", "command", "url", "query", "question", "prompt", "tool"];
const TITLE_CHARS = 200;
const LOCATIONS_MAX = 20;
/** As Search prints them. */
const MATCH = /^(.+?):(\d+):/;

interface Called {
  readonly callId: string;
  readonly tool: string;
  readonly args: object;
}

export function toolCall({ callId, tool, args }: Called, status: "pending" | "in_progress", place: Place): Json {
  const { path, target, offset } = args as Json;
  const file = typeof path === "string" ? fileAt(path, target, place) : null;
  const line = tool === "Read" && typeof offset === "number" ? { line: offset + 1 } : {};
  const change = changeIn(args, file ?? absolute(path));
  return {
    ...{ toolCallId: callId, title: titleOf(tool, args), kind: KINDS[tool] ?? "other", status, rawInput: args },
    ...(file !== null && { locations: [{ path: file, ...line }] }),
    ...(change !== null && { content: [change] }),
  };
}

interface Result {
  readonly callId: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly output: string;
}

export function toolResult({ callId, tool, ok, output }: Result, place: Place): Json {
  const found = tool === "Search" && ok ? matchesIn(output, place) : [];
  return {
    ...{ sessionUpdate: "tool_call_update", toolCallId: callId, status: ok ? "completed" : "failed" },
    content: [{ type: "content", content: { type: "text", text: output } }],
    ...(found.length > 0 && { locations: found }),
  };
}

export type Hil = Extract<Signal, { readonly name: "chat.hil" }>;

export function cardId({ id }: { readonly id: string }): string {
  return `request-${id}`;
}

/** The call that a request is about. The card of the terminal says the same things. */
export function requestedCall({ id, tool, args, why, about }: Omit<Hil, "at">, place: Place): Json {
  const within = about?.directory == null ? place : { ...place, cwd: about.directory };
  const call = toolCall({ callId: cardId({ id }), tool, args }, "pending", within);
  const { plan } = args as Json;
  const notes = [typeof plan === "string" ? plan : `to ${why}`, ...dangersOf(about)].join("\n");
  const text = { type: "content", content: { type: "text", text: notes } };
  return { ...call, content: [...((call.content as readonly Json[] | undefined) ?? []), text] };
}

function dangersOf(about: ApprovalAbout | null): readonly string[] {
  return [...(about?.dangers ?? []).map((danger) => `danger: ${danger}`), ...(about?.reasons ?? [])];
}

/** The steps of a plan: the items of its list, else its lines. */
export function stepsIn(plan: string): readonly string[] {
  const lines = plan.split("\n").filter((line) => line.trim() !== "");
  const items = lines.flatMap((line) => /^(?:\d+[.)]|[-*])\s+(.+)$/.exec(line)?.[1] ?? []);
  return items.length > 0 ? items : lines.map((line) => line.trim());
}

/** The path on this computer; null for a file that only gsv has. */
function fileAt(path: string, target: unknown, { cwd, workspace }: Place): string | null {
  if (path.startsWith("~")) return null;
  if (!path.startsWith("/")) return join(cwd, path).replace(/(?<=.)\/$/, "");
  if (target === "host") return path;
  if (workspace === null) return null;
  const { directory, path: inside } = workspace;
  if (isIn(path, inside)) return directory + path.slice(inside.length);
  return isIn(path, directory) ? path : null;
}

function isIn(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

function absolute(path: unknown): string | null {
  return typeof path === "string" && path.startsWith("/") ? path : null;
}

function matchesIn(output: string, place: Place): readonly Json[] {
  const found = output.split("\n").flatMap((text) => {
    const [, path = "", line = ""] = MATCH.exec(text) ?? [];
    const file = path === "" ? null : fileAt(path, "gsv", place);
    return file === null ? [] : [{ path: file, line: Number(line) }];
  });
  return found.slice(0, LOCATIONS_MAX);
}

function titleOf(tool: string, args: object): string {
  const given = args as Json;
  const [subject] = SUBJECTS.flatMap((name) => (typeof given[name] === "string" ? [given[name] as string] : []));
  return (subject === undefined ? tool : `${tool} ${subject}`).slice(0, TITLE_CHARS);
}

function changeIn(args: object, path: string | null): Json | null {
  const { oldString, newString, content } = args as Json;
  if (path === null) return null;
  if (typeof oldString === "string" && typeof newString === "string")
    return { type: "diff", path, oldText: oldString, newText: newString };
  return typeof content === "string" ? { type: "diff", path, newText: content } : null;
}
