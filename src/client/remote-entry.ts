// Signs in to a kernel on another computer: checks what answers there, accepts its certificate, and exchanges a password or a code for a token.

import { connect as connectPlain } from "node:net";
import { connect, type DetailedPeerCertificate } from "node:tls";
import { isCode, SysError } from "../abi/errno.ts";
import type {
  RemoteAddress,
  RemoteCertificate,
  RemoteEntry,
  RemoteLogin,
  RemoteSecret,
} from "../abi/remote.ts";
import { proxyFor } from "../lib/proxy.ts";
import { sha256Hex } from "../lib/hash.ts";
import { otherVersion } from "../rpc/remote.ts";
import { pinned } from "../rpc/websocket-link.ts";
import { isLoopbackHost } from "../serve/listen-address.ts";
import { originOf, type RemoteMachine, remoteSys } from "./remote.ts";

const ANSWER_MS = 10_000;
const ANSWER_CHARS_MAX = 65_536;

export function remoteEntry(machine: RemoteMachine): RemoteEntry {
  const { env, info } = machine;

  async function request({ url, certificate }: RemoteAddress, path: string, body?: object): Promise<Answer> {
    const proxy = proxyFor(url, env);
    try {
      const response = await fetch(url + path, {
        method: body === undefined ? "GET" : "POST",
        ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
        ...(proxy !== null && { proxy }),
        ...(certificate !== null && { tls: pinned(certificate) }),
        redirect: "manual",
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      const text = (await response.text()).slice(0, ANSWER_CHARS_MAX);
      return { status: response.status, value: objectIn(text) };
    } catch (error) {
      throw unreachable(url, error);
    }
  }

  return {
    urlOf(text) {
      const whole = /^[a-z]+:\/\//i.test(text) ? text : `${isLoopbackHost(hostIn(text)) ? "http" : "https"}://${text}`;
      return originOf(whole, "this");
    },
    async strangeCertificate(url) {
      if (!url.startsWith("https:")) return null;
      return await certificateAt(new URL(url), proxyFor(url, env));
    },
    async check(at) {
      const { status, value } = await request(at, "/healthz");
      if (status === 421)
        throw new SysError("ECONFIG", `${at.url} is not a name of that server`, [
          `on that computer, as root: gsv config set --system serve.hosts ${new URL(at.url).hostname}`,
        ]);
      if (value.ok !== true)
        throw new SysError("ECONFIG", `no gsv answers at ${at.url} (HTTP ${status})`, ["check the address and the port"]);
      const { version } = value;
      if (typeof version === "string" && version !== info.version)
        throw otherVersion(info.version, version, new URL(at.url).hostname);
    },
    async signIn(at, secret) {
      const { status, value } = await request(at, "/api/login", { ...fieldsOf(secret), label: "gsv login" });
      const { token, id, expiresAt } = value;
      if (typeof token === "string" && typeof id === "string")
        return { token, id, expiresAt: typeof expiresAt === "number" ? expiresAt : null } satisfies RemoteLogin;
      const { code, detail, hints } = value;
      throw new SysError(
        isCode(code) ? code : status === 429 ? "EAGAIN" : "EAUTH",
        typeof detail === "string" ? detail : `${at.url} refused the login (HTTP ${status})`,
        Array.isArray(hints) ? hints.filter((hint) => typeof hint === "string") : [],
      );
    },
    open: (server) => remoteSys(server, machine),
  };
}

interface Answer {
  readonly status: number;
  readonly value: { readonly [key: string]: unknown };
}

function fieldsOf(secret: RemoteSecret): object {
  return secret.kind === "code" ? { code: secret.code } : { user: secret.user, password: secret.password };
}

function hostIn(text: string): string {
  return URL.parse(`http://${text}`)?.hostname ?? "";
}

function objectIn(text: string): Answer["value"] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Answer["value"]) : {};
  } catch {
    return {};
  }
}

/** null if the usual authorities vouch for it. */
function certificateAt(url: URL, proxy: string | null): Promise<RemoteCertificate | null> {
  const { hostname } = url;
  const host = hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || 443);
  return new Promise((resolve, reject) => {
    const begin = async () => {
      const through = proxy === null ? {} : { socket: await tunnel(new URL(proxy), `${hostname}:${port}`) };
      const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
      const socket = connect({ host, port, ...through, ...name, rejectUnauthorized: false }, () => {
        const { raw }: DetailedPeerCertificate = socket.getPeerCertificate(true);
        const isVouchedFor = socket.authorized;
        socket.destroy();
        resolve(isVouchedFor ? null : certificateOf(raw));
      });
      socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error("ETIMEDOUT")));
      socket.on("error", (error) => reject(unreachable(url.origin, error)));
    };
    begin().catch(reject);
  });
}

function certificateOf(raw: Buffer): RemoteCertificate {
  const lines = raw.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return {
    pem: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    fingerprint: `sha256:${sha256Hex(raw)}`,
  };
}

/** A connection through an HTTP proxy. */
function tunnel(proxy: URL, to: string) {
  const socket = connectPlain({ host: proxy.hostname.replace(/^\[|\]$/g, ""), port: Number(proxy.port || 80) });
  const { username, password } = proxy;
  const account = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const login = username === "" ? "" : `Proxy-Authorization: Basic ${Buffer.from(account).toString("base64")}\r\n`;
  return new Promise<typeof socket>((resolve, reject) => {
    socket.on("error", (error) => reject(unreachable(proxy.origin, error)));
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error("ETIMEDOUT")));
    socket.on("connect", () => socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n${login}\r\n`));
    socket.once("data", (head) => {
      if (/^HTTP\/1\.[01] 200/.test(head.toString("latin1"))) resolve(socket);
      else reject(new SysError("EAGAIN", `the proxy ${proxy.host} does not connect to ${to}`));
    });
  });
}

function unreachable(url: string, error: unknown): SysError {
  if (error instanceof SysError) return error;
  const { code = "", name = "", message = "" } = error as { code?: string; name?: string; message?: string };
  const said = `${code} ${name} ${message}`;
  if (/SELF_SIGNED|CERT|certificate|UNABLE_TO/.test(said))
    return new SysError("ECONFIG", `cannot verify the certificate of ${url}`, [
      "accept it after a look at its fingerprint: gsv login on a terminal",
    ]);
  if (/WRONG_VERSION|packet length|EPROTO/i.test(said)) return new SysError("ECONFIG", `no TLS at ${url}`, ["use http://"]);
  const why = /ENOTFOUND|EAI_|resolve/i.test(said)
    ? "the name is unknown"
    : /REFUSED/.test(said)
      ? "nothing listens there"
      : /TIMEDOUT|Timeout/i.test(said)
        ? "no answer"
        : "the connection failed";
  return new SysError("EAGAIN", `cannot reach ${url}: ${why}`, ["on that computer: gsv serve status"]);
}
