// Websocket clients that do not read: they slow only themselves, the kernel keeps little for them, and they learn where to read again.

import { expect, test } from "bun:test";
import type { Signal } from "../../src/abi/signal.ts";
import { delta, FakeDoor, info, text, until } from "../support/door.ts";
import { listening } from "../support/listening.ts";
import { rawWebsocket } from "../support/raw-websocket.ts";

const HELLO = `${JSON.stringify({ kind: "hello", ...info() })}\n`;
const FOLLOW = `${JSON.stringify({ kind: "sub", id: 1, filter: {} })}\n`;
const SIGNALS = 4000;
const SIGNAL_CHARS = 8000;
/** 32 MB are sent. The system takes a few of them, and the queue one. */
const KEPT_BYTES = 16 * 1024 * 1024;

test("a client that does not read gets a resync at the end, and one that reads misses nothing meanwhile", async () => {
  const door = new FakeDoor();
  const listener = listening(door);
  const port = Number(new URL(listener.url).port);
  const follow = async () => {
    const peer = await rawWebsocket(port, "right");
    const got = { bytes: 0, last: "", hasResync: false };
    peer.socket.on("data", (bytes) => {
      got.bytes += bytes.length;
      got.last = got.last.slice(-20_000) + bytes.toString("latin1");
      got.hasResync ||= got.last.includes('"name":"resync"');
    });
    peer.send(HELLO);
    await until("hello is answered", () => got.last.includes("helloOk"));
    const before = door.listening;
    peer.send(FOLLOW);
    await until("it follows", () => door.listening === before + 1);
    return { ...peer, got };
  };
  const [stuck, quick] = [await follow(), await follow()];
  stuck.socket.pause();
  for (let seq = 1; seq <= SIGNALS; seq++) {
    const signals: Signal[] = [delta(`${seq} `, { turn: seq }), text(seq, { text: "x".repeat(SIGNAL_CHARS) })];
    for (const signal of signals) door.emit(signal);
    if (seq % 50 === 0) await until("the quick one keeps up", () => quick.got.last.includes(`"seq":${seq},`));
  }
  expect(quick.got.bytes).toBeGreaterThan(SIGNALS * SIGNAL_CHARS);
  expect(quick.got.hasResync).toBe(false);
  expect(listener.clients).toBe(2);
  stuck.socket.resume();
  await until(
    "it gets a resync and the newest",
    () => stuck.got.hasResync && stuck.got.last.includes(`"seq":${SIGNALS},`),
  );
  expect(stuck.got.bytes).toBeLessThan(KEPT_BYTES);
  for (const { socket } of [stuck, quick]) socket.destroy();
  await listener.close();
});
