// Blocks of a prompt as a message with attachments. Files that an editor only names stay names: the agent reads them.

import { fenced } from "../../io/fenced.ts";
import { ERRORS, type Json, RpcError } from "./rpc.ts";

export interface Attached {
  readonly id: string;
  readonly path: string;
}

/** Uploads bytes to the process of the session. */
export type Upload = (bytes: Uint8Array) => Promise<Attached>;

export async function messageFrom(
  prompt: unknown,
  upload: Upload,
): Promise<{ readonly message: string; readonly media: readonly string[] }> {
  if (!Array.isArray(prompt) || prompt.some((block) => typeof block !== "object" || block === null))
    throw new RpcError(ERRORS.params, "prompt is a list of content blocks");
  const texts: string[] = [];
  const media: string[] = [];
  for (const block of prompt as readonly Json[]) {
    const bytes = bytesIn(block);
    if (bytes === null) texts.push(textIn(block));
    else {
      const { id, path } = await upload(bytes);
      media.push(id);
      texts.push(`[${nameIn(block)}](${path})`);
    }
  }
  const message = texts.join("\n\n");
  if (message.trim() === "") throw new RpcError(ERRORS.params, "the prompt is empty");
  return { message, media };
}

/** Of an image, sound or binary file. */
function bytesIn({ type, data, resource }: Json): Uint8Array | null {
  const base64 = type === "resource" ? (resource as Json | undefined)?.blob : data;
  return typeof base64 === "string" && base64 !== "" ? Buffer.from(base64, "base64") : null;
}

function nameIn({ type, uri, resource }: Json): string {
  const named = uri ?? (resource as Json | undefined)?.uri;
  return typeof named === "string" ? fileIn(named) : String(type);
}

function textIn({ type, text, uri, name, resource }: Json): string {
  if (type === "text") return String(text);
  if (type === "resource_link") return `[${String(name ?? uri)}](${fileIn(String(uri))})`;
  const embedded = resource as Json | undefined;
  if (type === "resource" && typeof embedded?.text === "string")
    return `${fileIn(String(embedded.uri))}:\n${fenced(embedded.text)}`;
  return `[${String(type)} is not supported]`;
}

function fileIn(uri: string): string {
  if (!uri.startsWith("file://")) return uri;
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    return uri; // not a valid address
  }
}
