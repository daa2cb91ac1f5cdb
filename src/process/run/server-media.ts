// Pictures, sounds and other bytes in the result of a server's tool: stored as media of the process, and named in the text by their paths.

import { messageOf, SysError } from "../../abi/errno.ts";
import type { MediaRef } from "../../abi/process/message.ts";
import type { ServerAnswer } from "../../syscalls/run/server-tools.ts";

const PARTS_MAX = 16;

/** The answer without its bytes, and the stored parts. A part that cannot be stored is named with the reason. */
export async function withStoredMedia(
  { media = [], ...answer }: ServerAnswer,
  keep: (bytes: Uint8Array) => Promise<MediaRef>,
): Promise<{ readonly answer: ServerAnswer; readonly media: readonly MediaRef[] }> {
  if (media.length === 0) return { answer, media: [] };
  const stored: MediaRef[] = [];
  const lines: string[] = [];
  for (const { base64 } of media.slice(0, PARTS_MAX)) {
    try {
      const ref = await keep(Buffer.from(base64, "base64"));
      stored.push(ref);
      lines.push(`[stored: ${ref.path}, ${ref.type}, ${ref.bytes} bytes]`);
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      lines.push(`[not stored: ${messageOf(error)}]`);
    }
  }
  if (media.length > PARTS_MAX) lines.push(`[not stored: ${media.length - PARTS_MAX} more parts]`);
  return {
    answer: { ...answer, text: [answer.text, ...lines].filter((line) => line !== "").join("\n") },
    media: stored,
  };
}
