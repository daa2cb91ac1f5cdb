// `gsv mcp`: MCP servers, whose tools agents use.

import { SysError } from "../../src/abi/errno.ts";
import { mcpToolName } from "../../src/abi/links/mcp.ts";
import { field } from "../../src/syscalls/define.ts";
import { command } from "../define.ts";
import { declared, derived, noun } from "../derive.ts";
import { printResult } from "../print.ts";

const call = command(
  {
    name: "mcp call",
    summary: "Call a tool of a server yourself",
    input: {
      name: field.text("its server", { positional: true, shortest: 1, longest: 24, meta: "NAME", of: "mcp" }),
      tool: field.text("the tool", { positional: true, shortest: 1, longest: 128, meta: "TOOL" }),
      args: field.optional(
        field.text("its arguments as JSON; - reads them from stdin", { positional: true, meta: "JSON", stdin: true }),
      ),
    },
    examples: [`gsv mcp call files list_directory '{"path":"."}'`],
  },
  async ({ args: { name, tool, args }, json }, io) => {
    const request = { tool: mcpToolName({ server: name, tool }), args: objectFrom(args ?? "{}") };
    const result = await io.sys().call<{ readonly lost?: true }>("sys.mcp.call", request);
    await printResult(io, (await declared("sys.mcp.call")).cli.print, result, json);
    return result.lost === true ? 1 : 0;
  },
);

function objectFrom(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {} // not JSON: refused like JSON that is no object
  throw new SysError("EUSAGE", "the arguments are not a JSON object", ['for example: {"path":"."}']);
}

export async function mcp() {
  return await noun("mcp", "Use the tools of MCP servers", {
    list: "sys.mcp.list",
    add: await derived("sys.mcp.add", "mcp add"),
    show: "sys.mcp.show",
    call,
    allow: "sys.mcp.allow",
    refresh: "sys.mcp.refresh",
    enable: "sys.mcp.enable",
    disable: "sys.mcp.disable",
    logs: "sys.mcp.logs",
    rm: "sys.mcp.remove",
  });
}
