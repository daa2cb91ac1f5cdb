// sys.mcp.*: MCP servers of an account. Agents use the tools that a person accepted; adding and changing servers is a person's.

import {
  MCP_SCOPES,
  type McpResource,
  type McpResources,
  type McpScope,
  type McpServer,
  type McpToolShown,
  TOOL_USES,
} from "../../abi/links/mcp.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { wrapIndented } from "../../lib/text/wrap.ts";
import { facts, field, syscall, value } from "../define.ts";
import type { McpListed, McpService } from "./mcp-service.ts";

type Service = { mcp: McpService };

/** Tokens and paths are long. */
const WORD_CHARS_MAX = 16_384;

const INSTRUCTION_LINES = 12;
const INSTRUCTION_COLUMNS = 74;

const name = field.text("its name", { positional: true, shortest: 1, longest: 24, meta: "NAME", of: "mcp" });

export const mcpCalls = [
  syscall({
    name: "sys.mcp.add",
    summary: "Add an MCP server and show its tools",
    class: "keyed",
    by: "person",
    input: {
      name: { ...name, doc: "a name for it: small letters, digits and -" },
      command: field.optional(
        field.words("program and its arguments, after --", {
          positional: true,
          longest: WORD_CHARS_MAX,
          meta: "COMMAND",
        }),
      ),
      url: field.optional(field.text("address of a server that already runs", { longest: 2000, meta: "URL" })),
      env: field.optional(
        field.words("variable for the program, kept as a secret", {
          longest: WORD_CHARS_MAX,
          meta: "NAME=VALUE",
          secret: true,
        }),
      ),
      header: field.optional(
        field.words("request header, kept as a secret", { longest: WORD_CHARS_MAX, meta: "NAME: VALUE", secret: true }),
      ),
      directory: field.optional(field.text("where the program starts", { longest: 4096, meta: "DIR" })),
      scope: field.optional(field.choice("agents that get its tools (default account)", MCP_SCOPES)),
      for: field.optional(
        field.text("agent, workspace or directory of the scope (default: your agent, the current directory)", {
          longest: 4096,
          meta: "NAME",
        }),
      ),
      pending: field.flag("wait for approval before the first start"),
    },
    cli: {
      hidden: true,
      examples: [
        "gsv mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
        "gsv mcp add notes --url https://notes.example.com/mcp --header 'Authorization: Bearer KEY'",
      ],
      print: facts(listedText),
    },
    run: ({ mcp }: { mcp: McpService }, args, context) => mcp.add(context, args),
  }),

  syscall({
    name: "sys.mcp.list",
    summary: "List your MCP servers",
    class: "read",
    capability: "sys.mcp.list",
    input: {},
    cli: {
      hidden: true,
      examples: ["gsv mcp list"],
      print: {
        kind: "table",
        rows: (result: { servers: readonly McpServer[] }) => result.servers,
        empty: "(no MCP servers; to add one: gsv mcp add)",
        columns: [
          { head: "NAME", cell: (row: McpServer) => row.name },
          {
            ...{ head: "STATE", cell: (row: McpServer) => row.state },
            tone: (row: McpServer) => (row.state === "failed" ? "bad" : undefined),
          },
          { head: "TOOLS", cell: (row: McpServer) => String(row.tools), align: "right" },
          { head: "NEW", cell: (row: McpServer) => (row.waiting > 0 ? String(row.waiting) : "-"), align: "right" },
          { head: "TOKENS", cell: (row: McpServer) => String(row.tokens), align: "right", minor: 1 },
          { head: "WHAT", cell: startText, shrink: true },
          { head: "ERROR", cell: (row: McpServer) => reveal(row.error ?? ""), below: true },
        ],
        note: pendingText,
      },
    },
    run: ({ mcp }: Service, _args, context) => mcp.list(context),
  }),

  syscall({
    name: "sys.mcp.show",
    summary: "Show an MCP server and its tools",
    class: "read",
    capability: "sys.mcp.list",
    input: { name },
    cli: { hidden: true, examples: ["gsv mcp show files"], print: facts(listedText) },
    run: ({ mcp }: Service, args, context) => mcp.show(context, args.name),
  }),

  syscall({
    name: "sys.mcp.refresh",
    summary: "Restart a server and compare its tools",
    class: "keyed",
    by: "person",
    input: {
      name,
      accept: field.optional(
        field.text("accept the tools that gsv mcp show printed with this mark", {
          shortest: 1,
          longest: 64,
          meta: "MARK",
        }),
      ),
    },
    cli: {
      hidden: true,
      examples: ["gsv mcp refresh files", "gsv mcp refresh files --accept 3f9a2c1b77a0"],
      print: facts(listedText),
    },
    run: ({ mcp }: Service, args, context) => mcp.refresh(context, args),
  }),

  syscall({
    name: "sys.mcp.enable",
    summary: "Offer a server's tools, or approve it",
    class: "keyed",
    by: "person",
    input: { name },
    cli: { hidden: true, examples: ["gsv mcp enable files"], print: facts(listedText) },
    run: ({ mcp }: Service, args, context) => mcp.enable(context, args.name),
  }),

  syscall({
    name: "sys.mcp.disable",
    summary: "Stop a server and hide its tools",
    class: "keyed",
    by: "person",
    input: { name },
    cli: { hidden: true, examples: ["gsv mcp disable files"], print: value(stateText) },
    run: ({ mcp }: Service, args, context) => mcp.disable(context, args.name),
  }),

  syscall({
    name: "sys.mcp.allow",
    summary: "Let agents use a tool without asking",
    class: "keyed",
    by: "person",
    input: {
      name,
      tool: field.text("its tool", { positional: true, shortest: 1, longest: 128, meta: "TOOL" }),
      use: field.withDefault(field.choice("ask each time, auto: without asking, or never", TOOL_USES), "auto"),
    },
    cli: {
      hidden: true,
      examples: ["gsv mcp allow files read_file", "gsv mcp allow files write_file --use never"],
      print: value(({ server, tools }: McpListed) =>
        tools.map((tool) => `${server.name} ${toolHead(tool)}`).join("\n"),
      ),
    },
    run: ({ mcp }: Service, args, context) => mcp.allow(context, args),
  }),

  syscall({
    name: "sys.mcp.remove",
    summary: "Remove an MCP server and its secrets",
    class: "keyed",
    by: "person",
    input: { name },
    cli: {
      hidden: true,
      examples: ["gsv mcp rm files"],
      print: value((removed: { name: string }) => `removed ${removed.name}`),
    },
    run: ({ mcp }: Service, args, context) => mcp.remove(context, args.name),
  }),

  syscall({
    name: "sys.mcp.resources",
    summary: "List the resources of a server",
    class: "wait",
    capability: "sys.mcp.list",
    input: { name },
    cli: {
      hidden: true,
      print: {
        kind: "table",
        rows: ({ resources }: McpResources) => resources,
        empty: "(no resources)",
        columns: [
          { head: "URI", cell: (row: McpResource) => reveal(row.uri) },
          { head: "TYPE", cell: (row: McpResource) => reveal(row.type ?? "-"), minor: 1 },
          { head: "NAME", cell: (row: McpResource) => reveal(row.name), shrink: true },
        ],
      },
    },
    run: ({ mcp }: Service, args, context) => mcp.resources(context, args.name),
  }),

  syscall({
    name: "sys.mcp.resource",
    summary: "Read a resource of a server in pieces",
    class: "wait",
    capability: "sys.mcp.list",
    input: {
      name,
      uri: field.text("its address, as the server lists it", { positional: true, longest: 4096, meta: "URI" }),
      offset: field.withDefault(field.int("first byte", { min: 0 }), 0),
    },
    run: ({ mcp }: Service, args, context) => mcp.resource(context, args),
  }),

  syscall({
    name: "sys.mcp.prompt",
    summary: "Print a prompt of a server",
    class: "wait",
    by: "person",
    input: {
      name,
      prompt: field.text("the prompt", { positional: true, shortest: 1, longest: 256, meta: "PROMPT" }),
      args: field.optional(
        field.words("its arguments", { positional: true, longest: WORD_CHARS_MAX, meta: "NAME=VALUE" }),
      ),
    },
    cli: {
      hidden: true,
      examples: ["gsv mcp prompt everything args-prompt city=Oslo"],
      print: value(({ text }: { readonly text: string }) => text),
    },
    run: ({ mcp }: Service, args, context) => mcp.prompt(context, args),
  }),

  syscall({
    name: "sys.mcp.logs",
    summary: "Print the log of a server",
    class: "read",
    by: "person",
    input: { name },
    cli: {
      hidden: true,
      examples: ["gsv mcp logs files"],
      print: {
        kind: "list",
        rows: ({ lines }: { lines: readonly string[] }) => lines.map((line) => ({ line })),
        line: ({ line }: { line: string }) => line,
        empty: "(nothing logged)",
      },
    },
    run: ({ mcp }: Service, args, context) => mcp.logs(context, args.name),
  }),
] as const;

function pendingText({ servers }: { readonly servers: readonly McpServer[] }): string | null {
  const [first, ...more] = servers.filter(({ state }) => state === "pending");
  if (first === undefined) return null;
  return more.length === 0
    ? `${first.name} waits for your approval. To see and start it: gsv mcp enable ${first.name}`
    : `${more.length + 1} servers wait for your approval. To see and start one: gsv mcp enable NAME`;
}

function startText({ definition }: McpServer): string {
  return reveal(definition.kind === "http" ? definition.url : [definition.command, ...definition.args].join(" "));
}

/** A person approves what stands here: nothing is cut, and values are secrets. */
function whereLines({ definition, scope }: McpServer): readonly string[] {
  const names = definition.kind === "http" ? definition.headers : definition.env;
  const label = definition.kind === "http" ? "headers" : "environment";
  return [
    ...(definition.kind === "http" ? [] : [`  starts in ${reveal(definition.directory)}`]),
    ...(names.length === 0 ? [] : [`  ${label}: ${names.map(reveal).join(", ")}`]),
    ...(scope.kind === "account" ? [] : [`  only for ${scopeText(scope)}`]),
  ];
}

function scopeText(scope: McpScope): string {
  if (scope.kind === "account") return "account";
  return scope.kind === "agent" ? `agent ${scope.name}` : `workspace ${reveal(scope.place)}`;
}

function stateText({ name: server, state, tools }: McpServer): string {
  return `${server}: ${state}${state === "off" ? "" : `, ${toolsText(tools)}`}`;
}

function toolsText(count: number): string {
  return `${count} ${count === 1 ? "tool" : "tools"}`;
}

function listedText({ server, tools }: McpListed): string {
  const { name: shown, server: about, protocol, error, tokens, waiting, offer } = server;
  const head = [
    `${shown}: ${server.state}${error === null ? "" : ` (${reveal(error)})`}`,
    `  ${startText(server)}`,
    ...whereLines(server),
    ...(about === null ? [] : [`  ${reveal(about.name)} ${reveal(about.version)}, protocol ${protocol}`]),
    ...instructionLines(server),
    `  ${toolsText(server.tools)}, about ${tokens} tokens`,
  ];
  if (server.state === "pending")
    return [...head.slice(0, -1), `to approve and start it: gsv mcp enable ${shown}`].join("\n");
  const login = server.state === "needs-login" ? [`to sign in: gsv mcp login ${shown}`] : [];
  const wait =
    waiting === 0 ? [] : [`${waiting} new or changed; to accept all:`, `  gsv mcp refresh ${shown} --accept ${offer}`];
  return [...head, ...tools.flatMap(toolLines), ...wait, ...login].join("\n");
}

/** Agents see the first line at most. */
function instructionLines({ name: shown, instructions }: McpServer): readonly string[] {
  const lines = wrapIndented(instructions, INSTRUCTION_COLUMNS).filter((line) => line.trim() !== "");
  if (lines.length === 0) return [];
  const rest = lines.length > INSTRUCTION_LINES ? [`… to read all: gsv mcp show ${shown} --json`] : [];
  return ["  instructions:", ...[...lines.slice(0, INSTRUCTION_LINES), ...rest].map((line) => `      ${line}`)];
}

function toolHead({ name: tool, use, state }: McpToolShown): string {
  const note = state === "accepted" ? use : `${use}, ${state}`;
  return `${tool} (${note})`;
}

/** Nothing is cut: a person accepts what stands here. */
function toolLines(tool: McpToolShown): readonly string[] {
  const names = Object.keys(propertiesOf(tool)).join(", ");
  const shown = tool.diff ?? `${tool.description}\n${names === "" ? "" : `arguments: ${names}`}`;
  const lines = shown.split("\n").filter((line) => line.trim() !== "");
  return [`  ${toolHead(tool)}`, ...lines.map((line) => `      ${line}`)];
}

export function propertiesOf({ parameters }: McpToolShown): { readonly [name: string]: unknown } {
  const { properties } = parameters;
  return typeof properties === "object" && properties !== null ? { ...properties } : {};
}
