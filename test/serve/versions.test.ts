// A client and a kernel of different builds over the network: what decides is the range of protocols that each speaks.

import { afterEach, expect, test } from "bun:test";
import type { ProtocolRange, Sys } from "../../src/abi/sys.ts";
import { remoteEntry } from "../../src/client/remotes/entry.ts";
import { realClock } from "../../src/lib/clock.ts";
import { openRemoteSys } from "../../src/rpc/remote.ts";
import type { Listener } from "../../src/serve/listener.ts";
import { classOf, FakeDoor, info } from "../support/door.ts";
import { listening, serverAt } from "../support/listening.ts";
import { seeded } from "../support/random.ts";
import { rejection } from "../support/refusal.ts";

let listener: Listener;
let sys: Sys;
afterEach(async () => {
  await sys.close();
  await listener.close();
});

const { bytes: random } = seeded(1);

interface Build {
  readonly version: string;
  readonly protocol?: ProtocolRange;
}

function pair(client: Build, kernel: Build): { readonly door: FakeDoor; readonly check: () => Promise<void> } {
  const door = new FakeDoor(undefined, kernel.version);
  listener = listening(door, kernel);
  const machine = { env: {}, info: info(client), clock: realClock, random };
  sys = openRemoteSys({
    ...machine,
    server: serverAt(listener.url),
    proxy: null,
    classOf: async (name) => classOf(name),
  });
  return { door, check: () => remoteEntry(machine).check({ url: listener.url, certificate: null }) };
}

const range = (oldest: number, newest: number) => ({ protocol: { oldest, newest } });

test.each([
  ["an older kernel", { version: "1.0.0", ...range(1, 2) }, { version: "0.9.0", ...range(1, 1) }],
  ["a newer kernel", { version: "1.0.0", ...range(1, 2) }, { version: "3.0.0-rc.1", ...range(2, 5) }],
  ["a kernel that names no range", { version: "1.0.0" }, { version: "0.1.0" }],
])("works with %s, if the ranges overlap", async (_what, client, kernel) => {
  const { check } = pair(client, kernel);
  await check();
  expect([await sys.call<object>("echo", { a: 1 }), await sys.call<number>("count", {})]).toEqual([{ a: 1 }, 1]);
});

test.each([
  [
    "a kernel that is too new",
    range(1, 2),
    range(3, 4),
    "update gsv on this computer (protocols 1 to 2 here, protocols 3 to 4 there)",
  ],
  ["a kernel that is too old", range(3, 4), range(2, 2), "update gsv on box (protocols 3 to 4 here, protocol 2 there)"],
])("%s is refused before any call, by gsv login too", async (_what, ours, theirs, hint) => {
  const { door, check } = pair({ version: "1.0.0", ...ours }, { version: "2.0.0", ...theirs });
  const error = await rejection(sys.call("count", {}));
  expect([error.code, error.message]).toEqual([
    "ECONFIG",
    "gsv 1.0.0 here and 2.0.0 on box do not understand each other",
  ]);
  expect(error.hints).toEqual([hint]);
  expect(await rejection(check())).toMatchObject({ code: "ECONFIG", hints: [hint.replace("box", "127.0.0.1")] });
  expect(door.calls).toEqual([]);
});

test.each([
  ["0.9.0", "update gsv on box"],
  ["2.0.0", "update gsv on this computer"],
])("a call that a kernel of version %s does not have: %s", async (version, hint) => {
  pair({ version: "1.0.0" }, { version });
  const error = await rejection(sys.call("proc.dream", {}));
  expect([error.code, error.message, error.hints]).toEqual([
    "ENOSYS",
    `no such syscall: proc.dream (gsv ${version} on box, 1.0.0 here)`,
    [hint],
  ]);
  expect((await rejection(sys.call("fail", {}))).hints).toEqual(["gsv ps shows them"]);
});

test("an unknown call to a kernel of the same version keeps its own error", async () => {
  pair({ version: "1.0.0" }, { version: "1.0.0" });
  expect((await rejection(sys.call("proc.dream", {}))).message).toBe("no such syscall: proc.dream");
});
