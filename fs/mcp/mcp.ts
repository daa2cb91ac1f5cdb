// /mnt/mcp: the resources of MCP servers as files, read-only. /mnt/mcp/SERVER/SCHEME/… has the names of its URIs; TEMPLATES lists the forms of URIs
// that a server answers without listing them. Looking into a server's directory starts it.

import type { Caller } from "../../src/abi/identity.ts";
import type { McpResource, McpResources, McpServer } from "../../src/abi/links/mcp.ts";
import { pathOfUri, uriOfPath } from "../../src/abi/links/mcp-paths.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { FileError, refused } from "../error.ts";
import type { Entry, FileSystem, ReadOptions, ReadResult, ResolvedPath, Stat } from "../filesystem.ts";
import { split } from "../path.ts";

const TEMPLATES = "TEMPLATES";

interface Piece {
  readonly size: number;
  readonly data: string;
  readonly next: number | null;
}

/** The resources of a server by their paths below its directory. */
interface Tree {
  readonly files: ReadonlyMap<string, McpResource>;
  readonly templates: McpResources["templates"];
}

export function mcpFs(sysFor: (caller: Caller) => Sys, clock: Clock): FileSystem {
  return new McpFs(sysFor, clock);
}

class McpFs implements FileSystem {
  constructor(
    private readonly sysFor: (caller: Caller) => Sys,
    private readonly clock: Clock,
  ) {}

  async stat(caller: Caller, path: ResolvedPath): Promise<Stat> {
    const [server, ...rest] = split(path);
    if (server === undefined) return this.directory();
    if (!(await this.servers(caller)).includes(server)) throw new FileError("ENOENT", path);
    // A walk to a file looks at the directory of its server: that starts nothing yet.
    if (rest.length === 0) return this.directory();
    const name = rest.join("/");
    const { files, templates } = await this.tree(caller, server);
    if (name === TEMPLATES && templates.length > 0) return this.file(textOf(templates).length, "text/plain");
    if (below(files, name).size > 0) return this.directory();
    const resource = files.get(name);
    if (resource !== undefined) return this.file(resource.size ?? 0, resource.type);
    // Only people name what a server does not list. Such a file is looked at by reading it.
    const form = caller.kind === "person" ? formOf(templates, name) : null;
    if (form === "directory") return this.directory();
    const uri = form === null ? null : uriOfPath(name);
    if (uri === null) throw new FileError("ENOENT", path);
    return this.file((await this.piece(caller, server, uri, 0)).size, null);
  }

  async list(caller: Caller, path: ResolvedPath): Promise<readonly Entry[]> {
    const [server, ...rest] = split(path);
    if (server === undefined) return (await this.servers(caller)).map((name) => ({ name, stat: this.directory() }));
    const { files, templates } = await this.tree(caller, server);
    const at = rest.join("/");
    const inside = below(files, at);
    if (inside.size === 0 && rest.length > 0) throw new FileError(files.has(at) ? "ENOTDIR" : "ENOENT", path);
    const entries = [...inside].map(([name, resource]) => ({
      name,
      stat: resource === null ? this.directory() : this.file(resource.size ?? 0, resource.type),
    }));
    if (rest.length > 0 || templates.length === 0) return entries;
    return [...entries, { name: TEMPLATES, stat: this.file(textOf(templates).length, "text/plain") }];
  }

  async read(caller: Caller, path: ResolvedPath, { offset = 0, bytesMax }: ReadOptions): Promise<ReadResult> {
    const [server = "", ...rest] = split(path);
    const name = rest.join("/");
    const { files, templates } = await this.tree(caller, server);
    if (name === TEMPLATES && templates.length > 0) {
      const all = Buffer.from(textOf(templates));
      const bytes = new Uint8Array(all.subarray(offset, offset + bytesMax));
      return { bytes, eof: offset + bytes.byteLength >= all.length, version: "0" };
    }
    const uri = files.get(name)?.uri ?? uriOfPath(name);
    if (uri === null) throw new FileError("ENOENT", path);
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (let at: number | null = offset; at !== null && size < bytesMax; ) {
      const piece: Piece = await this.piece(caller, server, uri, at);
      const bytes = Buffer.from(piece.data, "base64");
      pieces.push(bytes);
      size += bytes.byteLength;
      at = piece.next;
      if (at === null && size <= bytesMax) return { bytes: joined(pieces), eof: true, version: String(piece.size) };
    }
    return { bytes: joined(pieces).subarray(0, bytesMax), eof: false, version: "0" };
  }

  readonly write = refused;
  readonly remove = refused;
  readonly rename = refused;
  readonly mkdir = refused;
  readonly link = refused;
  readonly setattr = refused;

  private async servers(caller: Caller): Promise<readonly string[]> {
    const { servers } = await this.sysFor(caller).call<{ servers: readonly McpServer[] }>("sys.mcp.list", {});
    return servers
      .filter(({ hasResources, state }) => hasResources && state !== "pending" && state !== "off")
      .map(({ name }) => name);
  }

  private async tree(caller: Caller, name: string): Promise<Tree> {
    const { resources, templates } = await this.sysFor(caller).call<McpResources>("sys.mcp.resources", { name });
    const paths = new Map(resources.map((resource) => [pathOfUri(resource.uri), resource]));
    const files = new Map<string, McpResource>();
    for (const [path, resource] of paths) if (path !== null) files.set(path, resource);
    return { files, templates };
  }

  private piece(caller: Caller, name: string, uri: string, offset: number): Promise<Piece> {
    return this.sysFor(caller).call<Piece>("sys.mcp.resource", { name, uri, offset });
  }

  private directory(): Stat {
    return { ...this.base(), kind: "directory", mode: 0o555 };
  }

  private file(size: number, type: string | null): Stat {
    return { ...this.base(), kind: "file", mode: 0o444, size, ...(type !== null && { contentType: reveal(type) }) };
  }

  private base() {
    return { uid: 0, gid: 0, size: 0, mtimeMs: this.clock.now(), version: String(this.clock.now()) };
  }
}

/** The names in a directory: a resource, or null for a directory. A name that is both is a directory. */
function below(files: Tree["files"], directory: string): Map<string, McpResource | null> {
  const start = directory === "" ? "" : `${directory}/`;
  const found = new Map<string, McpResource | null>();
  for (const [path, resource] of files) {
    if (!path.startsWith(start)) continue;
    const [name = "", ...rest] = path.slice(start.length).split("/");
    if (rest.length > 0) found.set(name, null);
    else if (!found.has(name)) found.set(name, resource);
  }
  return found;
}

/** What a path is by the templates: a file of that form, or a directory on the way to one. */
function formOf(templates: McpResources["templates"], name: string): "file" | "directory" | null {
  const uri = uriOfPath(name);
  if (uri !== null && templates.some(({ template }) => hasForm(uri, template))) return "file";
  const isOnTheWay = templates.some(({ template }) => {
    const wanted = template.replace("://", "/").split("/");
    const given = name.split("/");
    return given.length < wanted.length && given.every((each, at) => each === wanted[at] || wanted[at]?.includes("{"));
  });
  return isOnTheWay ? "directory" : null;
}

/** Any values fit. In linear time, whatever the template of a stranger. */
function hasForm(uri: string, template: string): boolean {
  const [head = "", ...parts] = template.split(/\{[^{}]*\}/);
  if (parts.length === 0) return uri === template;
  let at = head.length;
  if (!uri.startsWith(head)) return false;
  for (const part of parts) {
    const found = uri.indexOf(part, at + 1);
    if (found === -1) return false;
    at = found + part.length;
  }
  return parts.at(-1) === "" ? uri.length > at - 1 : uri.endsWith(parts.at(-1) ?? "");
}

function textOf(templates: McpResources["templates"]): string {
  return templates
    .map(({ template, name, description }) => `${reveal(template)}\t${reveal(name)}\t${reveal(description)}\n`)
    .join("");
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces));
}
