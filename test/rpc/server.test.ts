import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { realClock } from "../../src/lib/clock.ts";
import { Listeners } from "../../src/rpc/listeners.ts";
import { PROTOCOL } from "../../src/rpc/protocol.ts";
import { delta, info, text, until } from "../support/door.ts";
import { rejection } from "../support/refusal.ts";
import { cleanUp, client, helloLine, kernel, raw } from "../support/wire.ts";

afterEach(cleanUp);

describe("saying hello", () => {
  test("the server sees exactly the client's hello, and the client learns the owner of the kernel", async () => {
    const { socketPath, door } = await kernel();
    const link = await client(socketPath, { env: { GSV_MODEL: "offline" } });
    expect(link.kernel).toEqual({ version: "1.0.0", protocol: PROTOCOL, pid: 77, exe: "/opt/gsv" });
    expect(door.clients).toEqual([info({ protocol: PROTOCOL, env: { GSV_MODEL: "offline" } })]);
  });

  test("a refused client gets the reason and is disconnected", async () => {
    const { socketPath, door, server } = await kernel();
    door.refuseWith = new SysError("EACCES", "this home is not yours", ["use your own"]);
    const error = await rejection(client(socketPath));
    expect([error.code, error.message, error.hints]).toEqual(["EACCES", "this home is not yours", ["use your own"]]);
    await until("the connection is gone", () => server.clients === 0);
  });

  test("a silent connection is closed after the deadline", async () => {
    const { socketPath, server } = await kernel({ helloMs: 20 });
    const peer = await raw(socketPath);
    await until("it is counted", () => server.clients === 1);
    await until("it is gone", () => peer.closed() && server.clients === 0);
  });

  test("calls before hello, a second hello and plain nonsense end that connection and no other", async () => {
    const { socketPath } = await kernel();
    const link = await client(socketPath);
    const lines = [
      '{"kind":"req","id":1,"name":"echo","args":{}}\n',
      "GET / HTTP/1.1\r\n\r\n",
      `${helloLine}${helloLine}`,
    ];
    for (const line of lines) {
      const peer = await raw(socketPath);
      peer.socket.write(line);
      await until("it is refused and closed", () => peer.closed());
      expect(peer.received()).toContain('"code":"EPROTO"');
    }
    expect(await link.call("echo", { still: "here" })).toEqual({ still: "here" });
  });

  test("a frame cut at every byte arrives whole", async () => {
    const { socketPath } = await kernel();
    const peer = await raw(socketPath);
    for (const byte of Buffer.from(helloLine)) peer.socket.write(Uint8Array.of(byte)); // not peer.hello(), on purpose
    await until("hello is answered", () => peer.received().includes("helloOk"));
    for (const byte of Buffer.from('{"kind":"req","id":1,"name":"echo","args":{"a":"❄"}}\n')) {
      peer.socket.write(Uint8Array.of(byte));
    }
    await until("the call is answered", () => peer.received().includes('{"kind":"res","id":1,"value":{"a":"❄"}}'));
  });
});

describe("calls", () => {
  test("after a fault inside the kernel the client learns only that, and the log the cause", async () => {
    const { socketPath, faults } = await kernel();
    const error = await rejection((await client(socketPath)).call("crash", {}));
    expect(error.code).toBe("EIO");
    expect(error.message).not.toContain("secret");
    expect(String(faults[0])).toContain("secret inner detail");
  });

  test("an answer too big for a frame is EFBIG, arguments too big never leave", async () => {
    const { socketPath, door } = await kernel();
    const link = await client(socketPath);
    expect(await link.call("big", { bytes: 900_000 })).toHaveLength(900_000);
    expect((await rejection(link.call("big", { bytes: 2_000_000 }))).code).toBe("EFBIG");
    const { code, hints } = await rejection(link.call("echo", { text: "x".repeat(2_000_000) }));
    expect([code, hints.join()]).toEqual(["EFBIG", expect.stringContaining("put it in a file, and name that file")]);
    expect(door.calls.map((call) => call.name)).toEqual(["big", "big"]);
    expect(await link.call("nothing", {})).toBeNull();
  });

  test("a client that leaves ends its waits and its listeners; its keyed calls learn it, and continue", async () => {
    const { socketPath, door, server } = await kernel();
    const link = await client(socketPath);
    link.on({}, () => {});
    link.call("wait", {}).catch(() => {});
    link.call("slowCount", {}, { requestId: "k1" }).catch(() => {});
    await until("both arrived", () => door.calls.length === 2);
    link.close();
    await until("it is gone", () => server.clients === 0);
    expect(door.aborted.toSorted()).toEqual(["slowCount", "wait"]);
    expect(door.listening).toBe(0);
    expect(door.closes).toBe(0);
    door.release();
    await until("its Sys is closed after the keyed call", () => door.closes === 1);
    expect(door.state.done.has("k1")).toBe(true);
  });

  test("cancel ends a wait at the kernel and leaves keyed calls alone", async () => {
    const { socketPath, door } = await kernel();
    const link = await client(socketPath);
    const stop = new AbortController();
    const calls = ["wait", "slowCount"].map((name) =>
      rejection(link.call(name, {}, { signal: stop.signal, requestId: name })),
    );
    await until("both arrived", () => door.calls.length === 2);
    stop.abort();
    expect((await Promise.all(calls)).map((error) => error.code)).toEqual(["ECANCELED", "ECANCELED"]);
    await until("the wait ended", () => door.aborted.length === 1);
    expect(door.aborted).toEqual(["wait"]);
    door.release();
    await until("the keyed one was carried out", () => door.state.counter === 1);
  });

  test("a client that sends without reading is throttled, and all others are served", async () => {
    const { socketPath, door } = await kernel();
    const peer = await raw(socketPath);
    await peer.hello();
    peer.socket.pause();
    let sent = 0;
    const line = (id: number) => `{"kind":"req","id":${id},"name":"big","args":{"bytes":900000}}\n`;
    for (; sent < 200; sent++) if (peer.socket.write(line(sent)) < line(sent).length) break;
    const link = await client(socketPath);
    for (let n = 0; n < 50; n++) expect(await link.call("echo", { n })).toEqual({ n });
    expect(sent).toBe(200);
    const asked = () => door.calls.filter((call) => call.name === "big").length;
    expect(asked()).toBeGreaterThan(0);
    expect(asked()).toBeLessThan(40);
    peer.socket.resume();
    await until("all 200 are answered once it reads", () => asked() === 200);
  });
});

test("the server notices that a client leaves while it does not read", async () => {
  const { socketPath, server } = await kernel();
  const peer = await raw(socketPath);
  await peer.hello();
  peer.socket.pause();
  for (let id = 0; id < 50; id++) peer.socket.write(`{"kind":"req","id":${id},"name":"big","args":{"bytes":900000}}\n`);
  await (await client(socketPath)).call("echo", {});
  expect(server.clients).toBe(2);
  peer.socket.terminate();
  await until("it is gone", () => server.clients === 1);
});

describe("signals", () => {
  const last = (heard: Signal[]) => {
    const signal = heard.at(-1);
    return signal !== undefined && "seq" in signal ? signal.seq : 0;
  };

  test("a slow reader slows only itself and learns where to read again", async () => {
    const { socketPath, door } = await kernel();
    const slow = await raw(socketPath);
    await slow.hello();
    slow.socket.write('{"kind":"sub","id":1,"filter":{}}\n');
    await until("it listens", () => door.listening === 1);
    slow.socket.pause();
    const heard: Signal[] = [];
    (await client(socketPath)).on({ names: ["chat.*"] }, (signal) => heard.push(signal));
    await until("both listen", () => door.listening === 2);
    const before = process.memoryUsage.rss();
    for (let seq = 1; seq <= 4000; seq++) {
      door.emit(delta(`${seq} `, { turn: seq }));
      door.emit(text(seq, { text: "x".repeat(8000) }));
      if (seq % 50 === 0) await until("the quick one keeps up", () => last(heard) === seq);
    }
    expect(heard.filter((signal) => signal.name === "resync")).toEqual([]);
    expect(heard.filter((signal) => signal.name === "chat.text")).toHaveLength(4000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024);
    slow.socket.resume();
    await until("the slow one is told", () => slow.received().includes('"name":"resync"'));
  });
});

describe("the limits of one kernel", () => {
  test("clients beyond the limit get an error and are disconnected, and are accepted once others have left", async () => {
    const { socketPath, server } = await kernel({ connectionsMax: 2 });
    const [first] = [await client(socketPath), await client(socketPath)];
    const error = await rejection(client(socketPath));
    expect([error.code, error.message]).toEqual(["EAGAIN", "the kernel already has 2 clients, the maximum"]);
    first.close();
    await until("there is room", () => server.clients === 1);
    expect(await (await client(socketPath)).call("echo", { a: 1 })).toEqual({ a: 1 });
  });

  test("clients that connect again and again without a word cost nothing", async () => {
    const { socketPath, server } = await kernel({ connectionsMax: 2 });
    const peers = await Promise.all(Array.from({ length: 20 }, () => raw(socketPath)));
    await until("all but a few are gone", () => peers.filter((peer) => !peer.closed()).length <= 4);
    expect(server.clients).toBeLessThanOrEqual(4);
  });

  test("a client with too many waits at once gets an error for the one too many", async () => {
    const { socketPath } = await kernel();
    const link = await client(socketPath);
    const waits = Array.from({ length: LIMITS.waitsPerConnectionMax }, () => link.call("wait", {}).catch(() => null));
    const error = await rejection(link.call("wait", {}));
    expect([error.code, error.message]).toEqual([
      "EAGAIN",
      expect.stringContaining(String(LIMITS.waitsPerConnectionMax)),
    ]);
    expect(await link.call("echo", { still: "here" })).toEqual({ still: "here" });
    link.close();
    await Promise.all(waits);
  });

  test("a client with too many listeners loses that connection with the reason; gsv's own refuses before", async () => {
    const { socketPath } = await kernel();
    const link = await client(socketPath);
    for (let n = 0; n < LIMITS.subscriptionsPerConnectionMax; n++) link.on({}, () => {});
    expect(await link.call("echo", { a: 1 })).toEqual({ a: 1 });
    link.on({}, () => {});
    const error = await rejection(link.call("echo", { a: 2 }));
    expect([error.code, error.message]).toEqual(["EAGAIN", expect.stringContaining("already has 256 subscriptions")]);
    const listeners = new Listeners(realClock);
    for (let n = 0; n < LIMITS.subscriptionsPerConnectionMax; n++) listeners.add({}, () => {}, null);
    expect(() => listeners.add({}, () => {}, null)).toThrow("already has 256 subscriptions");
  });
});

describe("a socket that was removed", () => {
  test("is restored in its place, and connected clients stay connected", async () => {
    const { socketPath, server } = await kernel();
    const link = await client(socketPath);
    for (const damage of [() => rmSync(socketPath), () => writeFileSync(`${socketPath}.x`, "")]) {
      damage();
      if (existsSync(`${socketPath}.x`)) renameSync(`${socketPath}.x`, socketPath);
      server.keepReachable();
      expect(await (await client(socketPath)).call("echo", { new: "client" })).toEqual({ new: "client" });
      expect(await link.call("echo", { old: "client" })).toEqual({ old: "client" });
    }
    await server.close();
    expect(existsSync(socketPath)).toBe(false);
  });

  test("in a directory of its own comes back with it, and the directory goes when the kernel does", async () => {
    const directory = join(mkdtempSync(join(tmpdir(), "gsv-place-")), "place");
    const place = {
      make: () => void mkdirSync(directory, { recursive: true }),
      leave: () => rmSync(dirname(directory), { recursive: true }),
    };
    const socketPath = join(directory, "kernel.sock");
    const { server } = await kernel({ socketPath, place });
    rmSync(directory, { recursive: true });
    server.keepReachable();
    expect(await (await client(socketPath)).call("echo", { a: 1 })).toEqual({ a: 1 });
    await server.close();
    expect(existsSync(dirname(directory))).toBe(false);
  });
});
