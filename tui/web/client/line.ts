// The line to the kernel: one websocket with the frames and the client of src/rpc. It never gives up: it dials again with growing pauses, and
// at once when the page is shown again, when the network returns, or when the person says so. A line that carries nothing is dead.

import { SysError } from "../../../src/abi/errno.ts";
import type { RandomBytes } from "../../../src/abi/ids.ts";
import type { Sys } from "../../../src/abi/sys.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { ConnectionLost, greeted, type Link, SocketLink } from "../../../src/rpc/client.ts";
import { KernelSys } from "../../../src/rpc/connect.ts";
import type { Finder } from "../../../src/rpc/find.ts";
import { classOf } from "./call-classes.ts";

export type LineState =
  | { readonly kind: "connecting" }
  | { readonly kind: "open"; readonly version: string }
  /** `until`: the time of the next try; null during one. */
  | { readonly kind: "lost"; readonly since: number; readonly until: number | null };

export interface LineOptions {
  /** `ws://…` or `wss://…`. */
  readonly url: string;
  /** The key of this login, from the last sign-in at this origin. */
  readonly key: () => string | null;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Whether a person may look at the page: then a dead line shows within two seconds. */
  readonly isSeen: () => boolean;
  readonly onState: (state: LineState) => void;
  /** The login is over, or never was one. */
  readonly onRefused: (error: SysError) => void;
}

export interface Line {
  readonly sys: Sys;
  /** Dials now, or checks an open line now. */
  wake(): void;
  close(): void;
}

const HELLO_MS = 10_000;
const RETRY_MS_FIRST = 50;
const RETRY_MS_MAX = 5000;
const BEAT_MS = { seen: 500, hidden: 15_000 } as const;
const DEAD_MS = { seen: 1500, hidden: 5000 } as const;

export function openLine(options: LineOptions): Line {
  const { clock, random } = options;
  const finder = new SocketFinder(options);
  const never = async () => {};
  const sys = new KernelSys(
    { clock, random, classOf, readSys: async () => null, showedInterrupted: () => false, startKernel: never },
    finder,
  );
  return {
    sys,
    wake: () => finder.wake(),
    close: () => {
      finder.close();
      void sys.close();
    },
  };
}

class SocketFinder implements Finder {
  readonly isSilent = false;
  private state: LineState = { kind: "connecting" };
  private wakeUp: () => void = () => {};
  private link: SocketLink | null = null;
  private cancelBeat: () => void = () => {};
  private closed = false;

  constructor(private readonly options: LineOptions) {}

  async probe(): Promise<Link | null> {
    return await this.ensure(() => {});
  }

  async ensure(mayStart: () => void): Promise<Link> {
    const { clock } = this.options;
    for (let pause = RETRY_MS_FIRST; ; pause = Math.min(pause * 2, RETRY_MS_MAX)) {
      try {
        return await this.dialled();
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw this.refused(error);
        if (this.closed) throw new SysError("ECANCELED", "signed out");
        mayStart();
      }
      this.lost(clock.now() + pause);
      const woken = new AbortController();
      this.wakeUp = () => woken.abort();
      await clock.sleep(pause, woken.signal);
      // A person, or the network, says that it may work now.
      if (woken.signal.aborted) pause = RETRY_MS_FIRST;
      this.lost(null);
    }
  }

  wake(): void {
    this.wakeUp();
    if (this.link !== null) this.beat(DEAD_MS.seen);
  }

  close(): void {
    this.closed = true;
    this.cancelBeat();
    this.wakeUp();
  }

  private async dialled(): Promise<Link> {
    const { clock } = this.options;
    const link = new SocketLink(clock);
    const connected = await connect(link, this.options);
    this.link = link;
    this.set({ kind: "open", version: connected.kernel.version });
    this.nextBeat();
    void link.ended.then(() => {
      if (this.link !== link) return;
      this.link = null;
      this.cancelBeat();
      // The kernel has ended the login.
      if (link.fault instanceof SysError) this.refused(link.fault);
      else this.lost(null);
    });
    return connected;
  }

  private nextBeat(): void {
    this.cancelBeat();
    const mode = this.options.isSeen() ? "seen" : "hidden";
    this.cancelBeat = this.options.clock.after(BEAT_MS[mode], () => this.beat(DEAD_MS[mode]));
  }

  /** Any answer will do, a refusal too. */
  private beat(deadMs: number): void {
    const { link } = this;
    if (link === null) return;
    this.cancelBeat();
    const cancel = this.options.clock.after(deadMs, () => link.lost(new ConnectionLost("closed", "the line is dead")));
    const answered = () => {
      cancel();
      if (this.link === link) this.nextBeat();
    };
    link.call("sys.version", {}).then(answered, answered);
  }

  private lost(until: number | null): void {
    const since = this.state.kind === "lost" ? this.state.since : this.options.clock.now();
    this.set(this.state.kind === "connecting" && until === null ? this.state : { kind: "lost", since, until });
  }

  private set(state: LineState): void {
    // A socket may still open after the person has signed out.
    if (this.closed) return;
    this.state = state;
    this.options.onState(state);
  }

  private refused(error: unknown): unknown {
    if (error instanceof SysError) this.options.onRefused(error);
    return error;
  }
}

async function connect(link: SocketLink, { url, key, clock, random }: LineOptions): Promise<Link> {
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  const end = {
    write(bytes: Uint8Array) {
      if (socket.readyState !== WebSocket.OPEN) return -1;
      socket.send(bytes as Uint8Array<ArrayBuffer>);
      return bytes.length;
    },
    end: () => socket.close(),
    terminate: () => socket.close(),
  };
  const clientId = `console ${[...random(6)].map((byte) => byte.toString(36)).join("")}`;
  const info = { clientId, version: "console", cwd: "/", env: {} };
  socket.onopen = () => link.opened(end, info, loginOf(key()));
  socket.onmessage = ({ data }) => link.received(new Uint8Array(data as ArrayBuffer));
  socket.onclose = () => link.lost(new ConnectionLost("closed", "the line was cut"));
  return await greeted(link, { info, clock, helloMs: HELLO_MS });
}

function loginOf(key: string | null): { readonly key: string } | undefined {
  return key === null ? undefined : { key };
}
