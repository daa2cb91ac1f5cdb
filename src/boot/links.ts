// Builds MCP servers: how their programs start, and the tools that agents get from them. Connections and the SDK load at the first use.

import { existsSync } from "node:fs";
import { KeyReused, SysError } from "../abi/errno.ts";
import type { McpDefinition } from "../abi/links/mcp.ts";
import { settingsFor } from "../kernel/settings/config.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { LinkPorts, McpLink } from "../links/mcp/link.ts";
import { LinkedTools } from "../links/mcp/linked-tools.ts";
import { homeMark, MARK } from "../links/mcp/mark.ts";
import { mcpResources } from "../links/mcp/resources.ts";
import { scopes } from "../links/mcp/scope.ts";
import { McpServers, type McpServersPorts } from "../links/mcp/servers.ts";
import { mcpService } from "../links/mcp/service.ts";
import type { ServerLogin } from "../links/oauth/server-login.ts";
import type { SecretValues } from "../links/oauth/vault.ts";
import { trustedPlace } from "../process/prompt/workspace-context.ts";
import type { McpServerRow } from "../store/kernel/links/mcp-servers.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { McpService } from "../syscalls/links/mcp-service.ts";
import type { OAuthService } from "../syscalls/links/oauth-service.ts";
import type { ServerAnswer } from "../syscalls/run/server-tools.ts";
import type { Services } from "../syscalls/table.ts";
import { endLeftBehind } from "../targets/left-behind.ts";
import { type PipedChild, spawnPiped } from "../targets/spawn.ts";
import { VERSION } from "../version.ts";
import type { Core, HostParts, ShellParts } from "./core.ts";
import { bootConversations, type LateProcesses } from "./links/conversations.ts";
import { bootOAuth } from "./links/oauth.ts";
import { linkSecrets } from "./links/secrets.ts";

const MARK_BYTES = 8;

export interface LinkParts {
  readonly mcp: McpServers;
  readonly linked: LinkedTools;
  readonly mcpService: McpService;
  readonly oauth: OAuthService;
  /** Deletes the servers and the accounts at other services of an account that is removed. */
  readonly forget: (uid: number) => Promise<void>;
}

export function bootLinks(core: Core, { host }: Pick<ShellParts, "host">, late: LateProcesses): LinkParts {
  const { kernel, machine } = core;
  const { clock, random } = machine;
  const gone = ["the values of its variables are gone", "remove the server and add it again"] as const;
  const secrets = linkSecrets(core, "mcp", gone);
  const oauth = bootOAuth(core);
  if (core.afterCrash) endLeftBehind([`${MARK}=${homeMark(machine.paths.home)}`]);
  const open: McpServersPorts["open"] = async (row, known, { signal, peer }) => {
    const { openLink } = await import("../links/mcp/link.ts");
    const values = row.secret === null ? {} : await secrets.read(row.id, row.secret);
    const login = oauth.loginFor(row);
    const transports = await transportOf({ core, host, values, log: peer.log, login }, row.definition);
    const open = () => openLink({ ...transports, version: VERSION, clock, signal, peer }, known);
    return login === null ? await open() : await signedInLink(open, login);
  };
  const placeOf = async (workspaceId: string) => {
    const row = await kernel.workspaces.get(workspaceId);
    return row === null ? null : trustedPlace(row);
  };
  const mcp = new McpServers({ rows: kernel.mcpServers, clock, placeOf, open });
  const conversations = bootConversations(core, mcp, late);
  const linked = new LinkedTools({
    servers: mcp,
    conversations,
    processOf: (pid) => kernel.processes.get(pid),
    deferAbove: async (uid) =>
      Number((await settingsFor(kernel.config, { uid, client: undefined }))("mcp.deferAbove").text),
  });
  const mayStart = ({ caller }: { readonly caller: Parameters<typeof host.launcher.authorise>[0] }) =>
    host.launcher.authorise(caller);
  const scopeOf = scopes({ kernel, home: machine.paths.home });
  const signOut = ({ uid, name }: McpServerRow) => oauth.forget({ uid, server: name });
  const service = {
    ...mcpService({ servers: mcp, clock, random, mayStart, scopeOf, secrets, signOut }),
    ...mcpResources({ servers: mcp, clock, userOf: (caller) => linked.userOf(caller) }),
  };
  const forget = async (uid: number) => {
    for (const row of await mcp.list(uid)) {
      await mcp.remove(row);
      if (row.secret !== null) await secrets.remove(row.id, row.secret);
    }
    await oauth.forget({ uid });
  };
  return { mcp, linked, mcpService: service, oauth: oauth.service(mcp), forget };
}

export function linkServices(
  core: Core,
  { linked, mcpService: mcp, oauth }: LinkParts,
): Pick<Services, "serverTools" | "mcp" | "oauth"> {
  return {
    ...{ mcp, oauth },
    serverTools: {
      offer: (context, request) => core.servers.offer(context, request),
      answer: (context, request) => core.servers.answer(context, request),
      call: (context, request) =>
        linked.has(request.tool) ? callOnce(core, linked, context, request) : core.servers.call(context, request),
    },
  };
}

/** If the server refuses the login, the error says what to do about it. */
async function signedInLink(open: () => Promise<McpLink>, login: ServerLogin): Promise<McpLink> {
  const explained = <T>(work: Promise<T>) =>
    work.catch((error: unknown): never => {
      throw login.takeRefusal() ?? error;
    });
  const link = await explained(open());
  return {
    ...link,
    tools: (signal) => explained(link.tools(signal)),
    read: (...asked) => explained(link.read(...asked)),
    prompt: (...asked) => explained(link.prompt(...asked)),
    async call(...asked) {
      const end = await link.call(...asked);
      const refusal = end.kind === "done" ? null : login.takeRefusal();
      if (refusal !== null) throw refusal;
      return end;
    },
  };
}

/** A client that lost the kernel sends its call again: it must not run twice. Calls of a process are stored with its run. */
async function callOnce(
  { kernel: { requests }, machine: { clock } }: Core,
  linked: LinkedTools,
  context: Pick<CallContext, "caller" | "signal" | "requestId" | "onRepeat">,
  request: Parameters<LinkedTools["call"]>[1],
): Promise<ServerAnswer> {
  const { caller, requestId } = context;
  if (caller.kind === "process") return await linked.call(context, request);
  const bodyHash = sha256Hex(JSON.stringify([request.tool, request.args]));
  const known = await requests.answered(caller.uid, requestId, bodyHash);
  if (known !== null) {
    if (!known.sameBody) throw new KeyReused(`request id ${requestId} was already used for another request`);
    context.onRepeat?.("answered");
    return known.answer as ServerAnswer;
  }
  const lost: ServerAnswer = { text: "the answer was lost; it may have run", lost: true };
  await requests.remember({ uid: caller.uid, requestId, bodyHash, answer: lost, now: clock.now() });
  const answer = await linked.call(context, request);
  await requests.replace({ uid: caller.uid, requestId, answer });
  return answer;
}

interface TransportParts {
  readonly core: Core;
  readonly host: HostParts;
  readonly values: SecretValues;
  readonly log: (line: string) => void;
  readonly login: ServerLogin | null;
}

async function transportOf(
  { core, host: { launcher }, values, log, login }: TransportParts,
  definition: McpDefinition,
): Promise<Pick<LinkPorts, "transport" | "older">> {
  const { clock, random, paths } = core.machine;
  if (definition.kind === "http") {
    const { httpTransport, eventTransport } = await import("../links/mcp/http-transport.ts");
    const ports = { url: definition.url, headers: values, clock, login };
    return { transport: () => httpTransport(ports), older: () => eventTransport(ports) };
  }
  const { StdioTransport } = await import("../links/mcp/stdio-transport.ts");
  const { command, args, directory } = definition;
  if (!existsSync(directory)) throw new SysError("ENOENT", `its directory is gone: ${directory}`);
  const childOf = await launcher.serving([command, ...args], directory);
  const spawn = (): PipedChild => {
    const mark = `${homeMark(paths.home)}${Buffer.from(random(MARK_BYTES)).toString("hex")}`;
    const { release, ...child } = childOf();
    const server = started({ ...child, env: { ...child.env, ...values, [MARK]: mark } }, release);
    const kill = () => {
      server.kill();
      endLeftBehind([`${MARK}=${mark}\0`]);
    };
    return { ...server, kill };
  };
  return { transport: () => new StdioTransport({ spawn, clock, random, log }) };
}

function started(child: Parameters<typeof spawnPiped>[0], release: () => void): PipedChild {
  try {
    const server = spawnPiped(child);
    void server.ended.finally(release);
    return server;
  } catch (error) {
    release();
    throw error;
  }
}
