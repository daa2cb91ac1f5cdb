// `gsv mcp import`: shows the servers that other programs are configured with and adds them after a yes. Servers that a directory brings are
// stored as pending when a person attaches it: none starts before its approval.

import { messageOf, SysError } from "../../../src/abi/errno.ts";
import type { McpScope, McpServer } from "../../../src/abi/links/mcp.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import { field } from "../../../src/syscalls/define.ts";
import type { McpAdded, McpListed } from "../../../src/syscalls/links/mcp-service.ts";
import type { Io } from "../../command.ts";
import { command } from "../../define.ts";
import { agrees, canAsk, noTerminal } from "../../io/consent.ts";
import { jsonLine } from "../../io/status.ts";
import { printText } from "../../print.ts";
import { type Candidate, freeName, shownCandidate } from "./candidates.ts";
import { candidatesFor, projectServers } from "./sources.ts";

/** A candidate under the name that it gets. */
interface Planned {
  readonly name: string;
  readonly candidate: Candidate;
  /** A server of this name waits for approval already, with the same command or address. */
  readonly pending: boolean;
}

export const importServers = command(
  {
    name: "mcp import",
    summary: "Import MCP servers of other programs",
    input: { yes: field.flag("skip the question") },
    examples: ["gsv mcp import", "gsv mcp import --yes"],
  },
  async ({ args: { yes = false }, json }, io) => {
    const all = await candidatesFor(io, io.cwd);
    const { planned, known } = plan(all, (await serversOf(io)).servers, io.cwd);
    const refused = all.filter((each) => each.refused !== null);
    if (json && !yes) {
      for (const { name, candidate } of planned) await printText(io.stdout, jsonLine(withoutValues(name, candidate)));
      return 0;
    }
    for (const [source, group] of Map.groupBy(planned, ({ candidate }) => sourceText(candidate))) {
      await printText(io.stderr, `From ${source}:`);
      for (const { name, candidate } of group) await show(io, name, candidate);
    }
    for (const candidate of refused) await show(io, reveal(candidate.name), candidate);
    if (known > 0) await printText(io.stderr, `${servers(known)} already here`);
    if (planned.length === 0) {
      await printText(io.stderr, all.length === 0 ? "no MCP servers found" : "nothing to add");
      return 0;
    }
    if (!yes) {
      if (!canAsk(io, json)) throw noTerminal("imported", "read the list above, then: gsv mcp import --yes");
      const question = `Add ${servers(planned.length)}? Each one starts now, to list its tools.`;
      if (!(await agrees(io, question))) return 1;
    }
    let failed = 0;
    for (const each of planned) if (!(await added(io, each, json))) failed++;
    return failed === 0 ? 0 : 1;
  },
);

/** Stores the servers that a directory brings, to be approved later, and says so. Starts nothing; null if there are none. */
export async function holdServers(io: Pick<Io, "host" | "env" | "sys">, directory: string): Promise<string | null> {
  try {
    const found = await projectServers(io, directory);
    if (found.length === 0) return null;
    const { planned } = plan(found, (await serversOf(io)).servers, directory);
    const waiting = planned.filter(({ pending }) => !pending);
    // The approval of a stored server does not show what it takes from the environment; an import does.
    const [taking, fresh] = [true, false].map((takes) =>
      waiting.filter(({ candidate }) => Object.keys(candidate.from).length > 0 === takes),
    ) as [Planned[], Planned[]];
    for (const { name, candidate } of fresh)
      await io.sys().call("sys.mcp.add", { ...requestOf(name, candidate, directory), pending: true });
    const lines = [
      ...(fresh.length === 0 ? [] : [`${held(fresh.length, "waits", "wait")} for your approval: gsv mcp list`]),
      ...(taking.length === 0 ? [] : [`${held(taking.length, "takes", "take")} your variables: gsv mcp import`]),
    ];
    return lines.length === 0 ? null : lines.join("\n");
  } catch (error) {
    // Such as a process in place of a person, or a broken file: no reason to fail what the person asked for.
    return `MCP servers of .mcp.json are not listed: ${reveal(messageOf(error))}`;
  }
}

/** Leaves out servers that are there, and finds a free name for the others. */
function plan(candidates: readonly Candidate[], existing: readonly McpServer[], directory: string) {
  const taken = new Set(existing.map(({ name }) => name));
  const planned: Planned[] = [];
  let known = 0;
  for (const candidate of candidates) {
    if (candidate.refused !== null) continue;
    const same = existing.find((server) => isSame(server, candidate, directory));
    if (same !== undefined && same.state !== "pending") known++;
    else if (same !== undefined) planned.push({ name: same.name, candidate, pending: true });
    else {
      const name = freeName(candidate.name, taken);
      taken.add(name);
      planned.push({ name, candidate, pending: false });
    }
  }
  return { planned, known };
}

function isSame({ definition, scope }: McpServer, candidate: Candidate, directory: string): boolean {
  const { command: words, url, env, headers } = candidate;
  if (!isScope(scope, candidate, directory)) return false;
  if (definition.kind === "http") return definition.url === hrefOf(url) && sameNames(definition.headers, headers);
  const own = [definition.command, ...definition.args];
  return url === null && Bun.deepEquals(own, words) && sameNames(definition.env, env);
}

function isScope(scope: McpScope, candidate: Candidate, directory: string): boolean {
  if (candidate.scope === "account") return scope.kind === "account";
  return scope.kind === "workspace" && (scope.place === directory || directory.startsWith(`${scope.place}/`));
}

function sameNames(names: readonly string[], values: object): boolean {
  return Bun.deepEquals([...names].sort(), Object.keys(values).sort());
}

function hrefOf(url: string | null): string | null {
  return url === null ? null : (URL.parse(url)?.href ?? url);
}

function requestOf(name: string, candidate: Candidate, directory: string): McpAdded {
  const { scope, command: words, url, env, headers } = candidate;
  const starts = candidate.directory ?? directory;
  const where = scope === "workspace" ? { scope, for: directory } : { scope };
  const pairs = (values: object, between: string) =>
    Object.entries(values).map(([key, text]) => `${key}${between}${text}`);
  const [header, variables] = [pairs(headers, ": "), pairs(env, "=")];
  // The call takes no empty lists.
  if (url !== null) return { name, url, ...(header.length > 0 && { header }), ...where };
  return { name, command: words, directory: starts, ...(variables.length > 0 && { env: variables }), ...where };
}

async function added(io: Io, { name, candidate, pending }: Planned, json: boolean): Promise<boolean> {
  try {
    // Its directory and values may be older than those that were shown.
    if (pending) await io.sys().call("sys.mcp.remove", { name });
    const { server } = await io.sys().call<McpListed>("sys.mcp.add", requestOf(name, candidate, io.cwd));
    await printText(
      io.stdout,
      json ? jsonLine(server) : `${name}: ${server.tools} ${server.tools === 1 ? "tool" : "tools"}`,
    );
    return true;
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    await printText(
      io.stderr,
      [`${name}: ${reveal(error.message)}`, ...error.hints.map((hint) => `  ${reveal(hint)}`)].join("\n"),
    );
    return false;
  }
}

async function show(io: Io, name: string, candidate: Candidate): Promise<void> {
  const [head = "", ...rest] = shownCandidate(candidate);
  await printText(io.stderr, [`  ${name}: ${head}`, ...rest.map((line) => `      ${line}`)].join("\n"));
}

function sourceText({ source, scope }: Candidate): string {
  return scope === "workspace" ? `${source}, for this directory only` : source;
}

function held(count: number, one: string, many: string): string {
  return `${servers(count)} of .mcp.json ${count === 1 ? one : many}`;
}

function servers(count: number): string {
  return `${count} MCP ${count === 1 ? "server" : "servers"}`;
}

function withoutValues(name: string, { env, headers, ...rest }: Candidate): object {
  return { ...rest, name, env: Object.keys(env), headers: Object.keys(headers) };
}

function serversOf(io: Pick<Io, "sys">): Promise<{ readonly servers: readonly McpServer[] }> {
  return io.sys().call("sys.mcp.list", {});
}
