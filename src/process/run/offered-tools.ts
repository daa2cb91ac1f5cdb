// The tools of a process: those of gsv that it may use, and those of its tool servers.

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
}

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
    return [...own, ...this.ports.servers.specsOf(row.pid).filter(({ name }) => allowed.has(name))];
  }

  names(): readonly string[] {
    return [...this.byTool.keys()];
  }

  namesFor(row: ProcessRow): Promise<ReadonlySet<string>> {
    const served = this.ports.servers.specsOf(row.pid).map(({ name }) => name);
    return this.ports.toolsOf(row, [...this.names(), ...served]);
  }

  syscallOf(pid: string, tool: string): AnySyscall | null {
    const served = this.ports.servers.has(pid, tool) ? this.ports.table.get(SERVER_CALL) : undefined;
    return this.byTool.get(tool) ?? served ?? null;
  }
}
