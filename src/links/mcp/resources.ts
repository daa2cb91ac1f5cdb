// Resources and prompts of MCP servers for their users. A read has no effect on the server, so it does not ask; but an agent reads only what the
// server lists: the address of any other resource could carry what the agent knows.

import { SysError } from "../../abi/errno.ts";
import { MCP_MOUNT } from "../../abi/links/mcp-paths.ts";
import type { Clock } from "../../lib/clock.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { McpServerRow } from "../../store/kernel/links/mcp-servers.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { McpService } from "../../syscalls/links/mcp-service.ts";
import type { ResourceContent } from "./offers.ts";
import type { McpServers, McpUser } from "./servers.ts";

export interface ResourcePorts {
  readonly servers: McpServers;
  readonly clock: Clock;
  readonly userOf: (caller: CallContext["caller"]) => Promise<McpUser>;
}

type Kept<T> = { readonly at: number; readonly value: Promise<T> };

/** Lists and contents stay so long: a file is looked at, then read in pieces. */
const KEPT_MS = 5000;
const KEPT_MAX = 16;
const PIECE_BYTES = 384 * 1024;

export function mcpResources({
  servers,
  clock,
  userOf,
}: ResourcePorts): Pick<McpService, "resources" | "resource" | "prompt"> {
  const kept = new Map<string, Kept<unknown>>();
  const once = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const now = clock.mono();
    for (const [other, { at }] of kept) if (now - at > KEPT_MS) kept.delete(other);
    const known = kept.get(key) as Kept<T> | undefined;
    const value = known?.value ?? work();
    if (known === undefined) {
      const [oldest] = kept.keys();
      if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest);
      kept.set(key, { at: now, value });
      value.catch(() => kept.delete(key));
    }
    return await value;
  };
  const usedBy = async ({ caller }: Pick<CallContext, "caller">, name: string): Promise<McpServerRow> =>
    servers.used(await userOf(caller), name);
  const listOf = (row: McpServerRow, signal: AbortSignal) =>
    once(row.id, () =>
      servers.ask(
        row,
        async (link, until) =>
          link.resources === null ? { resources: [], templates: [] } : await link.resources(until),
        signal,
      ),
    );

  return {
    async resources(context, name) {
      return await listOf(await usedBy(context, name), context.signal);
    },

    async resource(context, { name, uri, offset = 0 }) {
      const { caller, signal } = context;
      const row = await usedBy(context, name);
      if (caller.kind !== "person") {
        const { resources } = await listOf(row, signal);
        if (!resources.some((each) => each.uri === uri))
          throw new SysError("EACCES", `${name} does not list ${clip(uri)}: agents read listed resources only`, [
            `to list them: ls ${MCP_MOUNT}/${name}`,
          ]);
      }
      const { type, bytes }: ResourceContent = await once(`${row.id} ${uri}`, () =>
        servers.ask(row, (link, until) => link.read(uri, until), signal),
      );
      const piece = bytes.subarray(offset, offset + PIECE_BYTES);
      const end = offset + piece.byteLength;
      return {
        ...{ type, size: bytes.byteLength, data: Buffer.from(piece).toString("base64") },
        next: end < bytes.byteLength ? end : null,
      };
    },

    async prompt(context, { name, prompt, args = [] }) {
      const row = await usedBy(context, name);
      const values = Object.fromEntries(args.map(pairOf));
      return { text: await servers.ask(row, (link, until) => link.prompt(prompt, values, until), context.signal) };
    },
  };
}

function pairOf(word: string): [string, string] {
  const at = word.indexOf("=");
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new SysError("EUSAGE", `not an argument of a prompt: ${clip(word)}`, ["give NAME=VALUE"]);
}
