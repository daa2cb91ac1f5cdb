// The MCP servers of all accounts: what a model may call, calls, and their logs. Nothing of it is loaded or started before an account has
// a server.

import { SysError } from "../../abi/errno.ts";
import type { McpPinnedTool, McpTool, McpToolName } from "../../abi/links/mcp.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { McpFound, McpServerRow, McpServerRows } from "../../store/kernel/links/mcp-servers.ts";
import type { CallOptions, Era, LinkPeer, McpLink } from "./link.ts";
import { type RunningState, serverNamed } from "./list.ts";
import { specOf, usable } from "./pins.ts";
import type { CallEnd } from "./results.ts";
import { RunningServer } from "./running-server.ts";

export interface McpServersPorts {
  readonly rows: McpServerRows;
  readonly clock: Clock;
  /** The place of a workspace, as scopes name it; null if it is gone. */
  readonly placeOf: (workspaceId: string) => Promise<string | null>;
  readonly open: (row: McpServerRow, known: Era | null, about: OpenPorts) => Promise<McpLink>;
}

export interface OpenPorts {
  readonly signal: AbortSignal;
  readonly peer: LinkPeer;
}

/** A person uses all servers of an account, a process those whose scope it is in. */
export interface McpUser {
  readonly ownerUid: number;
  readonly process: { readonly uid: number; readonly workspaceId: string | null } | null;
}

export interface LinkedTool {
  readonly row: McpServerRow;
  readonly pinned: McpPinnedTool;
  readonly spec: ToolSpec;
}

const LOG_LINES = 200;
const NEVER = new AbortController().signal;
/** A server that spoke the old protocol may have been updated. */
const ERA_MS = 7 * 24 * 60 * 60_000;

export class McpServers {
  private readonly running = new Map<string, RunningServer>();
  private readonly logs = new Map<string, string[]>();
  private readonly byUid = new Map<number, Promise<readonly McpServerRow[]>>();
  /** By list of servers: definitions are compared once, not at each call. */
  private readonly toolsOf = new WeakMap<readonly McpServerRow[], readonly LinkedTool[]>();

  constructor(private readonly ports: McpServersPorts) {}

  list(uid: number): Promise<readonly McpServerRow[]> {
    const known = this.byUid.get(uid) ?? this.ports.rows.list(uid);
    this.byUid.set(uid, known);
    return known;
  }

  async named(uid: number, name: string): Promise<McpServerRow> {
    return serverNamed(await this.list(uid), name);
  }

  async put(row: McpServerRow): Promise<void> {
    await this.ports.rows.put(row);
    this.byUid.delete(row.uid);
  }

  async remove(row: McpServerRow): Promise<void> {
    await this.ports.rows.remove(row.id);
    this.byUid.delete(row.uid);
    // Last: a call must not start it again.
    await this.stop(row.id);
    this.logs.delete(row.id);
  }

  /** What the user may call, in a stable order. */
  async tools({ ownerUid, process }: McpUser): Promise<readonly LinkedTool[]> {
    const all = await this.allTools(ownerUid);
    if (process === null || all.every(({ row }) => row.scope.kind === "account")) return all;
    const rows = [...new Set(all.map(({ row }) => row))];
    const isIn = await Promise.all(rows.map((row) => this.isInScope({ ownerUid, process }, row)));
    const inScope = new Set(rows.filter((_, at) => isIn[at]));
    return all.filter(({ row }) => inScope.has(row));
  }

  /** The server, if the user may use it now. */
  async used(user: McpUser, name: string): Promise<McpServerRow> {
    const row = await this.named(user.ownerUid, name);
    if (row.pending || !row.enabled)
      throw new SysError("EPERM", `${name} is ${row.pending ? "not approved" : "disabled"}`, [
        `to use it: gsv mcp enable ${name}`,
      ]);
    // As if there were none of that name.
    return (await this.isInScope(user, row)) ? row : serverNamed([], name);
  }

  private async isInScope({ process }: McpUser, { scope }: McpServerRow): Promise<boolean> {
    if (process === null || scope.kind === "account") return true;
    if (scope.kind === "agent") return scope.uid === process.uid;
    return process.workspaceId !== null && (await this.ports.placeOf(process.workspaceId)) === scope.place;
  }

  private async allTools(uid: number): Promise<readonly LinkedTool[]> {
    const rows = await this.list(uid);
    const known = this.toolsOf.get(rows) ?? linkedTools(rows);
    this.toolsOf.set(rows, known);
    return known;
  }

  async tool(user: McpUser, { server, tool }: McpToolName): Promise<LinkedTool | null> {
    const ofServer = (await this.tools(user)).filter(({ row }) => row.name === server);
    const byName = ofServer.find(({ pinned }) => pinned.tool.name === tool);
    return byName ?? ofServer.find(({ spec }) => spec.name === `mcp__${server}__${tool}`) ?? null;
  }

  async call(
    { row, pinned }: Pick<LinkedTool, "row" | "pinned">,
    args: { readonly [name: string]: unknown },
    options: CallOptions,
  ): Promise<CallEnd> {
    const server = this.serverOf(row);
    await server.ready();
    // The connection may have shown another definition than the accepted one.
    const now = await this.tool({ ownerUid: row.uid, process: null }, { server: row.name, tool: pinned.tool.name });
    if (now === null)
      throw new SysError("EPERM", `${row.name} has changed its tool ${clip(pinned.tool.name)}`, [
        `to read and accept it: gsv mcp show ${row.name}`,
      ]);
    return await server.call(pinned.tool, args, options);
  }

  /** Asks a server for something that has no effect. */
  async ask<T>(
    row: McpServerRow,
    work: (link: McpLink, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    return await this.serverOf(row).ask(work, signal);
  }

  /** Connects if needed and lists the tools. */
  async refresh(row: McpServerRow): Promise<McpServerRow> {
    await this.stop(row.id);
    await this.serverOf(row).ready();
    return await this.named(row.uid, row.name);
  }

  async stop(id: string): Promise<void> {
    const running = this.running.get(id);
    this.running.delete(id);
    await running?.close();
  }

  logOf(id: string): readonly string[] {
    return this.logs.get(id) ?? [];
  }

  runningOf(id: string): RunningState {
    const running = this.running.get(id);
    return { state: running?.state ?? "idle", error: running?.error ?? null, pid: running?.pid ?? null };
  }

  async close(): Promise<void> {
    await Promise.all([...this.running.keys()].map((id) => this.stop(id)));
  }

  private serverOf(row: McpServerRow): RunningServer {
    const known = this.running.get(row.id);
    if (known !== undefined) return known;
    const log = (line: string) => this.log(row.id, line);
    const made = new RunningServer({
      ...{ name: row.name, clock: this.ports.clock, log },
      open: (signal, peer) => this.ports.open(row, this.eraOf(row), { signal, peer }),
      listed: (link, tools) => this.listed(row, link, tools),
    });
    this.running.set(row.id, made);
    return made;
  }

  private eraOf({ found }: McpServerRow): Era | null {
    if (found === null || this.ports.clock.now() - found.eraAt > ERA_MS) return null;
    return found.era as Era;
  }

  private async listed({ id, uid }: McpServerRow, link: McpLink, offered: readonly McpTool[]): Promise<void> {
    const { era, server, instructions } = link;
    const about = { hasResources: link.resources !== null, prompts: await link.prompts(NEVER) };
    const found: McpFound = { era, eraAt: this.ports.clock.now(), server, ...about, instructions, offered };
    await this.ports.rows.found(id, found);
    this.byUid.delete(uid);
  }

  log(id: string, line: string): void {
    const lines = this.logs.get(id) ?? [];
    lines.push(reveal(line));
    if (lines.length > LOG_LINES) lines.shift();
    this.logs.set(id, lines);
  }
}

function linkedTools(rows: readonly McpServerRow[]): readonly LinkedTool[] {
  const enabled = rows.filter((row) => row.enabled && !row.pending);
  const linked = enabled.flatMap((row) =>
    usable(row.pinned, row.found?.offered ?? []).map((pinned) => ({
      ...{ row, pinned },
      spec: specOf(row.name, pinned.tool),
    })),
  );
  const names = new Set<string>();
  return linked.filter(({ spec: { name } }) => !names.has(name) && names.add(name));
}
