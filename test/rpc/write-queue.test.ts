import { describe, expect, test } from "bun:test";
import type { Signal } from "../../src/abi/signal.ts";
import { WriteQueue } from "../../src/rpc/write-queue.ts";
import { FakeClock } from "../support/clock.ts";
import { delta, text } from "../support/door.ts";

/** A peer that reads on command. */
function peer(limits: { eventsMax?: number; bytesMax?: number } = {}) {
  const clock = new FakeClock();
  let open = true;
  let taken = "";
  let writes = 0;
  const queue = new WriteQueue({
    clock,
    write: (bytes) => {
      const part = open ? bytes.length : 0;
      writes++;
      taken += Buffer.from(bytes.subarray(0, part)).toString();
      return part;
    },
    ...limits,
  });
  return {
    queue,
    writes: () => writes,
    stall() {
      open = false;
      queue.frame('{"stalled":true}\n');
    },
    read(): { sub?: number; signal?: Signal; stalled?: true; answer?: number }[] {
      open = true;
      queue.drained();
      const frames = taken.trim() === "" ? [] : taken.trim().split("\n");
      taken = "";
      return frames.map((frame) => JSON.parse(frame)).filter((frame) => !frame.stalled);
    },
  };
}

const said = (frames: { signal?: Signal }[]) =>
  frames.map(({ signal }) => {
    if (signal === undefined) return "answer";
    if (signal.name === "resync") return `resync ${signal.pid} ${signal.afterSeq}`;
    return "text" in signal ? `${signal.name} ${signal.text}` : signal.name;
  });

describe("a queue to a peer that keeps up", () => {
  test("sends signals and answers at once, in order", () => {
    const { queue, read } = peer();
    queue.signal(1, text(1));
    queue.frame('{"answer":1}\n');
    queue.signal(1, text(2));
    expect(said(read())).toEqual(["chat.text message 1", "answer", "chat.text message 2"]);
  });

  test("sends deltas that come at once in one write, after the current step", async () => {
    const { queue, writes, read } = peer();
    queue.signal(1, delta("a"));
    queue.signal(1, delta("b", { pid: "init:1000" }));
    queue.signal(2, delta("c"));
    expect(writes()).toBe(0);
    await Promise.resolve();
    expect(writes()).toBe(1);
    expect(said(read())).toEqual(["chat.delta a", "chat.delta b", "chat.delta c"]);
  });

  test("joins only pieces of one text, and never across another signal", async () => {
    const { queue, read } = peer();
    queue.signal(1, delta("a"));
    queue.signal(2, delta("a"));
    queue.signal(1, delta("b", { kind: "thinking" }));
    queue.signal(1, delta("c", { turn: 2 }));
    queue.signal(1, delta("d", { turn: 2, run: "r2" }));
    queue.signal(1, delta("e", { turn: 2, run: "r2" }));
    queue.signal(1, delta("g", { turn: 3, run: "r2" }));
    queue.signal(1, text(1));
    queue.signal(1, delta("f", { turn: 2, run: "r2" }));
    await Promise.resolve();
    expect(said(read())).toEqual([
      "chat.delta a",
      "chat.delta a",
      "chat.delta b",
      "chat.delta c",
      "chat.delta de",
      "chat.delta g",
      "chat.text message 1",
      "chat.delta f",
    ]);
  });

  test("a signal for many subscribers is encoded once", () => {
    const signal = text(1);
    let encodings = 0;
    const counted = { ...signal, toJSON: () => [signal, encodings++][0] } as object as Signal;
    const peers = Array.from({ length: 3 }, () => peer());
    for (const [sub, { queue }] of peers.entries()) queue.signal(sub, counted);
    expect(peers.map(({ read }) => read())).toEqual([0, 1, 2].map((sub) => [{ kind: "sig", sub, signal }]) as never);
    expect(encodings).toBe(1);
  });
});

describe("a queue to a peer that does not read", () => {
  test("drops deltas first: committed text still arrives", () => {
    const { queue, stall, read } = peer({ eventsMax: 10 });
    stall();
    for (let seq = 1; seq <= 9; seq++) {
      queue.signal(1, delta(`piece ${seq}`, { turn: seq }));
      queue.signal(1, text(seq));
    }
    const got = said(read());
    expect(got.filter((line) => line.startsWith("chat.text"))).toHaveLength(9);
    expect(got.filter((line) => line.startsWith("resync"))).toEqual([]);
  });

  test("replaces the rest by one resync a process, after the last message it was sent", () => {
    const { queue, stall, read } = peer({ eventsMax: 10 });
    queue.signal(1, text(7));
    read();
    stall();
    for (let seq = 12; seq <= 40; seq++) queue.signal(1, text(seq));
    for (let seq = 3; seq <= 40; seq++) queue.signal(1, text(seq, { pid: "init:1000" }));
    const got = said(read());
    expect(got.filter((line) => line.startsWith("resync"))).toEqual(["resync task:abc123 7", "resync init:1000 2"]);
    queue.signal(1, text(41));
    expect(said(read())).toEqual(["chat.text message 41"]);
  });

  test("overflowing twice still reports the first gap, also when the first lost signal has no number", () => {
    const { queue, stall, read } = peer({ eventsMax: 5 });
    stall();
    const state = { name: "process.state", pid: "task:abc123", uid: 1, parent: null, at: 1, state: "running" } as const;
    queue.signal(1, { ...state, queued: 0, waitsFor: null });
    for (let seq = 10; seq <= 100; seq++) queue.signal(1, text(seq));
    const resyncs = said(read()).filter((line) => line.startsWith("resync"));
    expect(resyncs).toEqual(["resync task:abc123 9"]);
  });

  test("never drops an answer, and keeps its memory within the bound", () => {
    const { queue, stall, read } = peer({ bytesMax: 10_000 });
    stall();
    for (let n = 0; n < 500; n++) {
      queue.signal(1, text(n + 1, { text: "x".repeat(1000) }));
      queue.frame(`{"answer":${n}}\n`);
    }
    const frames = read();
    expect(frames.filter((frame) => frame.answer !== undefined).map((frame) => frame.answer)).toEqual(
      Array.from({ length: 500 }, (_, n) => n),
    );
    expect(JSON.stringify(frames.filter((frame) => frame.signal)).length).toBeLessThan(15_000);
  });

  test("two subscriptions are separate: each has its own resync", () => {
    const { queue, stall, read } = peer({ eventsMax: 6 });
    queue.signal(1, text(5));
    read();
    stall();
    for (let seq = 6; seq <= 9; seq++) for (const sub of [1, 2]) queue.signal(sub, text(seq));
    const resyncs = read().flatMap(({ sub, signal }) => (signal?.name === "resync" ? [[sub, signal.afterSeq]] : []));
    expect(resyncs).toEqual([
      [1, 5],
      [2, 5],
    ]);
  });

  test("a cancelled subscription gets nothing more", () => {
    const { queue, stall, read } = peer();
    stall();
    queue.signal(1, text(1));
    queue.signal(2, text(1));
    queue.forget(1);
    expect(read().map(({ sub }) => sub)).toEqual([2]);
  });
});

test("a signal too big for a frame becomes a resync to its message, and an oversized delta is dropped", () => {
  const { queue, read } = peer();
  queue.signal(1, text(9, { text: "x".repeat(2 * 1024 * 1024) }));
  queue.signal(1, delta("y".repeat(2 * 1024 * 1024)));
  expect(said(read())).toEqual(["resync task:abc123 8"]);
});

test("flushed waits for a slow peer, and ends when the peer leaves", async () => {
  const { queue, stall, read } = peer();
  await queue.flushed();
  stall();
  let done = false;
  const flushed = queue.flushed().then(() => {
    done = true;
  });
  await Promise.resolve();
  expect(done).toBe(false);
  read();
  await flushed;
  stall();
  const ended = queue.flushed();
  queue.close();
  await ended;
});
