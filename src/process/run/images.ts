// The images of a history that a model gets: the newest, within the limits of servers, if they still exist. The provider decides which
// models support images.

import { LIMITS } from "../../abi/config/limits.ts";
import { isSeen, type MediaRef, type Message } from "../../abi/process/message.ts";
import { mediaPrefix } from "../../objects/keys.ts";
import type { ObjectStore } from "../../objects/objects.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";

export async function imagesIn(
  objects: Pick<ObjectStore, "read">,
  { ownerUid, pid }: ProcessRow,
  messages: readonly Message[],
): Promise<ReadonlyMap<string, string>> {
  const images = new Map<string, string>();
  let bytes = 0;
  for (const { id, path, type, bytes: size } of messages.flatMap(mediaOf).reverse()) {
    const key = path.slice(1);
    if (!isSeen(type) || images.has(id) || size > LIMITS.imageBytesMax) continue;
    if (images.size >= LIMITS.imagesPerRequestMax || bytes + size > LIMITS.imagesPerRequestBytesMax) break;
    if (!key.startsWith(mediaPrefix(ownerUid, pid))) continue;
    const read = await objects.read(key, { offset: 0, bytesMax: size }).catch(() => null);
    // Deleted since; the message still names it.
    if (read === null) continue;
    bytes += size;
    images.set(id, Buffer.from(read).toString("base64"));
  }
  return images;
}

function mediaOf(message: Message): readonly MediaRef[] {
  if (message.role === "user") return message.media ?? [];
  return message.role === "toolResult" ? (message.content.media ?? []) : [];
}
