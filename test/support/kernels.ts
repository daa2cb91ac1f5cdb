// A home with fake doors as kernels behind a real socket: they can be started, killed without a word, asked to leave and replaced,
// in this process, and `open` gives a Sys that finds and starts them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LeaveReason, Sys } from "../../src/abi/sys.ts";
import { realClock } from "../../src/lib/clock.ts";
import { type OpenOptions, openSys } from "../../src/rpc/connect.ts";
import { type Server, serve } from "../../src/rpc/server.ts";
import { classOf, FakeDoor, freshState, info } from "./door.ts";
import { seeded } from "./random.ts";

export class FakeHome {
  readonly directory = mkdtempSync(join(tmpdir(), "gsv-home-"));
  readonly socketPath = join(this.directory, "kernel.sock");
  readonly state = freshState();
  readonly doors: FakeDoor[] = [];
  starts = 0;
  private server: Server | null = null;
  private readonly opened: Sys[] = [];

  get door(): FakeDoor {
    const door = this.doors.at(-1);
    if (door === undefined) throw new Error("no kernel was ever up");
    return door;
  }

  get clients(): number {
    return this.server?.clients ?? 0;
  }

  async up(version = "1.0.0"): Promise<FakeDoor> {
    const door = new FakeDoor(this.state, version);
    door.onDrain = (why) => void this.leave(why as LeaveReason);
    const options = {
      socketPath: this.socketPath,
      clock: realClock,
      pid: 77,
      exe: `/opt/gsv-${version}`,
      closeMs: 300,
    };
    this.server = await serve({ ...options, door, classOf });
    this.doors.push(door);
    return door;
  }

  /** As kill -9 looks from outside: every connection ends, nothing in flight is answered, the path stays behind. */
  async kill(): Promise<void> {
    const server = this.server;
    this.server = null;
    await server?.close();
    await Bun.write(this.socketPath, "");
  }

  async leave(why: LeaveReason): Promise<void> {
    const server = this.server;
    this.server = null;
    server?.bye(why);
    await server?.close();
  }

  open(patch: Partial<OpenOptions> = {}): Sys {
    const sys = openSys({
      socketPath: this.socketPath,
      info: info(),
      exe: "/opt/gsv-1.0.0",
      clock: realClock,
      random: seeded(7 + this.opened.length).bytes,
      classOf,
      readSys: async () => null,
      startKernel: async () => {
        this.starts++;
        await this.up();
        return { status: 0, says: null };
      },
      showedInterrupted: () => false,
      holderPid: () => 4242,
      isSuspended: async () => true,
      ...patch,
    });
    this.opened.push(sys);
    return sys;
  }

  async close(): Promise<void> {
    for (const sys of this.opened) await sys.close();
    await this.server?.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** A view that answers reads without a kernel. */
export function readView(answers: (name: string, args: object) => unknown): Sys & { closes: number } {
  const view = {
    closes: 0,
    call: async <Result>(name: string, args: object) => answers(name, args) as Result,
    on: () => () => {},
    close: async () => {
      view.closes++;
    },
  };
  return view;
}
