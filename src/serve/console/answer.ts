// Serves the web console: one page that no cache keeps, with a strict content security policy, and its files, which never change. Nothing of
// a request is used but its path and headers.

import { brotliDecompressSync, gzipSync } from "node:zlib";
import { problem } from "../rest.ts";
import type { Visit } from "../route.ts";
import { isKnownTag } from "../stored-bytes.ts";
import type { ConsoleFile } from "./file.ts";
import { consoleFiles } from "./files.ts";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "manifest-src 'self'",
  // The document of the voice.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The only document that may compile WebAssembly. It has no cookie of its own and shows nothing. */
const VOICE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

const HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  vary: "accept-encoding",
};
const pageWith = (policy: string) => ({ "cache-control": "no-store", "content-security-policy": policy });
const PAGES: { readonly [path: string]: object } = { "/": pageWith(POLICY), "/voice": pageWith(VOICE_POLICY) };
const FILE_HEADERS = { "cache-control": "public, max-age=31536000, immutable" };

type Coding = "br" | "gzip" | "identity";

let loading: Promise<ReadonlyMap<string, ConsoleFile>> | null = null;
/** For clients that do not take brotli. */
const bodies = new Map<string, Uint8Array<ArrayBuffer>>();

export async function answerConsole({ request, url: { pathname } }: Visit): Promise<Response> {
  const file = (await files()).get(pathname);
  if (file === undefined) return problem(404, "ENOENT", "nothing is served at this path");
  const coding = codingOf(request.headers.get("accept-encoding") ?? "");
  const tag = `"${file.tag}-${coding}"`;
  const headers = { ...HEADERS, ...(PAGES[pathname] ?? FILE_HEADERS), etag: tag };
  if (isKnownTag(request.headers.get("if-none-match"), tag)) return new Response(null, { status: 304, headers });
  const coded = coding === "identity" ? {} : { "content-encoding": coding };
  return new Response(bodyOf(file, coding), { headers: { ...headers, ...coded, "content-type": file.type } });
}

/** They never change while this program runs. */
function files(): Promise<ReadonlyMap<string, ConsoleFile>> {
  loading ??= consoleFiles().then((all) => new Map(all.map((file) => [file.path, file])));
  loading.catch(() => {
    loading = null;
  });
  return loading;
}

function bodyOf(file: ConsoleFile, coding: Coding): Uint8Array<ArrayBuffer> {
  if (coding === "br") return file.brotli;
  const key = `${coding} ${file.path}`;
  const known = bodies.get(key);
  if (known !== undefined) return known;
  const plain = brotliDecompressSync(file.brotli);
  const body = new Uint8Array(coding === "gzip" ? gzipSync(plain) : plain);
  bodies.set(key, body);
  return body;
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
