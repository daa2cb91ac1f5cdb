// The tools of a process: those of gsv that it may use, those that a client offers to it, and those of the account's MCP servers.

import { mayUse } from "../../abi/identity.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import { parametersOf } from "../../syscalls/schema.ts";
import type { AnySyscall } from "../../syscalls/table.ts";
import { SERVER_CALL, type ToolServers } from "./tool-servers.ts";

export interface OfferedToolsPorts {
  readonly toolsOf: (row: ProcessRow, usual: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly table: ReadonlyMap<string, AnySyscall>;
  readonly servers: Pick<ToolServers, "specsOf" | "has">;
  readonly linked: LinkedTools;
}

/** Tools of MCP servers. */
export interface LinkedTools {
  specs(row: ProcessRow): Promise<readonly ToolSpec[]>;
  /** The run of the process has ended: its calls end too. */
  runOver(pid: string): void;
  /** Whether a model may name the tool, now or after a search. */
  has(tool: string): boolean;
  functions(row: ProcessRow): Promise<readonly ServerFunction[]>;
  /** The declarations of a server's functions, for people and models. */
  declarations(row: ProcessRow, server: string): Promise<string>;
}

/** A tool of an MCP server as code blocks call it. */
export interface ServerFunction {
  readonly server: string;
  readonly tool: string;
  /** The tool of the process that makes such calls. */
  readonly by: string;
}

const BLOCK_TOOL = "CodeMode";
const FUNCTIONS_TEXT =
  "\nTools of MCP servers are functions too: mcp__notes__add is notes.add({…}), with _ for each - in a name; → its structured result, or else its text. console.log(notes) prints the types of all.";

export class OfferedTools {
  private readonly byTool: ReadonlyMap<string, AnySyscall>;

  constructor(private readonly ports: OfferedToolsPorts) {
    this.byTool = new Map(
      [...ports.table.values()].flatMap((call) => (call.tool === undefined ? [] : [[call.tool.name, call]])),
    );
  }

  /** As models see them. Leaves out tools that the process can never use. */
  async specs(row: ProcessRow): Promise<ToolSpec[]> {
    const { dropped } = row;
    const allowed = await this.namesFor(row);
    const usable = [...this.byTool].filter(
      ([name, { capability, tool }]) =>
        allowed.has(name) &&
        mayUse({ capabilities: ["*"], dropped }, capability) &&
        (tool?.mode === undefined || tool.mode === row.mode),
    );
    const own = usable.map(([name, call]) => ({
      name,
      description: call.tool?.description ?? call.summary,
      parameters: parametersOf(call.input),
    }));
    if (!mayUse({ capabilities: ["*"], dropped }, SERVER_CALL)) return own;
    const served = (await this.served(row)).filter(({ name }) => allowed.has(name));
    if (!served.some(({ name }) => this.ports.linked.has(name))) return [...own, ...served];
    const described = own.map((spec) =>
      spec.name === BLOCK_TOOL ? { ...spec, description: spec.description + FUNCTIONS_TEXT } : spec,
    );
    return [...described, ...served];
  }

  /** The tools of MCP servers that a code block of the process may call. */
  async functions(row: ProcessRow): Promise<readonly ServerFunction[]> {
    if (!mayUse({ capabilities: ["*"], dropped: row.dropped }, SERVER_CALL)) return [];
    const all = await this.ports.linked.functions(row);
    if (all.length === 0) return [];
    const allowed = await this.namesFor(row);
    return all.filter(({ by }) => allowed.has(by));
  }

  declarations(row: ProcessRow, server: string): Promise<string> {
    return this.ports.linked.declarations(row, server);
  }

  names(): readonly string[] {
    return [...this.byTool.keys()];
  }

  async namesFor(row: ProcessRow): Promise<ReadonlySet<string>> {
    const served = (await this.served(row)).map(({ name }) => name);
    return await this.ports.toolsOf(row, [...this.names(), ...served]);
  }

  private async served(row: ProcessRow): Promise<readonly ToolSpec[]> {
    return [...this.ports.servers.specsOf(row.pid), ...(await this.ports.linked.specs(row))];
  }

  syscallOf(pid: string, tool: string): AnySyscall | null {
    const own = this.byTool.get(tool);
    if (own !== undefined) return own;
    const { servers, linked, table } = this.ports;
    return servers.has(pid, tool) || linked.has(tool) ? (table.get(SERVER_CALL) ?? null) : null;
  }
}
