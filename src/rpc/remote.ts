// The Sys of a command whose kernel runs on another computer. It starts no kernel and reads nothing without one. After a lost connection it
// connects again and repeats unanswered calls with the same request ids.

import { SysError } from "../abi/errno.ts";
import type { RandomBytes } from "../abi/ids.ts";
import type { LineState } from "../abi/remote.ts";
import type { CallClass, CallOptions, ClientInfo, Sys } from "../abi/sys.ts";
import { ConnectionLost, type Link } from "./client.ts";
import { KernelSys } from "./connect.ts";
import type { Finder } from "./find.ts";
import type { KernelIdentity } from "./frame.ts";
import { commonProtocol, PROTOCOL, protocolText } from "./protocol.ts";
import { dialWebsocket, type WebsocketOptions } from "./websocket-link.ts";

export interface RemoteOptions extends WebsocketOptions {
  readonly random: RandomBytes;
  readonly classOf: (call: string) => Promise<CallClass | undefined>;
  /** Called when the connection is lost, and when it is back. */
  readonly onLine?: (state: LineState) => void;
  /** Called when the kernel ends this login. Nothing is retried then. */
  readonly onSignedOut?: (why: SysError) => void;
  readonly settings?: Partial<RemoteSettings>;
}

export interface RemoteSettings {
  readonly retryMs: number;
  readonly retryMsMax: number;
  /** How long a server may be away that has not answered yet: a restart takes about two seconds. */
  readonly firstMs: number;
  /** How long a call waits for a server that was there. */
  readonly againMs: number;
  readonly helloMs: number;
  readonly helloMsMax: number;
}

const SETTINGS: RemoteSettings = {
  retryMs: 50,
  retryMsMax: 10_000,
  firstMs: 10_000,
  againMs: 300_000,
  helloMs: 2000,
  helloMsMax: 10_000,
};
/** A kernel that leaves for the next one is not reported before. */
const RESTART_MS = 1000;

export function openRemoteSys(options: RemoteOptions): Sys {
  const { clock, random, classOf } = options;
  const never = async () => {};
  const finder = new RemoteFinder(options);
  const sys = new KernelSys(
    { clock, random, classOf, readSys: async () => null, showedInterrupted: () => false, startKernel: never },
    finder,
  );
  return {
    call: <Result>(name: string, args: object, asked?: CallOptions) =>
      sys.call<Result>(name, args, asked).catch((error) => {
        throw finder.explained(error);
      }),
    on: (filter, listener) => sys.on(filter, listener),
    close: () => sys.close(),
  };
}

class RemoteFinder implements Finder {
  readonly isSilent = false;
  readonly comesBack = true;
  private readonly settings: RemoteSettings;
  private refused: SysError | null = null;
  private wasThere = false;
  private isCut = false;
  private failures = 0;
  private kernel: KernelIdentity | null = null;

  constructor(private readonly options: RemoteOptions) {
    this.settings = { ...SETTINGS, ...options.settings };
  }

  async probe(): Promise<Link | null> {
    try {
      return await this.link();
    } catch (error) {
      if (error instanceof ConnectionLost) return null;
      throw error;
    }
  }

  async ensure(mayStart: () => void): Promise<Link> {
    const { clock } = this.options;
    const { firstMs, againMs, retryMs, retryMsMax } = this.settings;
    const since = clock.mono();
    const deadline = since + (this.wasThere ? againMs : firstMs);
    for (let wait = retryMs; ; wait = Math.min(wait * 2, retryMsMax)) {
      try {
        return await this.link();
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        this.mayRetry(mayStart);
        if (clock.mono() - since > RESTART_MS) this.cut();
        if (clock.mono() + wait > deadline) throw this.away();
      }
      await clock.sleep(wait);
    }
  }

  private async link(): Promise<Link> {
    // A wrong token is not retried, because each attempt counts towards the lockout.
    if (this.refused !== null) throw this.refused;
    const { helloMs, helloMsMax } = this.settings;
    try {
      const link = this.speaking(await dialWebsocket(this.options, Math.min(helloMs * 2 ** this.failures, helloMsMax)));
      this.failures = 0;
      this.there(link);
      return link;
    } catch (error) {
      this.failures = Math.min(this.failures + 1, 10);
      if (!(error instanceof SysError) || error.code !== "EAUTH") throw error;
      throw this.signedOut(error);
    }
  }

  private signedOut(error: SysError): SysError {
    const isFirst = this.refused === null;
    this.refused ??= withSignIn(error, this.options.server.url);
    if (isFirst && this.wasThere) this.options.onSignedOut?.(this.refused);
    return this.refused;
  }

  private there(link: Link): void {
    this.wasThere = true;
    if (this.isCut) this.options.onLine?.("back");
    this.isCut = false;
    void link.ended.then(() => {
      if (link.fault instanceof SysError && link.fault.code === "EAUTH") this.signedOut(link.fault);
      else if (link.isLost && link.leaving === null) this.cut();
    });
  }

  /** Throws if the kernel was stopped: nothing here can start it. */
  private mayRetry(mayStart: () => void): void {
    try {
      mayStart();
    } catch (error) {
      if (error instanceof SysError && error.code === "EAGAIN") this.cut();
      throw error;
    }
  }

  private cut(): void {
    if (this.isCut || !this.wasThere) return;
    this.isCut = true;
    this.options.onLine?.("lost");
  }

  private away(): SysError {
    const { name, url } = this.options.server;
    return new SysError("EAGAIN", `${name} does not answer`, [`at ${url}; on that computer: gsv serve status`]);
  }

  private speaking(link: Link): Link {
    const { server, info } = this.options;
    const fault = protocolFault(info, link.kernel, server.name);
    if (fault === null) {
      this.kernel = link.kernel;
      return link;
    }
    link.close();
    throw fault;
  }

  /** A call or argument that only one of two builds has names the one to update. */
  explained(error: unknown): unknown {
    const { server, info } = this.options;
    const there = this.kernel?.version ?? info.version;
    if (error instanceof SysError && error.code === "EAUTH" && this.refused !== null) return this.refused;
    if (!(error instanceof SysError) || there === info.version || !UNKNOWN.test(error.message)) return error;
    const isOlder = Bun.semver.order(info.version, there) < 0;
    return new SysError(error.code, `${error.message} (gsv ${there} on ${server.name}, ${info.version} here)`, [
      updateHint(isOlder, server.name),
    ]);
  }
}

/** How dispatch refuses what it does not know. */
const UNKNOWN = /^no such syscall: |unknown argument "/;

/** The hints of the kernel are for its own computer. */
function withSignIn(error: SysError, url: string): SysError {
  if (!/\b(?:token|login)\b/.test(error.message)) return error;
  return new SysError("EAUTH", error.message, [`sign in again: gsv login ${url}`]);
}

type Speaker = Pick<ClientInfo, "version" | "protocol">;

/** Null if both have a version of the protocol in common. Otherwise the error says which side to update. */
export function protocolFault(here: Speaker, there: Speaker, name: string): SysError | null {
  const { protocol: ours = PROTOCOL } = here;
  const { protocol: theirs = PROTOCOL } = there;
  if (commonProtocol(ours, theirs) !== null) return null;
  return new SysError(
    "ECONFIG",
    `gsv ${here.version} here and ${there.version} on ${name} do not understand each other`,
    [`${updateHint(ours.newest < theirs.oldest, name)} (${protocolText(ours)} here, ${protocolText(theirs)} there)`],
  );
}

function updateHint(isOlderHere: boolean, name: string): string {
  return isOlderHere ? "update gsv on this computer" : `update gsv on ${name}`;
}
