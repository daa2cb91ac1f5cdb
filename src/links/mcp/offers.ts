// What an MCP server offers besides tools: resources and prompts. Lists are bounded. Texts of the server stay as they are: those who show them
// make them safe.

import type { Client } from "@modelcontextprotocol/client";
import { messageOf, SysError } from "../../abi/errno.ts";
import type { McpPrompt, McpResources } from "../../abi/links/mcp.ts";
import { clip } from "../../lib/text/truncate.ts";

export interface McpOffers {
  /** null if it has none. */
  readonly resources: ((signal: AbortSignal) => Promise<McpResources>) | null;
  read(uri: string, signal: AbortSignal): Promise<ResourceContent>;
  prompts(signal: AbortSignal): Promise<readonly McpPrompt[]>;
  prompt(name: string, args: { readonly [name: string]: string }, signal: AbortSignal): Promise<string>;
}

export interface ResourceContent {
  readonly type: string | null;
  readonly bytes: Uint8Array;
}

const LIST_MS = 15_000;
const READ_MS = 60_000;
const RESOURCES_MAX = 1000;
const PROMPTS_MAX = 100;
const PROMPTS_BYTES_MAX = 64 * 1024;
const TEXT_CHARS_MAX = 2000;

export function offersOf(client: Client): McpOffers {
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  const options = (signal: AbortSignal, timeout = LIST_MS) => ({ signal, timeout, cacheMode: "refresh" }) as const;
  return {
    resources:
      resources === undefined
        ? null
        : async (signal) => {
            const listed = await failing("list its resources", client.listResources(undefined, options(signal)));
            // Many servers have resources and no templates, and answer with an error.
            const { resourceTemplates = [] } = await client
              .listResourceTemplates(undefined, options(signal))
              .catch(() => ({ resourceTemplates: [] }));
            return {
              resources: listed.resources.slice(0, RESOURCES_MAX).map(({ uri, name, description, mimeType, size }) => ({
                ...{ uri, name: cut(name), description: cut(description ?? "") },
                ...{ type: mimeType ?? null, size: size ?? null },
              })),
              templates: resourceTemplates.slice(0, RESOURCES_MAX).map(({ uriTemplate, name, description }) => ({
                ...{ template: cut(uriTemplate), name: cut(name), description: cut(description ?? "") },
              })),
            };
          },

    async read(uri, signal) {
      const { contents } = await failing(`read ${clip(uri)}`, client.readResource({ uri }, options(signal, READ_MS)));
      const content = contents.find((each) => each.uri === uri) ?? contents[0];
      if (content === undefined) throw new SysError("ENOENT", `the server has nothing at ${clip(uri)}`);
      const bytes = "blob" in content ? Buffer.from(content.blob, "base64") : Buffer.from(content.text);
      return { type: content.mimeType ?? null, bytes };
    },

    async prompts(signal) {
      if (prompts === undefined) return [];
      const listed = await client.listPrompts(undefined, options(signal)).catch(() => ({ prompts: [] }));
      const shown = listed.prompts.slice(0, PROMPTS_MAX).map(({ name, description, arguments: args = [] }) => ({
        ...{ name, description: cut(description ?? "") },
        args: args.map((each) => ({
          ...{ name: each.name, description: cut(each.description ?? "") },
          required: each.required === true,
        })),
      }));
      return JSON.stringify(shown).length > PROMPTS_BYTES_MAX ? [] : shown;
    },

    async prompt(name, args, signal) {
      const asked = client.getPrompt({ name, arguments: { ...args } }, { signal, timeout: READ_MS });
      const { messages } = await failing(`give the prompt ${clip(name)}`, asked);
      const texts = messages.map(({ role, content }) => ({ role, text: textOf(content) }));
      if (texts.every(({ role }) => role === "user")) return texts.map(({ text }) => text).join("\n\n");
      return texts.map(({ role, text }) => `${role}: ${text}`).join("\n\n");
    },
  };
}

function textOf(content: { readonly type: string; readonly text?: unknown; readonly resource?: object }): string {
  if (typeof content.text === "string") return content.text;
  const { text, uri } = (content.resource ?? {}) as { readonly text?: string; readonly uri?: string };
  return text === undefined ? `[${content.type}${uri === undefined ? "" : ` ${uri}`}]` : `[${uri}]\n${text}`;
}

async function failing<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new SysError("EIO", `the server did not ${what}: ${clip(messageOf(error))}`);
  }
}

function cut(text: string): string {
  return text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX)}…`;
}
