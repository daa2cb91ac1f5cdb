// The service behind sys.mcp.*: checks definitions, keeps their secrets apart, and shows servers with their tools.

import { messageOf, SysError } from "../../abi/errno.ts";
import { uuidv7 } from "../../abi/ids.ts";
import { MCP_NAME, type McpDefinition, type McpScope } from "../../abi/links/mcp.ts";
import type { Clock } from "../../lib/clock.ts";
import { clip } from "../../lib/text/truncate.ts";
import type { McpServerRow } from "../../store/kernel/links/mcp-servers.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { McpAdded, McpListed, McpService } from "../../syscalls/links/mcp-service.ts";
import type { LinkSecrets, SecretValues } from "../oauth/vault.ts";
import { isLoopbackHost } from "../oauth/wire.ts";
import { shownServer, shownWhole } from "./list.ts";
import { accepted, offerOf } from "./pins.ts";
import type { McpServers } from "./servers.ts";

export interface McpServicePorts {
  readonly servers: McpServers;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
  /** Throws if the account may not start programs on this computer. */
  readonly mayStart: (context: CallContext) => Promise<void>;
  readonly scopeOf: (context: CallContext, asked: Pick<McpAdded, "scope" | "for">) => Promise<McpScope>;
  /** The values of variables and headers, by the id of their server. */
  readonly secrets: LinkSecrets;
  /** Deletes the tokens of a server that is removed. */
  readonly signOut: (row: McpServerRow) => Promise<void>;
}

/** Without what agents read, too. */
type OwnersPart = Omit<McpService, "resources" | "resource" | "prompt">;

const SERVERS_MAX = 50;
const LOG_LINES_SHOWN = 5;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const HEADER = /^[A-Za-z0-9-]{1,64}$/;
/** Variables that make programs load other code. */
const REFUSED = /^(?:LD_|DYLD_|BUN_|NODE_OPTIONS$|PYTHON(?:STARTUP|PATH)$|PERL5OPT$|RUBYOPT$|GSV_)/;

export function mcpService({
  servers,
  clock,
  random,
  mayStart,
  scopeOf,
  secrets,
  signOut,
}: McpServicePorts): OwnersPart {
  const listed = (row: McpServerRow) => shownWhole(row, servers.runningOf(row.id));
  const shown = (row: McpServerRow) => shownServer(row, servers.runningOf(row.id));
  const accept = async (row: McpServerRow): Promise<McpServerRow> => {
    const pinned = accepted(row.pinned, row.found?.offered ?? []);
    await servers.put({ ...row, pinned, updatedAt: clock.now() });
    return await servers.named(row.uid, row.name);
  };
  const forget = async (row: McpServerRow) => {
    await servers.remove(row);
    if (row.secret !== null) await secrets.remove(row.id, row.secret);
  };
  /** Names that are being added: their rows come later. */
  const adding = new Set<string>();
  const owned = (context: CallContext, name: string) => servers.named(context.caller.ownerUid, name);
  const approvedRow = async (context: CallContext, name: string) => {
    const row = await owned(context, name);
    if (!row.pending) return row;
    throw new SysError("EPERM", `${name} came with a workspace and waits for your approval`, [
      `to look at it: gsv mcp show ${name}`,
      `to approve it: gsv mcp enable ${name}`,
    ]);
  };

  const begun = async (row: McpServerRow): Promise<McpListed> => {
    try {
      await servers.put(row);
      return listed(row.pending ? row : await accept(await servers.refresh(row)));
    } catch (error) {
      // Signing in needs the definition.
      if (error instanceof SysError && error.code === "EAUTH") return listed(row);
      // A definition that never worked is not kept: its name stays free, and its log goes into the error.
      const log = servers.logOf(row.id).filter((line) => line !== messageOf(error));
      await forget(row);
      if (!(error instanceof SysError)) throw error;
      throw new SysError(error.code, error.message, [...error.hints, ...log.slice(-LOG_LINES_SHOWN)]);
    }
  };

  return {
    async add(context, asked) {
      const uid = context.caller.ownerUid;
      const now = clock.now();
      const { definition, values } = definitionFrom(asked, context.client?.cwd ?? "/");
      if (!MCP_NAME.test(asked.name))
        throw new SysError("EINVAL", `invalid name: ${clip(asked.name)}`, [
          "small letters, digits and -, such as github",
        ]);
      const all = await servers.list(uid);
      const reserved = `${uid} ${asked.name}`;
      if (adding.has(reserved) || all.some(({ name }) => name === asked.name))
        throw new SysError("EEXIST", `an MCP server is already called ${asked.name}`, [
          `to replace it, remove it first: gsv mcp rm ${asked.name}`,
        ]);
      if (all.length >= SERVERS_MAX)
        throw new SysError("ELIMIT", `this account already has ${SERVERS_MAX} MCP servers`);
      adding.add(reserved);
      try {
        if (definition.kind === "stdio") await mayStart(context);
        const scope = await scopeOf(context, asked);
        const { pending = false } = asked;
        const id = uuidv7(now, random);
        const secret = Object.keys(values).length === 0 ? null : await secrets.put(id, values);
        const base = { id, uid, name: asked.name, definition, secret, updatedAt: now };
        return await begun({ ...base, scope, pending, enabled: true, pinned: [], found: null });
      } finally {
        adding.delete(reserved);
      }
    },

    async list({ caller }) {
      return { servers: (await servers.list(caller.ownerUid)).map((row) => shown(row)) };
    },

    show: async (context, name) => listed(await owned(context, name)),

    async refresh(context, { name, accept: offer }) {
      const row = await approvedRow(context, name);
      // Does not restart the server: that might offer other tools than those that the person read.
      if (offer !== undefined) return listed(await accept(asShown(row, offer)));
      if (row.definition.kind === "stdio") await mayStart(context);
      return listed(await servers.refresh(row));
    },

    async enable(context, name) {
      const row = await owned(context, name);
      if (!row.pending) {
        await servers.put({ ...row, enabled: true, updatedAt: clock.now() });
        return listed(await owned(context, name));
      }
      if (row.definition.kind === "stdio") await mayStart(context);
      const approved = { ...row, pending: false, enabled: true, updatedAt: clock.now() };
      await servers.put(approved);
      return listed(await accept(await servers.refresh(approved)));
    },

    async disable(context, name) {
      const row = await owned(context, name);
      await servers.put({ ...row, enabled: false, updatedAt: clock.now() });
      await servers.stop(row.id);
      return shown(await owned(context, name));
    },

    async allow(context, { name, tool, use = "auto" }) {
      const row = await owned(context, name);
      if (!row.pinned.some((each) => each.tool.name === tool))
        throw new SysError("ENOENT", `${name} has no accepted tool ${clip(tool)}`, [
          `to list its tools: gsv mcp show ${name}`,
        ]);
      const pinned = row.pinned.map((each) => (each.tool.name === tool ? { ...each, use } : each));
      await servers.put({ ...row, pinned, updatedAt: clock.now() });
      const { server, tools } = listed(await owned(context, name));
      return { server, tools: tools.filter((each) => each.name === tool) };
    },

    async remove(context, name) {
      const row = await owned(context, name);
      await forget(row);
      await signOut(row);
      return { name };
    },

    logs: async (context, name) => ({ lines: servers.logOf((await owned(context, name)).id) }),
  };
}

function asShown(row: McpServerRow, offer: string): McpServerRow {
  if (row.found !== null && offerOf(row.id, row.found.offered) === offer) return row;
  throw new SysError("ESTALE", `${row.name} offers other tools than ${clip(offer)}`, [
    `to read them again: gsv mcp show ${row.name}`,
  ]);
}

function definitionFrom(
  { command = [], url, env = [], header = [], directory }: McpAdded,
  cwd: string,
): { readonly definition: McpDefinition; readonly values: SecretValues } {
  if (command.length > 0 === (url !== undefined))
    throw new SysError("EUSAGE", "give either a program or an address", [
      "gsv mcp add NAME -- COMMAND ARGUMENTS",
      "gsv mcp add NAME --url URL",
    ]);
  if (url !== undefined) {
    if (env.length > 0) throw new SysError("EUSAGE", "--env is for programs; --header is for addresses");
    const values = pairs(header, /^([^:=]+):\s*(.*)$/s, HEADER, "--header takes NAME: VALUE");
    return { definition: { kind: "http", url: addressFrom(url), headers: Object.keys(values) }, values };
  }
  if (header.length > 0) throw new SysError("EUSAGE", "--header is for addresses; --env is for programs");
  const values = pairs(env, /^([^=]+)=(.*)$/s, VARIABLE, "--env takes NAME=VALUE");
  const refused = Object.keys(values).find((name) => REFUSED.test(name));
  if (refused !== undefined)
    throw new SysError("EINVAL", `${refused} cannot be set: it makes programs load other code`);
  const [program = "", ...args] = command;
  if ([program, ...args].some((word) => word.includes("\0")))
    throw new SysError("EINVAL", "a word of the command has a NUL");
  const names = Object.keys(values);
  return { definition: { kind: "stdio", command: program, args, directory: directory ?? cwd, env: names }, values };
}

function addressFrom(text: string): string {
  const url = URL.parse(text);
  if (
    url === null ||
    url.username !== "" ||
    url.password !== "" ||
    !(url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname)))
  )
    throw new SysError("EINVAL", `not an address of an MCP server: ${clip(text)}`, [
      "an https address; http only on this computer; no name or password in it",
    ]);
  return url.href;
}

function pairs(words: readonly string[], form: RegExp, name: RegExp, usage: string): SecretValues {
  const found: { [name: string]: string } = {};
  for (const word of words) {
    const [, key = "", text = ""] = form.exec(word) ?? [];
    // The word may be a secret: it is not quoted.
    if (!name.test(key)) throw new SysError("EUSAGE", usage);
    found[key] = text;
  }
  return found;
}
