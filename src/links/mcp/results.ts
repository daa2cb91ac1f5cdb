// What became of a tool call, from the result of its server. The text is for the model; pictures and sounds are kept apart.

import type { Held } from "./asked/questions.ts";

export type CallEnd =
  /** The server asks for something before it answers. */
  | {
      readonly kind: "asks";
      readonly how: Held["how"];
      readonly requests: Held["requests"];
      readonly state: string | null;
    }
  | {
      readonly kind: "done";
      readonly text: string;
      readonly media: readonly Media[];
      /** URIs of resources that it links to. */
      readonly links?: readonly string[];
      /** As the server gave it, besides its text. */
      readonly structured?: unknown;
    }
  /** The tool failed. `isOver`: the server has ended the session. */
  | { readonly kind: "failed"; readonly text: string; readonly isOver?: true }
  /** No answer came: the tool may have run. */
  | { readonly kind: "unknown"; readonly text: string };

export interface Media {
  readonly type: string;
  readonly base64: string;
}

interface Result {
  readonly content?: readonly Block[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
  readonly name?: string;
  readonly resource?: {
    readonly uri: string;
    readonly text?: string;
    readonly blob?: string;
    readonly mimeType?: string;
  };
}

/** Outside of the codes of JSON-RPC: no answer came, and the request may have been carried out. */
export const NO_ANSWER = -39_001;
const BINARY = "application/octet-stream";

export function endOf({ content = [], structuredContent, isError = false }: Result): CallEnd {
  const parts = content.map(partOf);
  const texts = parts.map(({ text }) => text);
  // Servers should repeat structured output as text; not all do.
  if (structuredContent !== undefined && !content.some(({ type }) => type === "text"))
    texts.push(JSON.stringify(structuredContent));
  const text = texts.join("\n");
  if (isError) return { kind: "failed", text: text || "the tool failed without a reason" };
  const structured = structuredContent === undefined ? {} : { structured: structuredContent };
  const links = content.flatMap(({ type, uri }) => (type === "resource_link" && uri !== undefined ? [uri] : []));
  const media = parts.flatMap((part) => part.media);
  return { kind: "done", text, media, ...(links.length > 0 && { links }), ...structured };
}

function partOf(block: Block): { readonly text: string; readonly media: readonly Media[] } {
  const { type, text = "", data = "", mimeType = BINARY, uri = "", name = uri, resource } = block;
  if (type === "text") return { text, media: [] };
  if (type === "image" || type === "audio") return mediaPart(type, mimeType, data);
  // A link is text: nothing reads it by itself.
  if (type === "resource_link") return { text: `[link: ${name} ${uri}]`, media: [] };
  if (resource?.text !== undefined) return { text: `[${resource.uri}]\n${resource.text}`, media: [] };
  if (resource?.blob !== undefined) return mediaPart(resource.uri, resource.mimeType ?? BINARY, resource.blob);
  return { text: `[${type}: not shown]`, media: [] };
}

function mediaPart(what: string, type: string, base64: string) {
  return { text: `[${what}: ${type}, ${Math.floor((base64.length * 3) / 4)} bytes]`, media: [{ type, base64 }] };
}
