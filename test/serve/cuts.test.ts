// Clients on a line that is cut, blocked and delayed, in front of a real kernel: nothing is lost, nothing happens twice, and a cut shows soon.

import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { Signal } from "../../src/abi/signal.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { realClock } from "../../src/lib/clock.ts";
import { openRemoteSys } from "../../src/rpc/remote.ts";
import type { Listener } from "../../src/serve/listener.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { CuttableLine } from "../support/cuttable.ts";
import { classOf, FakeDoor, info, text, until } from "../support/door.ts";
import { TestKernel } from "../support/kernel.ts";
import { listening, serverAt } from "../support/listening.ts";
import { seeded } from "../support/random.ts";
import { SEED, samples } from "../support/soak.ts";

const CLIENTS = 20;
const SENDS = samples(100, 1000);
const CUTS = samples(30, 300);
/** A blocked line shows after two seconds only. */
const BLOCKS_ONE_IN = samples(30, 6);

const over: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of over.splice(0).reverse()) await end();
});

async function laid(): Promise<CuttableLine> {
  const line = await CuttableLine.lay();
  over.push(() => line.close());
  return line;
}

/** A listener at the end of the line, on the same port as one before it. */
function served(line: CuttableLine, door: FakeDoor, more: Partial<Parameters<typeof listening>[1]> = {}): Listener {
  const listener = listening(door, { at: `127.0.0.1:${line.port}`, hosts: [line.host], ...more });
  line.port = Number(new URL(listener.url).port);
  over.push(() => listener.close());
  return listener;
}

function clientOn(line: CuttableLine, more: Partial<Parameters<typeof openRemoteSys>[0]> = {}): Sys {
  const sys = openRemoteSys({
    ...{ server: serverAt(`http://${line.host}`), proxy: null, info: info(), clock: realClock },
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    classOf: async (name) => SYSCALLS.get(name)?.class ?? classOf(name),
    ...more,
  });
  over.push(() => sys.close());
  return sys;
}

function queuedIn(home: TestKernel, pid: string): readonly string[] {
  using db = new Database(join(home.paths.procDir, `${pid}.db`), { readonly: true });
  return db
    .query<{ message: string }, []>("SELECT message FROM message_queue ORDER BY id")
    .all()
    .map(({ message }) => message);
}

test(`${CUTS} cuts during ${SENDS} messages of ${CLIENTS} clients lose none and store none twice`, async () => {
  await using home = await TestKernel.boot();
  const { pid } = await home.sys.call<{ pid: string }>("proc.spawn", { label: "target" });
  await home.sys.call("proc.signal", { pid, signal: "STOP" });
  const line = await laid();
  served(line, new FakeDoor(), {
    accept: (client) => home.kernel.accept(client),
    connection: { clock: realClock, pid: 1, exe: "gsv", classOf: (name) => SYSCALLS.get(name)?.class },
  });
  const random = seeded(SEED);
  let [sent, cuts] = [0, 0];
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const sys = clientOn(line);
    for (let nth = client; nth < SENDS; nth += CLIENTS) {
      await sys.call("proc.send", { pid, message: `message ${nth}` });
      sent++;
      // Messages and cuts keep pace with each other.
      await until("the line is cut", () => cuts * SENDS >= (sent - CLIENTS) * CUTS, 60_000);
    }
  });
  const cutter = (async () => {
    for (; cuts < CUTS; cuts++) {
      await until("messages are sent", () => cuts * SENDS <= sent * CUTS, 60_000);
      line.delayMs = random.int(4) === 0 ? random.int(20) : 0;
      if (cuts % BLOCKS_ONE_IN === BLOCKS_ONE_IN - 1) line.block(random.int(CLIENTS));
      else line.cut(random.int(3) === 0 ? undefined : random.int(CLIENTS));
    }
  })();
  await Promise.all([...clients, cutter]);
  expect(line.carried).toBeGreaterThan(CLIENTS + CUTS / 2);
  const stored = queuedIn(home, pid);
  const wanted = Array.from({ length: SENDS }, (_, nth) => `message ${nth}`);
  expect(stored.toSorted()).toEqual(wanted.toSorted());
}, 120_000);

test("a blocked line shows while a call is open, and the call is answered on the next line", async () => {
  const door = new FakeDoor();
  const line = await laid();
  served(line, door);
  const states: string[] = [];
  const sys = clientOn(line, { onLine: (state) => states.push(state) });
  const heard: Signal[] = [];
  sys.on({ pid: "task:abc123" }, (signal) => heard.push(signal));
  await sys.call("echo", {});
  const call = sys.call<number>("slowCount", {});
  await until("it arrived", () => door.calls.some(({ name }) => name === "slowCount"));
  door.emit(text(7));
  await until("it is heard", () => heard.length === 1);
  line.block();
  await until("the cut shows", () => states[0] === "lost");
  await until("it is asked again, and the line is back", () => states[1] === "back" && door.releases.length === 2);
  door.release();
  expect(await call).toBe(1);
  const ids = door.calls.filter(({ name }) => name === "slowCount").map(({ options }) => options.requestId);
  expect([ids.length, new Set(ids).size, door.state.counter]).toEqual([2, 1, 1]);
  expect(heard.filter(({ name }) => name === "resync")).toMatchObject([{ afterSeq: 7 }]);
});

test("after the kernel was stopped, a listener comes back with the next one; a call is EAGAIN", async () => {
  const door = new FakeDoor();
  const line = await laid();
  const first = served(line, door);
  const states: string[] = [];
  const sys = clientOn(line, { onLine: (state) => states.push(state) });
  sys.on({ pid: "task:abc123" }, () => {});
  await sys.call("echo", {});
  first.bye("stop");
  await first.close();
  await until("it shows", () => states[0] === "lost");
  expect(await sys.call("count", {}).catch((error: Error) => error)).toMatchObject({ code: "EAGAIN" });
  served(line, door);
  await until("it is back", () => states[1] === "back");
  expect(await sys.call<number>("count", {})).toBe(1);
});

test("a kernel that leaves for the next one shows nothing, and the call goes on there", async () => {
  const door = new FakeDoor();
  const line = await laid();
  const first = served(line, door);
  const states: string[] = [];
  const sys = clientOn(line, { onLine: (state) => states.push(state) });
  await sys.call("echo", {});
  const waiting = sys.call<string>("wait", {});
  await until("it waits", () => door.releases.length === 1);
  first.bye("upgrade");
  await first.close();
  // Of another version, with a range that overlaps.
  served(line, door, { version: "9.0.0", protocol: { oldest: 1, newest: 3 } });
  await until("it waits again", () => door.releases.length === 2);
  door.release();
  expect([await waiting, states]).toEqual(["released", []]);
});
