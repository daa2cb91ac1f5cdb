// Tools of a server as TypeScript declarations, from their schemas. Text of a stranger: invisible characters are shown, names are quoted, and
// comments cannot end early.

import type { McpTool } from "../../abi/links/mcp.ts";
import { reveal } from "../../lib/text/sanitize.ts";

type Schema = { readonly [name: string]: unknown };

const DEPTH_MAX = 6;
const TYPE_CHARS_MAX = 2000;
const COMMENT_CHARS_MAX = 200;
const WORD = /^[A-Za-z_$][\w$]*$/;

/** `create_issue(args: { title: string; body?: string }): Promise<string>` */
export function signatureOf({ name, inputSchema, outputSchema }: McpTool): string {
  const args = typeText(inputSchema, inputSchema, 0);
  const isEmpty = args === "{}" || args === "{ [name: string]: unknown }";
  const result = outputSchema === undefined ? "string" : typeText(outputSchema, outputSchema, 0);
  return `${wordOf(name)}(${isEmpty ? "args?: object" : `args: ${args}`}): Promise<${result}>`;
}

/** All tools of a server, each with the start of its description. */
export function declarationsOf(server: string, tools: readonly McpTool[]): string {
  const lines = tools.map((tool) => `${commentOf(tool.description)}  ${signatureOf(tool)};`);
  return [`${server}: {`, ...lines, "}"].join("\n");
}

function commentOf(text = ""): string {
  const line = reveal(text.split("\n").find((each) => each.trim() !== "") ?? "").trim();
  const shown = line.length > COMMENT_CHARS_MAX ? `${line.slice(0, COMMENT_CHARS_MAX)}…` : line;
  return shown === "" ? "" : `  /** ${shown.replaceAll("*/", "* /")} */\n`;
}

function typeText(schema: unknown, root: Schema, depth: number): string {
  const text = typeOf(schema, root, depth);
  return text.length <= TYPE_CHARS_MAX ? text : "unknown";
}

function typeOf(schema: unknown, root: Schema, depth: number): string {
  if (!isSchema(schema) || depth > DEPTH_MAX) return "unknown";
  const within = (each: unknown) => typeText(each, root, depth + 1);
  if (typeof schema.$ref === "string") return within(referred(schema.$ref, root));
  if ("const" in schema) return valueText(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map(valueText));
  for (const key of ["anyOf", "oneOf"])
    if (Array.isArray(schema[key])) return union((schema[key] as unknown[]).map(within));
  if (Array.isArray(schema.allOf)) return [...new Set(schema.allOf.map(within))].join(" & ") || "unknown";
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, root, depth)));
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
    case "number":
      return schema.type;
    case "integer":
      return "number";
    case "array":
      return arrayText(within(schema.items));
    default:
      return schema.type === "object" || isSchema(schema.properties) ? objectText(schema, within) : "unknown";
  }
}

function objectText({ properties, required, additionalProperties }: Schema, within: (each: unknown) => string): string {
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(isSchema(properties) ? properties : {}).map(
    ([name, type]) => `${wordOf(name)}${needed.has(name) ? "" : "?"}: ${within(type)}`,
  );
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  return additionalProperties === false ? "{}" : `{ [name: string]: ${within(additionalProperties)} }`;
}

/** Only parts of the same schema: nothing is fetched. */
function referred(reference: string, root: Schema): unknown {
  if (!reference.startsWith("#/")) return null;
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((at, part) => (isSchema(at) && Object.hasOwn(at, part) ? at[part] : null), root);
}

function arrayText(item: string): string {
  return /[|&]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ") || "unknown";
}

function valueText(value: unknown): string {
  return typeof value === "object" && value !== null ? "object" : reveal(JSON.stringify(value) ?? "unknown");
}

function wordOf(name: string): string {
  return WORD.test(name) ? name : reveal(JSON.stringify(name));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
