// Builds OAuth accounts: sign-ins at MCP servers and other services. The SDK and the network are loaded at the first sign-in or renewal.

import { SysError } from "../../abi/errno.ts";
import { settingsFor } from "../../kernel/settings/config.ts";
import { hostsIn } from "../../kernel/web.ts";
import { lazy } from "../../lib/lazy.ts";
import type { McpServers } from "../../links/mcp/servers.ts";
import { ServerLogin } from "../../links/oauth/server-login.ts";
import type { OAuthPorts } from "../../links/oauth/service.ts";
import { AccountTokens } from "../../links/oauth/tokens.ts";
import { Vault } from "../../links/oauth/vault.ts";
import type { McpServerRow } from "../../store/kernel/links/mcp-servers.ts";
import type { OAuthService } from "../../syscalls/links/oauth-service.ts";
import { VERSION } from "../../version.ts";
import type { Core } from "../core.ts";
import { systemLookUp } from "../targets.ts";
import { linkSecrets } from "./secrets.ts";

export interface OAuthParts {
  /** null for a server with its own Authorization header, and for one that is a program. */
  loginFor(row: McpServerRow): ServerLogin | null;
  service(servers: McpServers): OAuthService;
  /** Deletes and revokes all tokens of an account, or those for one MCP server. */
  forget(whose: { readonly uid: number; readonly server?: string }): Promise<void>;
}

const load = () => import("../../links/oauth/service.ts");

export function bootOAuth(core: Core): OAuthParts {
  const { kernel, machine } = core;
  const { clock, random, lookUp: resolve = systemLookUp } = machine;
  const vault = new Vault(linkSecrets(core, "oauth", ["its tokens are gone", "sign in again"]));
  const wire = { clock, version: VERSION, resolve };
  const settings: OAuthPorts["settings"] = async (uid) => {
    const setting = await settingsFor(kernel.config, { uid, client: undefined });
    return { allowed: hostsIn(setting("net.allow").text), document: setting("oauth.clientMetadataUrl").text };
  };
  const fetchFor: ConstructorParameters<typeof AccountTokens>[0]["fetchFor"] = async (row) =>
    (await load()).fetchFor({ wire, settings }, row);
  const tokens = new AccountTokens({ rows: kernel.oauth, vault, clock, fetchFor });
  const logins = new Map<string, ServerLogin>();
  return {
    loginFor({ id, uid, name, definition }) {
      if (definition.kind !== "http" || ownsHeader(definition.headers)) return null;
      const login = new ServerLogin({ rows: kernel.oauth, tokens }, { uid, name, url: definition.url });
      logins.set(id, login);
      return login;
    },
    forget: async (whose) =>
      (await load()).forgetAll({ rows: kernel.oauth, vault, clock, random, wire, settings }, whose),
    service(servers) {
      const server: OAuthPorts["server"] = async (uid, name) => {
        const { id, definition } = await servers.named(uid, name);
        if (definition.kind !== "http")
          throw new SysError("EINVAL", `${name} is a program: it takes keys from its environment`, [
            "gsv mcp add NAME --env KEY=VALUE -- COMMAND",
          ]);
        if (ownsHeader(definition.headers))
          throw new SysError("EINVAL", `${name} has an Authorization header of its own`, [
            `to sign in instead, add it again without --header: gsv mcp rm ${name}`,
          ]);
        return { url: definition.url, challenge: logins.get(id)?.challenge ?? null };
      };
      const changed: OAuthPorts["changed"] = async ({ uid, kind, provider, resource }) => {
        const isServed = ({ name, definition }: McpServerRow) =>
          kind === "mcp-server" ? name === provider : definition.kind === "http" && definition.url === resource;
        // The next call connects with the new token.
        for (const row of await servers.list(uid)) if (isServed(row)) await servers.stop(row.id);
      };
      const ports: OAuthPorts = { rows: kernel.oauth, vault, clock, random, wire, settings, server, changed };
      void sweep(core, ports);
      return lazy<OAuthService, keyof OAuthService>(
        async () => (await load()).oauthService(ports),
        ["start", "finish", "list", "forget"],
      );
    },
  };
}

/**
 * Clears what sign-ins left that were given up, or that a dead kernel was finishing. Reads the rows before it loads the service: most kernels have
 * none, and some end at once.
 */
async function sweep({ kernel, machine, afterCrash }: Core, ports: OAuthPorts): Promise<void> {
  try {
    if ((await kernel.oauth.over(machine.clock.now(), afterCrash)).length === 0) return;
    await (await load()).sweepFlows(ports, afterCrash);
  } catch {
    // This kernel ends: the next one clears them.
  }
}

function ownsHeader(headers: readonly string[]): boolean {
  return headers.some((name) => name.toLowerCase() === "authorization");
}
