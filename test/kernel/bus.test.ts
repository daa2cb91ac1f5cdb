// Text deltas through the bus: joined for all who listen, with no piece lost, doubled or out of order.

import { describe, expect, test } from "bun:test";
import type { Signal, SignalFilter } from "../../src/abi/signal.ts";
import { Bus } from "../../src/kernel/bus.ts";
import { FakeClock } from "../support/clock.ts";
import { delta, text } from "../support/door.ts";

function begin() {
  const clock = new FakeClock();
  const bus = new Bus(clock, (error) => {
    throw error;
  });
  const follow = (filter: SignalFilter = {}) => {
    const heard: Signal[] = [];
    const listener = { uid: 1000, clientId: null, filter, hear: (signal: Signal) => void heard.push(signal) };
    const stop = bus.listen(listener);
    const texts = () => heard.map((signal) => ("text" in signal ? String(signal.text) : signal.name));
    return { heard, texts, stop, catchUp: () => bus.catchUp(listener) };
  };
  return { clock, bus, follow };
}

describe("text deltas", () => {
  test("the first arrives at once, those of the next 30 ms as one signal, which is the same for all", async () => {
    const { clock, bus, follow } = begin();
    const followers = [follow(), follow(), follow({ pid: "task:abc123" })];
    for (const piece of ["a", "b", "c"]) bus.emit(delta(piece));
    expect(followers.map(({ texts }) => texts())).toEqual([["a"], ["a"], ["a"]]);
    await clock.advance(30);
    expect(followers.map(({ texts }) => texts())).toEqual([
      ["a", "bc"],
      ["a", "bc"],
      ["a", "bc"],
    ]);
    expect(new Set(followers.map(({ heard }) => heard[1])).size).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test("any other signal of the process follows its deltas, and does not wait", () => {
    const { bus, follow } = begin();
    const { texts } = follow();
    for (const piece of ["a", "b", "c"]) bus.emit(delta(piece));
    bus.emit(delta("other", { pid: "task:other1" }));
    bus.emit(text(1));
    expect(texts()).toEqual(["a", "bc", "message 1"]);
  });

  test("pieces of another turn, run or kind are not joined", async () => {
    const { clock, bus, follow } = begin();
    const { texts } = follow();
    bus.emit(delta("first"));
    for (const patch of [{}, { kind: "thinking" }, { turn: 2 }, { run: "r2" }]) bus.emit(delta("x", patch));
    await clock.advance(30);
    expect(texts()).toEqual(["first", "x", "x", "x", "x"]);
  });

  test("who begins to listen gets only what comes after", async () => {
    const { clock, bus, follow } = begin();
    follow();
    for (const piece of ["a", "b", "c"]) bus.emit(delta(piece));
    const late = follow();
    bus.emit(delta("d"));
    await clock.advance(30);
    expect(late.texts()).toEqual(["d"]);
  });

  test("who has asked something gets all until then before the answer, and nothing twice", async () => {
    const { clock, bus, follow } = begin();
    const [asking, other] = [follow(), follow()];
    for (const piece of ["a", "b", "c"]) bus.emit(delta(piece));
    asking.catchUp();
    asking.catchUp();
    expect(asking.texts()).toEqual(["a", "bc"]);
    bus.emit(delta("d"));
    await clock.advance(30);
    expect(asking.texts()).toEqual(["a", "bc", "d"]);
    expect(other.texts()).toEqual(["a", "bcd"]);
  });

  test("another account hears nothing of it, also when it catches up", async () => {
    const { clock, bus, follow } = begin();
    const { texts, catchUp } = follow();
    for (const piece of ["a", "b"]) bus.emit(delta(piece, { uid: 1001 }));
    catchUp();
    await clock.advance(30);
    expect(texts()).toEqual([]);
  });
});
