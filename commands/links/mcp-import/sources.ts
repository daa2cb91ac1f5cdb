// The configurations of MCP servers that gsv reads: `.mcp.json` of a directory, Claude Code's and codex's.

import { messageOf, SysError } from "../../../src/abi/errno.ts";
import type { Io } from "../../command.ts";
import { type Candidate, fromClaude, fromCodex, type Source } from "./candidates.ts";

/** Claude Code keeps more than servers in its file. */
const BYTES_MAX = 32 * 1024 * 1024;

type Reads = Pick<Io, "host" | "env">;

export async function candidatesFor(io: Reads, directory: string): Promise<Candidate[]> {
  const home = io.env.HOME ?? "/";
  const [project, claude, codex, ownCodex] = await Promise.all([
    projectServers(io, directory),
    fileIn(io, `${home}/.claude.json`, JSON.parse),
    fileIn(io, `${home}/.codex/config.toml`, toml),
    fileIn(io, `${directory}/.codex/config.toml`, toml),
  ]);
  const source = (path: string, scope: Source["scope"]): Source => ({ path, scope, env: io.env });
  const { mcpServers, projects } = record(claude);
  const local = record(record(projects)[directory]).mcpServers;
  return [
    ...project,
    ...fromClaude(local, source("~/.claude.json", "workspace")),
    ...fromClaude(mcpServers, source("~/.claude.json", "account")),
    ...fromCodex(record(ownCodex).mcp_servers, source(".codex/config.toml", "workspace")),
    ...fromCodex(record(codex).mcp_servers, source("~/.codex/config.toml", "account")),
  ];
}

/** The servers that a directory brings. */
export async function projectServers(io: Reads, directory: string): Promise<Candidate[]> {
  const { mcpServers } = record(await fileIn(io, `${directory}/.mcp.json`, JSON.parse));
  return fromClaude(mcpServers, { path: ".mcp.json", scope: "workspace", env: io.env });
}

async function fileIn(io: Reads, path: string, parse: (text: string) => unknown): Promise<unknown> {
  const host = await io.host();
  const thing = await host.look(path, { follow: true }).catch(() => null);
  if (thing === null || thing.kind !== "file") return null;
  if (thing.size > BYTES_MAX) throw new SysError("EFBIG", `${path} is too large for a configuration`);
  const pieces: Uint8Array[] = [];
  for await (const piece of host.read(path)) pieces.push(piece);
  try {
    return parse(Buffer.concat(pieces).toString());
  } catch (error) {
    throw new SysError("EINVAL", `cannot read ${path}: ${messageOf(error)}`, ["fix the file, then import again"]);
  }
}

function toml(text: string): unknown {
  return Bun.TOML.parse(text);
}

function record(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
