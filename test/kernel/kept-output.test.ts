// What scripts have printed is kept for a while after their end, so that it can be read to its end, and takes no more than so much memory.

import { describe, expect, test } from "bun:test";
import { type Printed, withoutRoom } from "../../src/kernel/shells/script-output.ts";
import type { ShellAnswer, ShellOutput } from "../../src/syscalls/run/shell-service.ts";
import { TestKernel } from "../support/kernel.ts";

const room = { since: 1000, bytesMax: 100 };
const printed = (bytes: number, wantedAt = 0): Printed => ({ output: { bytes }, wantedAt });

describe("of what has ended", () => {
  test("the latest stays, whatever it takes", () => {
    const latest = printed(500);
    expect(withoutRoom([latest], latest, room)).toEqual([]);
  });

  test("the oldest goes first, and no more than must", () => {
    const [oldest, older, old, latest] = [printed(10), printed(40), printed(40), printed(20)];
    expect(withoutRoom([oldest, older, old, latest], latest, room)).toEqual([oldest]);
    expect(withoutRoom([oldest, older, old, latest], latest, { ...room, bytesMax: 60 })).toEqual([older, oldest]);
  });

  test("what somebody reads stays until it is read no more", () => {
    const [read, latest] = [printed(90, 1001), printed(90)];
    expect(withoutRoom([read, latest], latest, room)).toEqual([]);
    expect(withoutRoom([read, latest], latest, { ...room, since: 1001 })).toEqual([read]);
  });
});

test("what a script printed can be read for a minute after its end, and then no more", async () => {
  await using home = await TestKernel.boot();
  const id = "0198a000-0000-7000-8000-000000000001";
  await home.sys.call<ShellAnswer>("shell.run", { id, script: "echo hello" });
  const reads = () => home.sys.call<ShellOutput>("shell.output", { id, from: 0, waitMs: 0 });
  await home.clock.advance(59_000);
  expect((await reads()).pieces).toHaveLength(1);
  await home.clock.advance(2000);
  await expect(reads()).rejects.toThrow("it ended too long ago");
});
