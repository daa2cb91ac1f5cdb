// Fetches a web page as text: every redirect is checked, within time and size limits. For agents, redirects to other sites are reported and
// not followed, so that only the approved site is fetched.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { normaliseText } from "../abi/process/message.ts";
import type { Clock } from "../lib/clock.ts";
import { isBinary } from "../lib/media-type.ts";
import { markdownOf } from "./html/html-to-markdown.ts";
import { seenText } from "./html/text.ts";
import { bodyOf, decoded } from "./web-body.ts";
import { type HopPorts, type Reach, requestHop, webUrl } from "./web-hop.ts";

export interface WebPorts extends HopPorts {
  readonly clock: Clock;
}

export interface PageRequest {
  readonly url: string;
  readonly raw: boolean;
  readonly reach: Reach;
  readonly followsAnywhere: boolean;
  readonly signal: AbortSignal;
}

export interface WebPage {
  readonly url: string;
  readonly status: number;
  readonly type: string;
  readonly title: string | null;
  readonly text: string;
  readonly bytes: number;
  readonly cut: boolean;
  /** A redirect that was not followed. */
  readonly movedTo: string | null;
}

const HOPS_MAX = 5;
const TIMEOUT_MS = 30_000;
const TEXTS =
  /^(?:text\/|application\/(?:.*\+)?(?:json|xml|yaml|javascript|ecmascript|toml|sql|graphql|x-sh|x-ndjson)\b)/;
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/;

export async function fetchPage(ports: WebPorts, request: PageRequest): Promise<WebPage> {
  const timeout = new AbortController();
  const inTime = ports.clock.after(TIMEOUT_MS, () => timeout.abort());
  const signal = AbortSignal.any([request.signal, timeout.signal]);
  try {
    return await followed(ports, { ...request, signal });
  } catch (error) {
    if (request.signal.aborted) throw new SysError("ECANCELED", "cancelled");
    if (timeout.signal.aborted)
      throw new SysError("EIO", `${request.url.slice(0, 200)} took longer than ${TIMEOUT_MS / 1000} s`);
    throw error;
  } finally {
    inTime();
  }
}

async function followed(ports: WebPorts, request: PageRequest): Promise<WebPage> {
  let url = webUrl(request.url);
  for (let hop = 0; hop <= HOPS_MAX; hop++) {
    const response = await requestHop(ports, url, request.reach, request.signal);
    const next = redirected(response, url);
    if (next === null) return await shown(ports, request, { url, response });
    await response.body?.cancel();
    if (!request.followsAnywhere && siteOf(next) !== siteOf(url)) return moved(url, response.status, next);
    url = next;
  }
  throw new SysError("EIO", `${url.host} redirects more than ${HOPS_MAX} times`);
}

function redirected(response: Response, url: URL): URL | null {
  const location = response.headers.get("location");
  if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return null;
  const next = URL.parse(location, url.href);
  if (next === null) throw new SysError("EIO", `${url.host} redirects to an invalid address`);
  return webUrl(next.href);
}

function siteOf({ hostname }: URL): string {
  return hostname.replace(/^www\./, "");
}

function moved(url: URL, status: number, next: URL): WebPage {
  return { url: url.href, status, type: "", title: null, text: "", bytes: 0, cut: false, movedTo: next.href };
}

async function shown(
  { clock }: WebPorts,
  { raw, signal }: PageRequest,
  { url, response }: { readonly url: URL; readonly response: Response },
): Promise<WebPage> {
  const { bytes, cut } = await bodyOf(response, LIMITS.webBytesMax, signal);
  const contentType = (response.headers.get("content-type") ?? "").trim().toLowerCase();
  const type =
    contentType.split(";")[0]?.trim().slice(0, 100) || (isBinary(bytes) ? "application/octet-stream" : "text/plain");
  const about = { url: url.href, status: response.status, type, bytes: bytes.byteLength, cut, movedTo: null };
  const isText = contentType === "" ? !isBinary(bytes) : TEXTS.test(contentType) || HTML.test(contentType);
  if (!isText) return { ...about, title: null, text: "" };
  const source = decoded(bytes, contentType);
  if (raw || !HTML.test(contentType)) return { ...about, title: null, text: normaliseText(seenText(source)) };
  const { title, text } = await markdownOf(source, url, () => clock.sleep(0));
  return { ...about, title: title === "" ? null : normaliseText(title), text: normaliseText(text) };
}
