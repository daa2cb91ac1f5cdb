// The login of a remote client ends while it is connected: every call gets the reason, and nothing is dialled again.

import { expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { realClock } from "../../src/lib/clock.ts";
import { openRemoteSys } from "../../src/rpc/remote.ts";
import { classOf, FakeDoor, info, until } from "../support/door.ts";
import { listening, serverAt } from "../support/listening.ts";
import { seeded } from "../support/random.ts";
import { rejection } from "../support/refusal.ts";

async function connected(work: (client: Client) => Promise<void>): Promise<void> {
  const ends: ((why: SysError) => void)[] = [];
  const door = new FakeDoor();
  const listener = listening(door, { ends });
  const [reasons, lines] = [[] as SysError[], [] as string[]];
  const sys = openRemoteSys({
    ...{ server: serverAt(listener.url), proxy: null, info: info(), clock: realClock, random: seeded(1).bytes },
    classOf: async (name) => classOf(name),
    onLine: (state) => lines.push(state),
    onSignedOut: (why) => reasons.push(why),
  });
  await sys.call("echo", {});
  await work({
    sys,
    door,
    reasons,
    lines,
    hint: `sign in again: gsv login ${listener.url}`,
    end: (why) => ends[0]?.(why),
  });
  await sys.close();
  await listener.close();
}

interface Client {
  readonly sys: Sys;
  readonly door: FakeDoor;
  readonly reasons: readonly SysError[];
  readonly lines: readonly string[];
  readonly hint: string;
  readonly end: (why: SysError) => void;
}

const REVOKED = new SysError("EAUTH", "this login was revoked");

test("a listener learns the reason at once, and no line is reported as lost", () =>
  connected(async ({ sys, door, reasons, lines, hint, end }) => {
    sys.on({}, () => {});
    end(REVOKED);
    await until("the reason comes", () => reasons.length > 0);
    expect(reasons.map(({ message, hints }) => [message, hints])).toEqual([["this login was revoked", [hint]]]);
    await rejection(sys.call("echo", {}));
    expect([lines, door.clients.length, reasons.length]).toEqual([[], 1, 1]);
  }));

test("a call that waits fails with the reason, and so does the next one", () =>
  connected(async ({ sys, door, hint, end }) => {
    const waiting = rejection(sys.call("wait", {}));
    await until("it waits", () => door.releases.length > 0);
    end(REVOKED);
    for (const error of [await waiting, await rejection(sys.call("count", {}))])
      expect([error.code, error.message, error.hints]).toEqual(["EAUTH", "this login was revoked", [hint]]);
    expect(door.clients.length).toBe(1);
  }));
