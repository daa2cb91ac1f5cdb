// Single HTTP requests to a kernel on another computer, through a proxy if the environment names one, and with one accepted certificate if it
// was pinned. The runtime's own fetch would use a proxy for loopback too.

import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectSecure, type TLSSocket } from "node:tls";
import { SysError } from "../../abi/errno.ts";
import type { RemoteAddress, RemoteCertificate } from "../../abi/remote.ts";
import type { Clock } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { pinned, withoutTls } from "../../rpc/websocket-link.ts";
import { VERSION } from "../../version.ts";
import { proxyFor } from "./proxy.ts";

export type Env = { readonly [name: string]: string | undefined };

interface Surroundings {
  readonly env: Env;
  readonly clock: Clock;
}

export interface HttpRequest {
  readonly path: string;
  /** With a body it is a POST. */
  readonly body?: object;
  readonly token?: string;
}

export interface HttpAnswer {
  readonly status: number;
  /** `{}` if the body is not a JSON object. */
  readonly value: { readonly [key: string]: unknown };
}

const ANSWER_MS = 10_000;
const ANSWER_BYTES_MAX = 65_536;
const SILENT = "ETIMEDOUT";

export function requestAt(
  at: RemoteAddress,
  by: Surroundings,
  { path, body, token }: HttpRequest,
): Promise<HttpAnswer> {
  return guarded(at.url, async () => {
    const url = new URL(at.url);
    const socket = await streamTo(url, { ...by, tls: at.certificate === null ? {} : pinned(at.certificate) });
    const text = body === undefined ? "" : JSON.stringify(body);
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const options = {
      ...{ host: url.hostname, port: url.port, path, method: body === undefined ? "GET" : "POST" },
      headers: {
        host: url.host,
        connection: "close",
        "user-agent": `gsv/${VERSION}`,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
      },
      createConnection: () => socket,
    };
    const made = (url.protocol === "https:" ? requestSecure : requestPlain)(options, (answer) => {
      let whole = "";
      answer.on("data", (chunk) => {
        whole += String(chunk);
        if (whole.length > ANSWER_BYTES_MAX) answer.destroy();
      });
      answer.on("close", () => resolve({ status: answer.statusCode ?? 0, value: objectIn(whole) }));
    });
    socket.on("error", reject);
    made.on("error", reject);
    made.end(text);
    return await promise.finally(() => socket.destroy());
  });
}

/** null if an authority vouches for it. Sends nothing. */
export function certificateAt(address: string, { env, clock }: Surroundings): Promise<RemoteCertificate | null> {
  return guarded(address, async () => {
    const socket = (await streamTo(new URL(address), { env, clock, tls: { rejectUnauthorized: false } })) as TLSSocket;
    const { raw } = socket.getPeerCertificate(true);
    socket.destroy();
    return socket.authorized ? null : certificateOf(raw);
  });
}

interface StreamOptions extends Surroundings {
  readonly tls: object;
}

async function streamTo(url: URL, { env, clock, tls }: StreamOptions): Promise<Socket | TLSSocket> {
  const proxy = proxyFor(url.origin, env);
  const host = bare(url.hostname);
  const isSecure = url.protocol === "https:";
  const port = Number(url.port || (isSecure ? 443 : 80));
  const socket =
    proxy === null
      ? await connected(host, port, clock)
      : await tunnelled(new URL(proxy), `${url.hostname}:${port}`, clock);
  if (!isSecure) return socket;
  const isAddress = /^[\d.]+$|:/.test(host);
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const secure = connectSecure({ host, socket, ...(!isAddress && { servername: host }), ...tls }, () =>
    resolve(secure),
  );
  secure.on("error", reject);
  return await promise;
}

function connected(host: string, port: number, clock: Clock): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connectPlain({ host, port }, () => resolve(socket));
  const stop = clock.after(ANSWER_MS, () => socket.destroy(new Error(SILENT)));
  socket.on("close", stop);
  socket.on("error", reject);
  return promise;
}

async function tunnelled(proxy: URL, to: string, clock: Clock): Promise<Socket> {
  const { username, password } = proxy;
  const account = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const login = username === "" ? "" : `Proxy-Authorization: Basic ${Buffer.from(account).toString("base64")}\r\n`;
  const socket = await guarded(proxy.origin, () => connected(bare(proxy.hostname), Number(proxy.port || 80), clock));
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  socket.once("data", resolve);
  socket.once("close", () => reject(new Error("closed")));
  socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n${login}\r\n`);
  const head = await promise.then(String, () => "");
  if (/^HTTP\/1\.[01] 200/.test(head)) return socket;
  socket.destroy();
  throw new SysError("EAGAIN", `the proxy ${proxy.host} does not connect to ${to}`, [
    "to reach it directly: NO_PROXY=HOST",
  ]);
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function certificateOf(raw: Buffer): RemoteCertificate {
  const lines = raw.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return {
    pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    fingerprint: `sha256:${sha256Hex(raw)}`,
  };
}

function objectIn(text: string): HttpAnswer["value"] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as HttpAnswer["value"]) : {};
  } catch {
    return {};
  }
}

async function guarded<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unreachable(url, error);
  }
}

function unreachable(url: string, error: unknown): SysError {
  if (error instanceof SysError) return error;
  const { code = "", message = "" } = error as { code?: string; message?: string };
  const said = `${code} ${message}`;
  if (/SELF_SIGNED|CERT|certificate|UNABLE_TO/.test(said))
    return new SysError("ECONFIG", `cannot verify the certificate of ${url}`, [
      `to see its fingerprint and accept it, on a terminal: gsv login ${url}`,
    ]);
  if (/WRONG_VERSION|packet length|EPROTO/i.test(said)) return withoutTls(url);
  if (url.startsWith("http:") && /ECONNRESET|hang up/.test(said))
    return new SysError("EAGAIN", `cannot reach ${url}: the server closed the connection`, [
      `if it uses TLS: ${url.replace(/^http/, "https")}`,
    ]);
  return new SysError("EAGAIN", `cannot reach ${url}: ${whyIn(said)}`, ["on that computer: gsv serve status"]);
}

function whyIn(said: string): string {
  if (/ENOTFOUND|EAI_|resolve/i.test(said)) return "the name is unknown";
  if (/REFUSED/.test(said)) return "nothing listens there";
  return said.includes(SILENT) ? "no answer" : "the connection failed";
}
