// Describes results of tool calls: found, done, denied or unknown. Reads plain results and JSON; claims success only if the
// result says so. Pure.

import type { ToolCall, ToolResultContent } from "../../abi/process/message.ts";
import { RUNNING_CALLS } from "./rules.ts";

type Args = ToolCall["args"];

export function presentResults(calls: readonly ToolCall[], results: readonly ToolResultContent[]): string {
  const parts: string[] = [];
  const processRows: string[] = [];
  for (const result of results) {
    const call = calls.find((candidate) => candidate.id === result.toolCallId);
    const args = call?.args ?? {};
    if (isAboutRunning(result.toolName, args)) {
      if (result.outcome === "completed") processRows.push(...linesOf(result.output));
      else if (!parts.includes(trouble(result, args))) parts.push(trouble(result, args));
    } else parts.push(result.outcome === "completed" ? done(result, args) : trouble(result, args));
  }
  if (processRows.length > 0) parts.unshift(processTable(processRows));
  return parts.join("\n\n");
}

function isAboutRunning(toolName: string, args: Args): boolean {
  return RUNNING_CALLS.some(
    (call) => call.name === toolName && call.args.query === args.query && call.args.path === args.path,
  );
}

function trouble(result: ToolResultContent, args: Args): string {
  const what = orderText(result.toolName, args);
  const said = result.output.trim();
  switch (result.outcome) {
    case "denied":
      return said === "" ? `Not done, because it was denied: ${what}.` : `Not done: ${what}. ${deniedText(said)}`;
    case "cancelled":
      return `Not done, because it was cancelled: ${what}.`;
    case "unknown":
      return `gsv was interrupted in the middle of this, so it may or may not have happened: ${what}. Check before you repeat it.`;
    default:
      return `That did not work: ${what}. ${said}${hostHint(result, args)}`.trim();
  }
}

/** The user may have meant a file on this computer. */
function hostHint({ toolName, output }: ToolResultContent, args: Args): string {
  const path = pathOf(args);
  if (toolName !== "Read" || args.target !== undefined || /^[~/]/.test(path) || !output.startsWith("ENOENT")) return "";
  return `\nTo read a file on this computer: read ${path} on the host`;
}

// The part after the semicolon is for models.
function deniedText(said: string): string {
  return said.startsWith("denied by ") ? `It was ${said.split(";", 1)[0]}.` : said;
}

function orderText(toolName: string, args: Args): string {
  const path = `${pathOf(args)}${args.target === "host" && toolName !== "Shell" ? " on the host" : ""}`;
  switch (toolName) {
    case "Read":
      return `read ${path}`;
    case "Write":
      return `write to ${path}`;
    case "Edit":
      return `change ${path}`;
    case "Delete":
      return `delete ${path}`;
    case "Search":
      return isAboutRunning(toolName, args) ? "see what is running" : `find ${quote(args.query)}${below(args)}`;
    case "Shell":
      return `run ${String(args.command)}`;
    default:
      return toolName;
  }
}

function done(result: ToolResultContent, args: Args): string {
  const path = pathOf(args);
  switch (result.toolName) {
    case "Read":
      return readText(result.output, path);
    case "Write":
      return `Written to ${path}.`;
    case "Edit":
      return `Changed ${path}.`;
    case "Delete":
      return `Deleted ${path}.`;
    case "Search":
      return searchText(result.output, args);
    case "Shell":
      return result.output.replace(/\n?\(exit status 0\)$/, "") || "Done.";
    default:
      return result.output;
  }
}

function readText(output: string, path: string): string {
  const view = asObject(output);
  if (view?.kind === "directory") {
    const entries = [...namesIn(view.directories).map((name) => `${name}/`), ...namesIn(view.files)];
    return entries.length === 0 ? `${path} is empty.` : `${path} holds:\n\n${entries.join("\n")}`;
  }
  const content = view?.kind === "file" && typeof view.content === "string" ? view.content : output;
  const plain = withoutNumbers(content);
  return plain.trim() === "" ? `${path} is empty.` : `${path}:\n\n${verbatim(plain.replace(/\n+$/, ""), path)}`;
}

// The answer is Markdown: text that Markdown would change goes into a code block.
function verbatim(text: string, path: string): string {
  if (/\.(?:md|markdown)$/i.test(path) || !/^[ \t]+\S|^[#>|+-]|[*_`<\\]/m.test(text)) return text;
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const language = /\.([a-z0-9]{1,8})$/i.exec(path)?.[1] ?? "";
  return `${fence}${language}\n${text}\n${fence}`;
}

// Files come with line numbers, for models. Notices within long files have none.
function withoutNumbers(content: string): string {
  const numbered = /^ *\d+\t/;
  if (!numbered.test(content)) return content;
  return content
    .split("\n")
    .map((line) => line.replace(numbered, ""))
    .join("\n");
}

function searchText(output: string, args: Args): string {
  const lines = linesOf(output);
  const where = below(args);
  if (lines.length === 0) return `Nothing found for ${quote(args.query)}${where}.`;
  return `Found ${quote(args.query)}${where}:\n\n${lines.join("\n")}`;
}

/** `path:line:text` rows, from text or JSON. */
function linesOf(output: string): string[] {
  const found = asObject(output);
  if (found !== null && Array.isArray(found.matches)) {
    return found.matches.map((match: { path?: unknown; line?: unknown; content?: unknown }) =>
      [match.path, match.line, match.content].map(String).join(":"),
    );
  }
  return output.split("\n").filter((line) => line.trim() !== "" && !/^\(?no matches\b/i.test(line.trim()));
}

function processTable(rows: readonly string[]): string {
  const states = new Map<string, string>();
  const names = new Map<string, string>();
  for (const row of rows) {
    const match = /((?:init:\d+|task:[a-z0-9]{6}))\/status:\d+:\s*(?:\d+\t)?(State|Name):\s*(.*)$/.exec(row);
    if (match === null) continue;
    const [, pid = "", key, value = ""] = match;
    (key === "State" ? states : names).set(pid, value.trim());
  }
  if (states.size === 0) return "No processes to show. `gsv ps` prints them all.";
  const lines = [...states].map(([pid, state]) =>
    `${pid.padEnd(12)}  ${state.padEnd(12)}  ${nameOf(names.get(pid))}`.trimEnd(),
  );
  const count = states.size === 1 ? "1 process" : `${states.size} processes`;
  return `${count}:\n\n${lines.map((line) => `    ${line}`).join("\n")}\n\n\`gsv ps\` shows more of each.`;
}

// A process without a label has the name "-".
function nameOf(name = "-"): string {
  return name === "-" ? "" : name;
}

function asObject(output: string): { readonly [key: string]: unknown } | null {
  if (!output.startsWith("{")) return null;
  try {
    return JSON.parse(output) as { readonly [key: string]: unknown };
  } catch {
    return null;
  }
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function pathOf(args: Args): string {
  return typeof args.path === "string" && args.path !== "." ? args.path : "the current directory";
}

function below(args: Args): string {
  return typeof args.path === "string" ? ` in ${args.path}` : "";
}

function quote(value: unknown): string {
  return JSON.stringify(typeof value === "string" ? value : "");
}
