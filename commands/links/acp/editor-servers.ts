// MCP servers that an editor hands over with a session. They are commands from outside, like those of a workspace: each waits until a person
// has read its whole command, unless the same server was approved before.

import { messageOf, SysError } from "../../../src/abi/errno.ts";
import type { McpServer } from "../../../src/abi/links/mcp.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import type { Json, Rpc } from "./rpc.ts";
import type { Session } from "./session.ts";
import { chunk } from "./translate.ts";

export interface EditorServerPorts {
  readonly sys: Sys;
  readonly rpc: Pick<Rpc, "request">;
  readonly update: (session: Session, update: Json) => void;
  readonly note: (text: string) => void;
}

type Definition =
  | { readonly command: readonly string[]; readonly env: readonly string[] }
  | { readonly url: string; readonly header: readonly string[] };

const NAME_CHARS_MAX = 24;
const NAMES_TRIED = 20;

const ANSWERS = [
  { optionId: "start", name: "Allow, now and later", kind: "allow_always" },
  { optionId: "deny", name: "Deny", kind: "reject_once" },
] as const;

export class EditorServers {
  /** One at a time: two windows hand over the same servers. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: EditorServerPorts) {}

  /** Adds those that the account does not have. Nothing starts. */
  take(session: Session, given: unknown): Promise<void> {
    const taken = this.last.then(async () => {
      for (const each of Array.isArray(given) ? (given as Json[]) : [])
        await this.takeOne(session, each).catch((error) =>
          this.ports.note(`MCP server ${reveal(String(each?.name)).slice(0, 40)} of the editor: ${messageOf(error)}`),
        );
    });
    this.last = taken;
    return taken;
  }

  /** Asks about those that wait. False if the person cancelled the prompt instead. */
  async ask(session: Session): Promise<boolean> {
    for (let name = session.servers[0]; name !== undefined; name = session.servers[0]) {
      const { servers } = await this.ports.sys.call<{ servers: readonly McpServer[] }>("sys.mcp.list", {});
      const server = servers.find((each) => each.name === name);
      if (server?.state === "pending" && !(await this.askOne(session, server))) return false;
      session.servers.shift();
    }
    return true;
  }

  private async askOne(session: Session, server: McpServer): Promise<boolean> {
    const { rpc, update } = this.ports;
    const { name } = server;
    const toolCallId = `server-${name}`;
    const { answer } = rpc.request("session/request_permission", {
      ...{ sessionId: session.pid, options: ANSWERS },
      toolCall: { toolCallId, title: `Start the MCP server ${name}`, kind: "execute", content: [contentOf(server)] },
    });
    const { outcome, optionId } = ((await answer)?.outcome ?? {}) as Json;
    if (outcome === "cancelled") return false;
    const started = optionId === "start" ? await this.start(name) : "it was denied";
    const status = started === null ? "completed" : "failed";
    update(session, { sessionUpdate: "tool_call_update", toolCallId, status });
    if (started !== null)
      update(session, chunk("agent_thought_chunk", `The MCP server ${name} is not used: ${started}.\n`));
    return true;
  }

  /** Why it does not work; null if it does. */
  private async start(name: string): Promise<string | null> {
    return await this.ports.sys.call("sys.mcp.enable", { name }).then(() => null, messageOf);
  }

  private async takeOne(session: Session, given: Json): Promise<void> {
    const definition = definitionFrom(given);
    const { servers } = await this.ports.sys.call<{ servers: readonly McpServer[] }>("sys.mcp.list", {});
    const directory = session.place.workspace?.directory ?? session.place.cwd;
    const known = servers.find((each) => isSame(each, definition, directory));
    const name = known?.name ?? (await this.added(nameFrom(given.name), definition, directory));
    if (known === undefined || known.state === "pending") session.servers.push(name);
  }

  private async added(wanted: string, definition: Definition, directory: string): Promise<string> {
    const scope = { scope: "workspace", for: directory, pending: true };
    const place = "command" in definition ? { directory } : {};
    // The call takes no empty lists.
    const given = Object.fromEntries(Object.entries(definition).filter(([, value]) => value.length > 0));
    for (let at = 1; ; at++) {
      const end = at === 1 ? "" : `-${at}`;
      const name = `${wanted.slice(0, NAME_CHARS_MAX - end.length)}${end}`;
      try {
        await this.ports.sys.call("sys.mcp.add", { name, ...given, ...place, ...scope });
        return name;
      } catch (error) {
        if (!(error instanceof SysError) || error.code !== "EEXIST" || at === NAMES_TRIED) throw error;
      }
    }
  }
}

function definitionFrom({ type = "stdio", command, args, env, url, headers }: Json): Definition {
  const pairs = (list: unknown, between: string) =>
    (Array.isArray(list) ? (list as Json[]) : []).map(({ name, value }) => `${name}${between}${value}`);
  if (type === "http" && typeof url === "string") return { url, header: pairs(headers, ": ") };
  if (type !== "stdio" || typeof command !== "string")
    throw new SysError("EINVAL", "only stdio and http are supported");
  const words = Array.isArray(args) ? args.map(String) : [];
  return { command: [command, ...words], env: pairs(env, "=") };
}

/** The same program or address with the same names of variables or headers. */
function isSame({ definition: known, scope }: McpServer, given: Definition, directory: string): boolean {
  if (scope.kind === "workspace" && scope.place !== directory) return false;
  if (scope.kind === "agent") return false;
  const names = (pairs: readonly string[]) => pairs.map((pair) => /^[^=:]*/.exec(pair)?.[0] ?? "").sort();
  const theirs =
    known.kind === "http"
      ? [known.url, ...[...known.headers].sort()]
      : [known.command, ...known.args, known.directory, ...[...known.env].sort()];
  const ours =
    "url" in given
      ? [URL.parse(given.url)?.href, ...names(given.header)]
      : [...given.command, directory, ...names(given.env)];
  return JSON.stringify(theirs) === JSON.stringify(ours);
}

function nameFrom(given: unknown): string {
  const plain = String(given)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return (/^[a-z]/.test(plain) ? plain : `mcp-${plain}`).slice(0, NAME_CHARS_MAX);
}

/** Whole: the person approves this. Values may be secrets. */
function contentOf({ definition }: McpServer): Json {
  const lines =
    definition.kind === "http"
      ? [definition.url, ...namesLine("headers", definition.headers)]
      : [
          JSON.stringify([definition.command, ...definition.args]),
          `starts in ${definition.directory}`,
          ...namesLine("environment", definition.env),
        ];
  const text = ["The editor brought this MCP server. Its tools ask before each use.", ...lines.map(reveal)].join("\n");
  return { type: "content", content: { type: "text", text } };
}

function namesLine(label: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${label}: ${names.join(", ")}`];
}
