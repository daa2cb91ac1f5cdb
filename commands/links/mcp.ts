// `gsv mcp`: MCP servers, whose tools agents use; and gsv as one.

import type { McpToolShown } from "../../src/abi/links/mcp.ts";
import { field } from "../../src/syscalls/define.ts";
import { renderText } from "../../src/syscalls/format.ts";
import type { McpListed } from "../../src/syscalls/links/mcp-service.ts";
import { command } from "../define.ts";
import { declared, derived, noun } from "../derive.ts";
import { agrees, canAsk, noTerminal } from "../io/consent.ts";
import { printResult, printText } from "../print.ts";
import { mcpCall, serverName } from "./mcp-call.ts";
import { mcpLogin, mcpLogout } from "./mcp-login.ts";
import { mcpServe } from "./mcp-server/serve.ts";

/** A server that came with a workspace is shown whole before its first start. */
const enable = command(
  {
    name: "mcp enable",
    summary: "Offer a server's tools, or approve it",
    input: { name: serverName, yes: field.flag("skip the question about a new server") },
    examples: ["gsv mcp enable files", "gsv mcp enable files --yes"],
  },
  async ({ args: { name, yes = false }, json }, io) => {
    const { print } = (await declared("sys.mcp.enable")).cli;
    const before = await io.sys().call<McpListed>("sys.mcp.show", { name });
    if (before.server.state === "pending" && !yes) {
      await printText(io.stderr, renderText(print, before));
      if (!canAsk(io, json)) throw noTerminal("started", `read it above, then: gsv mcp enable ${name} --yes`);
      if (!(await agrees(io, "Start this server and use its tools?"))) return 1;
    }
    await printResult(io, print, await io.sys().call("sys.mcp.enable", { name }), json);
    return 0;
  },
);

const tools = command(
  {
    name: "mcp tools",
    summary: "List the tools of a server",
    input: { name: serverName },
    examples: ["gsv mcp tools files", "gsv mcp tools files --json"],
  },
  async ({ args: { name }, json }, io) => {
    const listed = await io.sys().call<McpListed>("sys.mcp.show", { name });
    await printResult(io, TOOLS, listed, json);
    return 0;
  },
);

const prompt = command(
  {
    name: "mcp prompt",
    summary: "Print a server's prompt, or send it",
    input: {
      name: serverName,
      prompt: field.text("the prompt", { positional: true, shortest: 1, longest: 256, meta: "PROMPT" }),
      args: field.optional(field.words("its arguments", { positional: true, longest: 16_384, meta: "NAME=VALUE" })),
      pid: field.optional(field.pid("process that gets it as a message")),
    },
    examples: ["gsv mcp prompt everything args-prompt city=Oslo", "gsv mcp prompt notes plan --pid init:1000"],
  },
  async ({ args: { pid, ...asked }, json }, io) => {
    const given = await io.sys().call<{ readonly text: string }>("sys.mcp.prompt", asked);
    if (pid === undefined) {
      await printResult(io, (await declared("sys.mcp.prompt")).cli.print, given, json);
      return 0;
    }
    const sent = await io.sys().call("proc.send", { pid, message: given.text });
    await printResult(io, (await declared("proc.send")).cli.print, sent, json);
    return 0;
  },
);

const TOOLS = {
  kind: "table" as const,
  rows: (listed: McpListed) => listed.tools,
  empty: "(no tools)",
  columns: [
    { head: "TOOL", cell: (tool: McpToolShown) => tool.name },
    { head: "USE", cell: (tool: McpToolShown) => tool.use },
    {
      ...{ head: "STATE", cell: (tool: McpToolShown) => tool.state },
      tone: ({ state }: McpToolShown) => (state === "accepted" ? undefined : ("needs" as const)),
    },
    { head: "TOKENS", cell: (tool: McpToolShown) => String(tool.tokens), align: "right" as const, minor: 1 },
    { head: "ABOUT", cell: (tool: McpToolShown) => tool.description.split("\n")[0] ?? "", shrink: true as const },
  ],
};

export async function mcp() {
  return await noun("mcp", "Use the tools of MCP servers", {
    list: "sys.mcp.list",
    add: await derived("sys.mcp.add", "mcp add"),
    import: (await import("./mcp-import/import.ts")).importServers,
    show: "sys.mcp.show",
    tools,
    prompt,
    call: mcpCall,
    allow: "sys.mcp.allow",
    refresh: "sys.mcp.refresh",
    enable,
    disable: "sys.mcp.disable",
    login: await mcpLogin(),
    logout: await mcpLogout(),
    logs: "sys.mcp.logs",
    rm: "sys.mcp.remove",
    serve: mcpServe,
  });
}
