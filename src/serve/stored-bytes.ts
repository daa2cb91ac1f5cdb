// Answers a GET or HEAD with stored bytes: strong ETags, If-None-Match, ranges and If-Range (RFC 9110). Large content is read piece by piece, as
// fast as the client takes it.

import { SysError } from "../abi/errno.ts";

export interface StoredBytes {
  readonly size: number;
  /** Identifies the content; not quoted. */
  readonly version: string;
  /** Throws if the content is no longer of this version. */
  read(offset: number, bytesMax: number): Promise<Uint8Array>;
  /** Called once, when nothing more is read. */
  done?(): Promise<void>;
}

/** For content that may be anything. */
export const NO_SCRIPTS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
};

const PIECE_BYTES = 256 * 1024;
/** Sent in one piece, with a Content-Length. */
const WHOLE_BYTES_MAX = 1024 * 1024;
const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

export async function answerBytes(
  request: Request,
  stored: StoredBytes,
  given: { readonly [name: string]: string },
): Promise<Response> {
  const { status, headers, range } = headOf(request, stored, given);
  if (range !== null && request.method !== "HEAD" && range.to - range.from > WHOLE_BYTES_MAX)
    return new Response(streamOf(stored, range), { status, headers });
  try {
    const hasBody = range !== null && request.method !== "HEAD";
    const body = hasBody ? ((await wholeOf(stored, range)) as Uint8Array<ArrayBuffer>) : null;
    return new Response(body, { status, headers });
  } finally {
    await stored.done?.();
  }
}

interface Head {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** Null: no body. */
  readonly range: Range | null;
}

function headOf(request: Request, { size, version }: StoredBytes, given: Head["headers"]): Head {
  const etag = etagOf(version);
  const headers = { ...given, etag, "accept-ranges": "bytes" };
  if (isKnownTag(request.headers.get("if-none-match"), etag)) return { status: 304, headers, range: null };
  const asked = rangeOf(request, size, etag);
  if (asked === "unsatisfiable")
    return { status: 416, headers: { ...headers, "content-range": `bytes */${size}` }, range: null };
  const range = asked ?? { from: 0, to: size };
  const length: Head["headers"] = request.method === "HEAD" ? { "content-length": String(range.to - range.from) } : {};
  if (asked === null) return { status: 200, headers: { ...headers, ...length }, range };
  const { from, to } = asked;
  return { status: 206, headers: { ...headers, ...length, "content-range": `bytes ${from}-${to - 1}/${size}` }, range };
}

export function etagOf(version: string): string {
  return `"${version}"`;
}

/** Whether an If-None-Match header names the tag. Weak ones count: a proxy that compresses makes a tag weak. */
export function isKnownTag(header: string | null, etag: string): boolean {
  return matchesTag(header?.replace(/\bW\//g, "") ?? null, etag);
}

/** Whether an If-Match header names the tag. Weak tags never match. */
export function matchesTag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.trim() === "*" || header.split(",").some((each) => each.trim() === etag);
}

type Range = { readonly from: number; readonly to: number };

/** Null: the whole content. Several ranges and unknown units count as none. */
function rangeOf(request: Request, size: number, etag: string): Range | "unsatisfiable" | null {
  const [, first = "", last = ""] = RANGE.exec(request.headers.get("range")?.trim() ?? "") ?? [];
  if (first === "" && last === "") return null;
  const validator = request.headers.get("if-range");
  if (validator !== null && validator.trim() !== etag) return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { from: size - length, to: size };
  }
  const [from, end] = [Number(first), last === "" ? size - 1 : Number(last)];
  if (last !== "" && end < from) return null;
  return from >= size ? "unsatisfiable" : { from, to: Math.min(end + 1, size) };
}

async function wholeOf(stored: StoredBytes, { from, to }: Range): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let at = from; at < to; ) {
    const piece = await pieceAt(stored, at, to);
    pieces.push(piece);
    at += piece.byteLength;
  }
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
}

/** An error in the middle cuts the connection: the client sees that the content is not complete. */
function streamOf(stored: StoredBytes, { from, to }: Range): ReadableStream<Uint8Array> {
  let at = from;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await pieceAt(stored, at, to);
          at += piece.byteLength;
          controller.enqueue(piece);
          if (at < to) return;
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        await stored.done?.();
      },
      cancel: () => stored.done?.(),
    },
    { highWaterMark: 0 },
  );
}

async function pieceAt(stored: StoredBytes, at: number, to: number): Promise<Uint8Array> {
  const piece = await stored.read(at, Math.min(PIECE_BYTES, to - at));
  if (piece.byteLength === 0) throw new SysError("EIO", `the content ended at ${at}, before ${to}`);
  return piece;
}
