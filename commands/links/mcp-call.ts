// `gsv mcp call`: its arguments as words, typed by the schema of the tool, or as one JSON object.

import { SysError } from "../../src/abi/errno.ts";
import { mcpToolName } from "../../src/abi/links/mcp.ts";
import { clip } from "../../src/lib/text/truncate.ts";
import { field } from "../../src/syscalls/define.ts";
import { propertiesOf } from "../../src/syscalls/links/mcp.ts";
import type { McpListed } from "../../src/syscalls/links/mcp-service.ts";
import type { Io } from "../command.ts";
import { command } from "../define.ts";
import { declared } from "../derive.ts";
import { stdinText } from "../io/stdin.ts";
import { printResult } from "../print.ts";

type Properties = { readonly [name: string]: unknown };

interface Called {
  readonly name: string;
  readonly tool: string;
}

const EXAMPLES = [`for example: path=. or '{"path":"."}'`];
/** The longest word of a command line on Linux. */
const WORD_CHARS_MAX = 131_072;

export const serverName = field.text("its server", {
  positional: true,
  shortest: 1,
  longest: 24,
  meta: "NAME",
  of: "mcp",
});

export const mcpCall = command(
  {
    name: "mcp call",
    summary: "Call a tool of a server yourself",
    input: {
      name: serverName,
      tool: field.text("the tool", { positional: true, shortest: 1, longest: 128, meta: "TOOL" }),
      args: field.optional(
        field.words("its arguments, or one JSON object; - reads it from stdin", {
          positional: true,
          longest: WORD_CHARS_MAX,
          meta: "NAME=VALUE",
        }),
      ),
    },
    examples: ["gsv mcp call files list_directory path=.", `gsv mcp call files list_directory '{"path":"."}'`],
  },
  async ({ args: { name, tool, args: words = [] }, json }, io) => {
    const request = { tool: mcpToolName({ server: name, tool }), args: await argumentsFrom(io, { name, tool }, words) };
    const result = await io.sys().call<{ readonly lost?: true }>("sys.mcp.call", request);
    await printResult(io, (await declared("sys.mcp.call")).cli.print, result, json);
    return result.lost === true ? 1 : 0;
  },
);

async function argumentsFrom(io: Io, called: Called, words: readonly string[]): Promise<object> {
  const [first = "{}", ...rest] = words;
  if (rest.length === 0 && first === "-") return objectFrom(await stdinText(io));
  if (rest.length === 0 && /^\s*[[{]/.test(first)) return objectFrom(first);
  const properties = await parametersOf(io, called);
  return Object.fromEntries(words.map((word) => argumentFrom(word, properties)));
}

function objectFrom(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {} // not JSON: refused like JSON that is no object
  throw new SysError("EUSAGE", "the arguments are not a JSON object", EXAMPLES);
}

function argumentFrom(word: string, properties: Properties): readonly [name: string, value: unknown] {
  const [, name, text = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
  if (name === undefined) throw new SysError("EUSAGE", `not NAME=VALUE: ${clip(word)}`, EXAMPLES);
  const types = Object.hasOwn(properties, name) ? typesOf(properties[name]) : [];
  if (types.length === 0 || types.includes("string")) return [name, text];
  try {
    return [name, JSON.parse(text)];
  } catch {
    throw new SysError("EUSAGE", `${clip(name)} is not of type ${types.map(clip).join(" or ")}: ${clip(text)}`);
  }
}

/** As the server declares them; empty if it has no such tool: the call says so. */
async function parametersOf(io: Io, { name, tool }: Called): Promise<Properties> {
  const { tools } = await io.sys().call<McpListed>("sys.mcp.show", { name });
  const shown = tools.find((each) => each.name === tool);
  return shown === undefined ? {} : propertiesOf(shown);
}

/** An optional number of a Python server is `anyOf` a number and null. */
function typesOf(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { type, anyOf, oneOf } = schema as { readonly [key: string]: unknown };
  const own = [type].flat().filter((each) => typeof each === "string");
  return [...own, ...[anyOf, oneOf].flat().flatMap(typesOf)];
}
