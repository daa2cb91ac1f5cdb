// A connection to a kernel over a websocket: the frames of the socket, a token, a heartbeat. A certificate that was accepted once is the only
// accepted one, under any name.

import { SysError } from "../abi/errno.ts";
import type { RemoteServer } from "../abi/remote.ts";
import type { ClientInfo } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { ConnectionLost, greeted, type Link, type LinkSocket, SocketLink } from "./client.ts";
import { Heartbeat } from "./heartbeat.ts";

export interface WebsocketOptions {
  readonly server: RemoteServer;
  /** URL of an HTTP proxy; null for a direct connection. */
  readonly proxy: string | null;
  readonly info: ClientInfo;
  readonly clock: Clock;
}

const SOCKET_PATH = "/api/socket";

/** `helloMs` includes the time to connect. */
export async function dialWebsocket(options: WebsocketOptions, helloMs: number): Promise<Link> {
  const { server, proxy, info, clock } = options;
  const { url, token, name } = server;
  const link = new SocketLink(clock);
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}${SOCKET_PATH}`, {
    headers: { authorization: `Bearer ${token}`, "user-agent": `gsv/${info.version}` },
    ...(proxy !== null && { proxy }),
    ...(server.certificate !== null && { tls: pinned(server.certificate) }),
  });
  socket.binaryType = "arraybuffer";
  const end: LinkSocket = {
    write(bytes) {
      if (socket.readyState !== WebSocket.OPEN) return -1;
      socket.send(bytes);
      return bytes.length;
    },
    end: () => socket.close(),
    // After a lost connection the peer does not answer a close.
    terminate: () => socket.terminate(),
  };
  link.connecting(end);
  socket.onopen = () => {
    const heartbeat = new Heartbeat({
      clock,
      ping: () => socket.ping(),
      isBusy: () => link.isBusy,
      onDead: () => link.lost(new ConnectionLost("silent", `the connection to ${name} is dead`)),
    });
    link.onBusy = () => heartbeat.wake();
    void link.ended.then(() => heartbeat.stop());
    socket.addEventListener("pong", () => heartbeat.heard());
    socket.addEventListener("message", () => heartbeat.heard());
    link.opened(end, info, undefined);
  };
  socket.onmessage = ({ data }) => link.received(new Uint8Array(data as ArrayBuffer));
  const lost = (why: string) => link.lost(new ConnectionLost("closed", why));
  socket.onclose = () => lost(`${name} ended the connection`);
  socket.onerror = (event) => {
    const { message } = event as ErrorEvent;
    const refusal = refusalIn(message, server);
    if (refusal === null) lost(message);
    else link.lost(refusal);
  };
  return await greeted(link, { info, clock, helloMs });
}

/** TLS settings that accept this certificate only. */
export function pinned(certificate: string) {
  return { ca: certificate, checkServerIdentity: () => undefined };
}

/** It answers, but not as gsv, or not under this name. */
export function wrongServer(url: string, status: number): SysError {
  if (status === 421)
    return new SysError("ECONFIG", `the server at ${url} does not accept this name`, [
      `on that computer, as root: gsv config set --system serve.hosts ${new URL(url).hostname}`,
    ]);
  return new SysError("ECONFIG", `no gsv answers at ${url} (HTTP ${status})`, ["check the address and the port"]);
}

export function withoutTls(url: string): SysError {
  return new SysError("ECONFIG", `no TLS at ${url}`, ["use http://"]);
}

/** What no further attempt changes; null for a server that may answer later. */
function refusalIn(message: string, { url, name, certificate }: RemoteServer): SysError | null {
  const status = Number(/status code: (\d{3})/.exec(message)?.[1] ?? 0);
  if (status === 401) return new SysError("EAUTH", `${name} refused the token`, [`sign in again: gsv login ${url}`]);
  if (status >= 400 && status < 500 && status !== 429) return wrongServer(url, status);
  if (!/TLS handshake failed/.test(message)) return null;
  if (/WRONG_VERSION_NUMBER/.test(message)) return withoutTls(url);
  if (certificate !== null)
    return new SysError("ECONFIG", `the certificate of ${name} has changed`, [
      `if that is expected, sign in again: gsv login ${url} --name ${name}`,
    ]);
  return new SysError("ECONFIG", `cannot verify the certificate of ${url}`, [
    `to accept a certificate of your own: gsv login ${url}`,
  ]);
}
