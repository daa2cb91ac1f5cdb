// `GET` and `PUT /api/files/PATH`: the files of gsv as bytes, with the rights of the account that enters. A new file appears complete or not at
// all; ETags are the versions of files.

import { SysError } from "../../abi/errno.ts";
import { uuidv7 } from "../../abi/ids.ts";
import type { Sys } from "../../abi/sys.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FileStat, Piece } from "../../syscalls/fs/fs-tree.ts";
import { contentType } from "../content-type.ts";
import { decodedNames } from "../path-names.ts";
import { json, problem } from "../rest.ts";
import type { Visit } from "../route.ts";
import { answerBytes, etagOf, isKnownTag, matchesTag, NO_SCRIPTS, type StoredBytes } from "../stored-bytes.ts";

const FILES = "/api/files/";
/** Size of one piece: its base64 fits a call. */
const PIECE_BYTES = 512 * 1024;
/** A slower upload is cut. */
const SLOWEST_BYTES = 160 * 1024;
const SLOWEST_MS = 10_000;

export async function getFile(visit: Visit): Promise<Response> {
  const path = pathIn(visit.url.pathname);
  const sys = await visit.open();
  try {
    const stat = await sys.call<FileStat>("fs.stat", { path });
    if (stat.kind === "directory") throw isDirectory(path);
    const piece = await pieceAt(sys, path, { offset: 0, bytes: PIECE_BYTES });
    const headers = headersOf(stat);
    const isStored = piece.version === stat.version && (stat.size > 0 || piece.eof);
    if (!isStored) return generated(visit, sys, { path, headers });
    return await answerBytes(visit.request, storedIn(visit, sys, stat), headers);
  } catch (error) {
    await sys.close();
    throw error;
  }
}

export async function putFile(visit: Visit): Promise<Response> {
  const path = pathIn(visit.url.pathname);
  const sys = await visit.open();
  const upload = uuidv7(visit.host.clock.now(), visit.host.random);
  try {
    const before = await statOrNull(sys, path);
    if (before?.kind === "directory") throw isDirectory(path);
    const conditions = conditionsOf(visit.request.headers, before);
    if (conditions === null) return notAsExpected();
    const hash = new Bun.CryptoHasher("sha256");
    for await (const { offset, bytes } of inPieces(steadily(visit.pieces(), visit.host.clock))) {
      hash.update(bytes);
      await sys.call("fs.stage", { upload, offset, data: bytes.toString("base64") });
    }
    const put = await sys.call<{ path: string; size: number }>("fs.put", { path, upload, ...conditions });
    const stat = await statOrNull(sys, path);
    // Only of the content that was sent: another writer may have come since.
    const isOwn = stat !== null && hash.digest("hex").startsWith(stat.version);
    const response = json(before === null ? 201 : 200, put);
    if (isOwn) response.headers.set("etag", etagOf(stat.version));
    return response;
  } catch (error) {
    await sys.call("fs.stage", { upload, offset: 0, data: "", discard: true }).catch(() => undefined);
    if (error instanceof TooSlow) return problem(408, "ETIMEDOUT", error.message);
    const isCondition = error instanceof SysError && (error.code === "ECONFLICT" || error.code === "EEXIST");
    if (isCondition && hasConditions(visit.request.headers)) return notAsExpected();
    throw error;
  } finally {
    await sys.close();
  }
}

/** `~` and `~NAME` are homes; everything else starts at the root. */
function pathIn(pathname: string): string {
  const names = decodedNames(pathname.slice(FILES.length));
  if (names === null) throw new SysError("ENOENT", "no file can have this path");
  return names[0]?.startsWith("~") ? names.join("/") : `/${names.join("/")}`;
}

function isDirectory(path: string): SysError {
  return new SysError("EISDIR", `${path} is a directory`, ["list it with POST /api/call/fs.list"]);
}

/** Always as an attachment: a page among the files must not act as the console. */
function headersOf({ path }: FileStat): { readonly [name: string]: string } {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return {
    ...NO_SCRIPTS,
    "cache-control": "private, no-cache",
    "content-type": contentType(name).type,
    "content-disposition": `attachment; filename*=UTF-8''${encoded}`,
  };
}

async function pieceAt(sys: Sys, path: string, range: { readonly offset: number; readonly bytes: number }) {
  const { data, ...piece } = await sys.call<Piece>("fs.get", { path, ...range });
  return { ...piece, bytes: Buffer.from(data, "base64") };
}

function storedIn({ ended }: Visit, sys: Sys, { path, size, version }: FileStat): StoredBytes {
  return {
    size,
    version,
    async read(offset, bytesMax) {
      if (ended.aborted) throw new SysError("EAUTH", "the login has ended");
      const piece = await pieceAt(sys, path, { offset, bytes: Math.min(bytesMax, PIECE_BYTES) });
      if (piece.version !== version) throw new SysError("ECONFLICT", `${path} changed while it was read`);
      return piece.bytes;
    },
    done: () => sys.close(),
  };
}

/** Files that are made for each reader, such as those in /proc: without size and version. */
function generated(
  { request }: Visit,
  sys: Sys,
  { path, headers }: { readonly path: string; readonly headers: { readonly [name: string]: string } },
): Response {
  let offset = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let isOver = true;
        try {
          const { bytes, eof } = await pieceAt(sys, path, { offset, bytes: PIECE_BYTES });
          offset += bytes.byteLength;
          if (bytes.byteLength > 0) controller.enqueue(bytes);
          isOver = eof || bytes.byteLength === 0;
          if (isOver) controller.close();
        } finally {
          if (isOver) await sys.close();
        }
      },
      cancel: () => sys.close(),
    },
    { highWaterMark: 0 },
  );
  if (request.method !== "HEAD") return new Response(body, { headers });
  void body.cancel();
  return new Response(null, { headers });
}

async function statOrNull(sys: Sys, path: string): Promise<FileStat | null> {
  try {
    return await sys.call<FileStat>("fs.stat", { path });
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return null;
    throw error;
  }
}

function hasConditions(headers: Headers): boolean {
  return headers.has("if-match") || headers.has("if-none-match");
}

/** Null: not met already. What is left is checked together with the write. */
function conditionsOf(headers: Headers, before: FileStat | null): object | null {
  const [wanted, unwanted] = [headers.get("if-match"), headers.get("if-none-match")];
  if (wanted !== null && (before === null || !matchesTag(wanted, etagOf(before.version)))) return null;
  if (unwanted !== null && before !== null && isKnownTag(unwanted, etagOf(before.version))) return null;
  return {
    ...(wanted !== null && { ifVersion: before?.version }),
    ...(unwanted?.trim() === "*" && { exclusive: true }),
  };
}

function notAsExpected(): Response {
  return problem(412, "ECONFLICT", "the file is not as If-Match or If-None-Match expects", ["read it again"]);
}

/** Joins small pieces, and gives each its place. At least one, so that an empty file is staged, too. */
async function* inPieces(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly offset: number; readonly bytes: Buffer }> {
  let offset = 0;
  let held: Uint8Array[] = [];
  let size = 0;
  const take = () => {
    const piece = { offset, bytes: Buffer.concat(held) };
    offset += size;
    [held, size] = [[], 0];
    return piece;
  };
  for await (const chunk of source)
    for (let from = 0; from < chunk.byteLength; ) {
      const part = chunk.subarray(from, from + PIECE_BYTES - size);
      held.push(part);
      size += part.byteLength;
      from += part.byteLength;
      if (size === PIECE_BYTES) yield take();
    }
  if (size > 0 || offset === 0) yield take();
}

class TooSlow extends Error {}

async function* steadily(source: AsyncIterable<Uint8Array>, clock: Clock): AsyncGenerator<Uint8Array> {
  let since = clock.mono();
  let bytes = 0;
  for await (const piece of source) {
    yield piece;
    bytes += piece.byteLength;
    const now = clock.mono();
    if (now - since < SLOWEST_MS) continue;
    const most = (SLOWEST_BYTES * (now - since)) / SLOWEST_MS;
    if (bytes < most) throw new TooSlow("the upload is slower than 16 KiB a second");
    [since, bytes] = [now, 0];
  }
}
