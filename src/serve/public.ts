// `/public/*`: the objects whose keys start with `public/`, read-only, for every client that reaches the listener. All other objects stay private.
// Documents that could run scripts are sent as attachments: a page from here would have the origin of the console.

import { sha256Hex } from "../lib/hash.ts";
import type { ObjectMeta, ObjectStore } from "../objects/objects.ts";
import { contentType } from "./content-type.ts";
import { decodedNames } from "./path-names.ts";
import { problem } from "./rest.ts";
import type { PublicObjects, Visit } from "./route.ts";
import { answerBytes, NO_SCRIPTS, type StoredBytes } from "./stored-bytes.ts";

type PublicVisit = Pick<Visit, "request" | "url" | "isSecure"> & {
  readonly host: Pick<Visit["host"], "publicObjects">;
};

const PUBLIC_PATH = "/public/";

const PREFIX = "public/";
export const DOWNLOADS = "public/gsv/downloads/cli/";
export const CHANNEL = `${DOWNLOADS}default-channel.txt`;
const LATEST = `${DOWNLOADS}latest/`;
const ASSETS = "public/gsv/assets/";
export const TTS = `${ASSETS}tts/`;
/** Replaced by the address under which the client reached this server. */
const ORIGIN_MARK = "@GSV_ORIGIN@";
const ORIGIN = /^https?:\/\/[a-z0-9.:[\]-]+$/;
const TEMPLATES = new Set([`${DOWNLOADS}install.sh`, `${DOWNLOADS}install.ps1`]);
const TEMPLATE_BYTES_MAX = 256 * 1024;
export const CHANNEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const OTHERS_READ = 0o004;
const OTHERS_SEARCH = 0o001;

export async function answerPublic({ request, url, isSecure, host }: PublicVisit): Promise<Response> {
  const { publicObjects } = host;
  const meta = publicObjects === null ? null : await publicObject(publicObjects, url.pathname);
  if (publicObjects === null || meta === null) return problem(404, "ENOENT", "nothing is served at this path");
  // A proxy may hold the certificate.
  const origin = `${isSecure ? "https" : "http"}://${url.host}`;
  const isTemplate = TEMPLATES.has(meta.key);
  const stored = isTemplate ? await filledIn(publicObjects, meta, origin) : storedBytes(publicObjects, meta);
  return await answerBytes(request, stored, headersOf(meta.key));
}

/** `path`: of the request, not decoded. */
async function publicObject(objects: PublicObjects, path: string): Promise<ObjectMeta | null> {
  const asked = publicKey(path);
  const key = asked?.startsWith(LATEST) ? await inDefaultChannel(objects, asked) : asked;
  return key === null ? null : await readableBy(objects, key);
}

function publicKey(path: string): string | null {
  const names = path.startsWith(PUBLIC_PATH) ? decodedNames(path.slice(PUBLIC_PATH.length)) : null;
  return names === null ? null : PREFIX + names.join("/");
}

async function inDefaultChannel(objects: PublicObjects, key: string): Promise<string | null> {
  const meta = await readableBy(objects, CHANNEL);
  if (meta === null) return null;
  const channel = await defaultChannel(objects);
  return CHANNEL_NAME.test(channel) ? `${DOWNLOADS}${channel}/${key.slice(LATEST.length)}` : null;
}

export async function defaultChannel(objects: Pick<ObjectStore, "read">): Promise<string> {
  return Buffer.from(await objects.read(CHANNEL, { offset: 0, bytesMax: 100 }))
    .toString()
    .trim();
}

/** A plain file that everybody may read, in directories that everybody may search. */
async function readableBy(objects: PublicObjects, key: string): Promise<ObjectMeta | null> {
  const meta = await objects.head(key);
  if (meta === null || meta.dirmarker || meta.symlink !== null || (meta.mode & OTHERS_READ) === 0) return null;
  const directories = key.split("/").slice(0, -1);
  const markers = directories.map((_, depth) => `${directories.slice(0, depth + 1).join("/")}/.dir`);
  const isOpen = (await objects.heads(markers)).every(({ mode }) => (mode & OTHERS_SEARCH) !== 0);
  return isOpen ? meta : null;
}

function storedBytes(objects: PublicObjects, { key, size, sha256 }: ObjectMeta): StoredBytes {
  return {
    size,
    version: sha256,
    async read(offset, bytesMax) {
      const bytes = await objects.read(key, { offset, bytesMax });
      if ((await objects.head(key))?.sha256 !== sha256) throw new Error(`${key} changed while it was sent`);
      return bytes;
    },
  };
}

async function filledIn(objects: PublicObjects, { key, size }: ObjectMeta, origin: string): Promise<StoredBytes> {
  const text = Buffer.from(await objects.read(key, { offset: 0, bytesMax: Math.min(size, TEMPLATE_BYTES_MAX) }));
  const bytes = Buffer.from(text.toString().replaceAll(ORIGIN_MARK, () => (ORIGIN.test(origin) ? origin : "")));
  return {
    size: bytes.byteLength,
    version: sha256Hex(bytes),
    read: async (offset, bytesMax) => bytes.subarray(offset, offset + bytesMax),
  };
}

function headersOf(key: string): { readonly [name: string]: string } {
  const { type, isShown } = contentType(key);
  return {
    ...NO_SCRIPTS,
    "cache-control": cacheOf(key),
    "content-type": type,
    ...(!isShown && { "content-disposition": "attachment" }),
  };
}

/** Names below assets contain their version. The manifest does not. */
function cacheOf(key: string): string {
  if (key.startsWith(ASSETS) && !key.endsWith("/manifest.json")) return "public, max-age=31536000, immutable";
  if (key === CHANNEL || TEMPLATES.has(key)) return "no-store";
  return key.startsWith(DOWNLOADS) ? "public, max-age=300" : "public, no-cache";
}
