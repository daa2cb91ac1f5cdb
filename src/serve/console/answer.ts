// Serves the web console: one page that no cache keeps, with a strict content security policy, and its files, which never change. Nothing of
// a request is used but its path and headers.

import { brotliDecompressSync, gzipSync } from "node:zlib";

export interface ConsoleFile {
  /** `/` for the page, `/a/…` for the rest. */
  readonly path: string;
  readonly type: string;
  /** A hash of the content. */
  readonly tag: string;
  readonly brotli: Uint8Array<ArrayBuffer>;
}

export type ConsoleFiles = () => Promise<readonly ConsoleFile[]>;

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  vary: "accept-encoding",
};
const PAGE_HEADERS = { "cache-control": "no-store", "content-security-policy": POLICY };
const FILE_HEADERS = { "cache-control": "public, max-age=31536000, immutable" };

type Coding = "br" | "gzip" | "identity";

/** null: the console has no such file. The files are loaded once, at the first request. */
export function consoleAnswers(load: ConsoleFiles): (request: Request, path: string) => Promise<Response | null> {
  let loading: Promise<ReadonlyMap<string, ConsoleFile>> | null = null;
  const bodies = new Map<string, Uint8Array<ArrayBuffer>>();

  function files(): Promise<ReadonlyMap<string, ConsoleFile>> {
    loading ??= load().then((all) => new Map(all.map((file) => [file.path, file])));
    loading.catch(() => {
      loading = null;
    });
    return loading;
  }

  function bodyOf(file: ConsoleFile, coding: Coding): Uint8Array<ArrayBuffer> {
    if (coding === "br") return file.brotli;
    const key = `${coding} ${file.path}`;
    let body = bodies.get(key);
    if (body === undefined) {
      const plain = brotliDecompressSync(file.brotli);
      body = new Uint8Array(coding === "gzip" ? gzipSync(plain) : plain);
      bodies.set(key, body);
    }
    return body;
  }

  return async (request, path) => {
    const file = (await files()).get(path);
    if (file === undefined) return null;
    const coding = codingOf(request.headers.get("accept-encoding") ?? "");
    const tag = `"${file.tag}-${coding}"`;
    const headers = { ...HEADERS, ...(path === "/" ? PAGE_HEADERS : FILE_HEADERS), etag: tag };
    if (isKnown(request.headers.get("if-none-match") ?? "", tag)) return new Response(null, { status: 304, headers });
    const body = bodyOf(file, coding);
    return new Response(request.method === "HEAD" ? null : body, {
      headers: {
        ...headers,
        "content-type": file.type,
        ...(request.method === "HEAD" && { "content-length": String(body.length) }),
        ...(coding !== "identity" && { "content-encoding": coding }),
      },
    });
  };
}

/** Browsers offer brotli over TLS and on loopback only. */
function codingOf(accepted: string): Coding {
  const codings = new Map(
    accepted
      .toLowerCase()
      .split(",")
      .map((each) => {
        const [name = "", quality = ""] = each.split(";").map((part) => part.trim());
        return [name, !/^q=0(?:\.0*)?$/.test(quality)] as const;
      }),
  );
  const takes = (name: string) => codings.get(name) ?? false;
  return takes("br") ? "br" : takes("gzip") ? "gzip" : "identity";
}

function isKnown(tags: string, tag: string): boolean {
  return tags.split(",").some((each) => each.trim().replace(/^W\//, "") === tag || each.trim() === "*");
}
