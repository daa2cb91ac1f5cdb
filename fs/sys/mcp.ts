// /sys/mcp: one directory per MCP server of the account, with its status and a file for each tool: its definition, and whether agents may use it.

import type { Caller } from "../../src/abi/identity.ts";
import type { McpServer, McpToolShown } from "../../src/abi/links/mcp.ts";
import { safeName } from "../../src/abi/links/mcp-paths.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { FileError } from "../error.ts";
import type { Row } from "../generated/synthetic.ts";

interface Listed {
  readonly server: McpServer;
  readonly tools: readonly McpToolShown[];
}

export function mcpRows(sysFor: (caller: Caller) => Sys): readonly Row[] {
  const names = async (caller: Caller) =>
    (await sysFor(caller).call<{ servers: readonly McpServer[] }>("sys.mcp.list", {})).servers.map(({ name }) => name);
  const shown = (caller: Caller, name: string) => sysFor(caller).call<Listed>("sys.mcp.show", { name });
  const toolNames = async (caller: Caller, name: string) =>
    (await shown(caller, name)).tools.map((tool) => safeName(tool.name));
  return [
    { path: "/mcp/*", list: names, has: async (caller, _before, name) => (await names(caller)).includes(name) },
    {
      path: "/mcp/*/status",
      text: async (caller, [name = ""]) => statusText((await shown(caller, name)).server),
    },
    {
      path: "/mcp/*/tools/*",
      list: (caller, [name = ""]) => toolNames(caller, name),
      has: async (caller, [name = ""], tool) => (await toolNames(caller, name)).includes(tool),
    },
    {
      path: "/mcp/*/tools/*",
      async text(caller, [name = "", file = ""]) {
        const tool = (await shown(caller, name)).tools.find((each) => safeName(each.name) === file);
        if (tool === undefined) throw new FileError("ENOENT", `/mcp/${name}/tools/${file}`);
        return `${JSON.stringify(tool, null, 2)}\n`;
      },
    },
  ];
}

function statusText(server: McpServer): string {
  const { name, definition, scope, tools, waiting, tokens, hasResources, prompts } = server;
  const isHttp = definition.kind === "http";
  const inside = scope.kind === "agent" ? ` ${scope.name}` : scope.kind === "workspace" ? ` ${scope.place}` : "";
  const lines: readonly (readonly [string, string | number | null])[] = [
    ["Name", name],
    ["State", server.state],
    ["Pid", server.pid],
    ["Error", server.error],
    ["Scope", scope.kind + inside],
    ["Start", isHttp ? definition.url : [definition.command, ...definition.args].map(quoted).join(" ")],
    ["Directory", isHttp ? null : definition.directory],
    [isHttp ? "Headers" : "Environment", (isHttp ? definition.headers : definition.env).join(" ") || null],
    ["Server", server.server === null ? null : `${server.server.name} ${server.server.version}`],
    ["Protocol", server.protocol],
    ["Tools", tools],
    ["Changed", waiting],
    ["Tokens", tokens],
    ["Resources", hasResources ? `/mnt/mcp/${name}` : null],
    ["Prompts", prompts.map((prompt) => prompt.name).join(" ") || null],
    ["Log", `gsv mcp logs ${name}`],
  ];
  return lines.map(([key, value]) => `${key}:\t${value === null ? "-" : reveal(String(value))}\n`).join("");
}
