// The Sys of a command whose kernel runs on another computer: frames over a websocket, with a token. It starts no kernel and reads nothing
// without one. After a lost connection it connects again and repeats unanswered calls with the same request ids.

import { SysError } from "../abi/errno.ts";
import type { RandomBytes } from "../abi/ids.ts";
import type { CallClass, ClientInfo, Sys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { ConnectionLost, greeted, type Link, type LinkSocket, SocketLink } from "./client.ts";
import { KernelSys } from "./connect.ts";
import type { Finder } from "./find.ts";

export interface RemoteOptions {
  /** `http://…` or `https://…`, without a path. */
  readonly url: string;
  readonly token: string;
  readonly info: ClientInfo;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly classOf: (call: string) => Promise<CallClass | undefined>;
}

const SOCKET_PATH = "/api/socket";
const HELLO_MS = 10_000;
const RETRY_MS_FIRST = 50;
const RETRY_MS_MAX = 1000;
/** A restart takes about two seconds. */
const TRY_FOR_MS = 10_000;

export function openRemoteSys(options: RemoteOptions): Sys {
  const { clock, random, classOf } = options;
  const never = async () => {};
  return new KernelSys(
    { clock, random, classOf, readSys: async () => null, showedInterrupted: () => false, startKernel: never },
    new RemoteFinder(options),
  );
}

class RemoteFinder implements Finder {
  readonly isSilent = false;
  private refused: SysError | null = null;

  constructor(private readonly options: RemoteOptions) {}

  async probe(): Promise<Link | null> {
    try {
      return await this.link();
    } catch (error) {
      if (error instanceof ConnectionLost) return null;
      throw error;
    }
  }

  async ensure(mayStart: () => void): Promise<Link> {
    const { clock, url } = this.options;
    const deadline = clock.mono() + TRY_FOR_MS;
    for (let wait = RETRY_MS_FIRST; ; wait = Math.min(wait * 2, RETRY_MS_MAX)) {
      try {
        return await this.link();
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        mayStart();
        if (clock.mono() + wait > deadline)
          throw new SysError("EAGAIN", `${url} does not answer`, ["on that computer: gsv serve status"]);
      }
      await clock.sleep(wait);
    }
  }

  private async link(): Promise<Link> {
    // A wrong token is not retried, because each attempt counts towards the lockout.
    if (this.refused !== null) throw this.refused;
    try {
      return this.sameVersion(await dialWebsocket(this.options));
    } catch (error) {
      if (error instanceof SysError && error.code === "EAUTH") this.refused = error;
      throw error;
    }
  }

  private sameVersion(link: Link): Link {
    const { url, info } = this.options;
    const there = link.kernel.version;
    if (there === info.version) return link;
    link.close();
    const isOlder = Bun.semver.order(info.version, there) < 0;
    throw new SysError("ECONFIG", `gsv here is ${info.version}, at ${url} it is ${there}`, [
      isOlder ? "update gsv on this computer" : "update gsv on that computer",
    ]);
  }
}

async function dialWebsocket({ url, token, info, clock }: RemoteOptions): Promise<Link> {
  const link = new SocketLink(clock);
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}${SOCKET_PATH}`, {
    headers: { authorization: `Bearer ${token}` },
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
  socket.onopen = () => link.opened(end, info, undefined);
  socket.onmessage = ({ data }) => link.received(new Uint8Array(data as ArrayBuffer));
  const lost = () => link.lost(new ConnectionLost("closed", `${url} ended the connection`));
  socket.onclose = lost;
  socket.onerror = (event) => {
    const refusal = refusalIn(event, url);
    if (refusal === null) lost();
    else link.lost(refusal);
  };
  return await greeted(link, { info, clock, helloMs: HELLO_MS });
}

/** What no further attempt changes; null for a server that may answer later. */
function refusalIn(event: Event, url: string): SysError | null {
  const { message } = event as ErrorEvent;
  if (/status code: 421/.test(message))
    return new SysError("ECONFIG", `${url} is not a name of that server`, [
      `on that computer, as root: gsv config set --system serve.hosts ${new URL(url).hostname}`,
    ]);
  if (!/TLS handshake failed/.test(message)) return null;
  if (/WRONG_VERSION_NUMBER/.test(message)) return new SysError("ECONFIG", `no TLS at ${url}`, ["use http://"]);
  return new SysError("ECONFIG", `cannot verify the certificate of ${url}`, [
    "to trust a certificate of your own: NODE_EXTRA_CA_CERTS=FILE",
  ]);
}
