// What waits for a reader of events stays within limits, whatever comes and however slowly it reads.

import { afterEach, expect, test } from "bun:test";
import { connect } from "node:net";
import type { Signal } from "../../src/abi/signal.ts";
import { Cursor } from "../../src/serve/api/event-cursor.ts";
import { EventFeed } from "../../src/serve/api/event-feed.ts";
import type { Listener } from "../../src/serve/listener.ts";
import { delta, FakeDoor, text } from "../support/door.ts";
import { until } from "../support/io.ts";
import { listening } from "../support/listening.ts";

const ALL = { wants: () => true, wantsMessages: true };

function waiting(feed: EventFeed) {
  const items = [];
  for (let item = feed.take(); item !== undefined; item = feed.take()) items.push(item);
  return items;
}

test("pieces of one text are joined, and a message is noted by its number only", () => {
  const feed = new EventFeed(ALL);
  for (const signal of [delta("a"), delta("b"), text(4), text(5), delta("c", { turn: 2 })]) feed.hear(signal);
  expect(waiting(feed)).toMatchObject([
    { kind: "delta", delta: { text: "ab" } },
    { kind: "grown", pid: "task:abc123", seq: 5 },
    { kind: "delta", delta: { text: "c" } },
  ]);
  expect(feed.size).toEqual({ items: 0, bytes: 0 });
});

test("a full feed drops pieces of text first, then signals, and names the processes to look at", () => {
  const feed = new EventFeed({ ...ALL, itemsMax: 100, bytesMax: 20_000 });
  const pids = Array.from({ length: 30 }, (_, number) => `task:aaaa${String(number).padStart(2, "0")}`);
  for (let round = 0; round < 1000; round++)
    for (const pid of pids) {
      feed.hear(delta("x".repeat(100), { pid }));
      feed.hear(text(round, { pid }));
      feed.hear({ ...(text(round, { pid }) as object), name: "process.mode", mode: "ask" } as unknown as Signal);
      expect(feed.size.items).toBeLessThanOrEqual(130);
      expect(feed.size.bytes).toBeLessThanOrEqual(21_000);
    }
  const items = waiting(feed);
  expect(items.filter(({ kind }) => kind === "dropped").length).toBe(1);
  expect(new Set(items.flatMap((item) => (item.kind === "grown" ? [item.pid] : [])))).toEqual(new Set(pids));
});

test("a cursor lists processes with recent messages only, and reads back as the same", () => {
  const cursor = Cursor.ofAll(0);
  for (let at = 0; at < 600_000; at += 1000) {
    cursor.reached(`task:${String(at / 1000).padStart(6, "0")}`, 7, at);
    cursor.shorten(at);
  }
  expect(cursor.pids.length).toBeLessThanOrEqual(92);
  expect(cursor.since).toBeGreaterThan(500_000);
  expect(Cursor.parse(cursor.text, null, 600_000).text).toBe(cursor.text);
});

let listener: Listener | null = null;
afterEach(() => listener?.close());

test("a reader that does not read costs the kernel no memory, and hears that signals were dropped", async () => {
  const door = new FakeDoor();
  listener = listening(door);
  const { hostname, port } = new URL(listener.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET /api/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer right\r\n\r\n`);
  await until(() => door.listening > 0);
  socket.pause();
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  const piece = "x".repeat(64 * 1024);
  for (let turn = 0; turn < 2000; turn++) {
    door.emit(delta(piece, { turn }));
    door.emit({ ...(delta(piece) as object), name: "process.budget", of: null, share: 1 } as unknown as Signal);
    if (turn % 50 === 0) await Bun.sleep(1);
  }
  Bun.gc(true);
  // 250 MB were said.
  expect(process.memoryUsage.rss() - before).toBeLessThan(80 * 2 ** 20);
  let last = "";
  let isTold = false;
  socket.on("data", (chunk) => {
    isTold ||= `${last}${chunk.toString()}`.includes("event: dropped");
    last = chunk.toString().slice(-100);
  });
  socket.resume();
  await until(() => isTold);
  socket.destroy();
  await until(() => door.listening === 0);
});
