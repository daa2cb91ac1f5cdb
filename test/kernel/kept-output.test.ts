// Output of ended scripts stays readable for a while, within a memory limit.

import { describe, expect, test } from "bun:test";
import { type Printed, withoutRoom } from "../../src/kernel/shells/script-output.ts";
import type { ShellAnswer, ShellOutput } from "../../src/syscalls/run/shell-service.ts";
import { TestKernel } from "../support/kernel.ts";

const room = { since: 1000, bytesMax: 100 };
const printed = (bytes: number, wantedAt = 0): Printed => ({ output: { bytes }, wantedAt });

describe("output of ended scripts", () => {
  test("the latest stays, whatever its size", () => {
    const latest = printed(500);
    expect(withoutRoom([latest], latest, room)).toEqual([]);
  });

  test("the oldest is dropped first, and only as much as needed", () => {
    const [oldest, older, old, latest] = [printed(10), printed(40), printed(40), printed(20)];
    expect(withoutRoom([oldest, older, old, latest], latest, room)).toEqual([oldest]);
    expect(withoutRoom([oldest, older, old, latest], latest, { ...room, bytesMax: 60 })).toEqual([older, oldest]);
  });

  test("output with a reader stays until the reader is done", () => {
    const [read, latest] = [printed(90, 1001), printed(90)];
    expect(withoutRoom([read, latest], latest, room)).toEqual([]);
    expect(withoutRoom([read, latest], latest, { ...room, since: 1001 })).toEqual([read]);
  });
});

test("the output of a script can be read for a minute after its end", async () => {
  await using home = await TestKernel.boot();
  const id = "0198a000-0000-7000-8000-000000000001";
  await home.sys.call<ShellAnswer>("shell.run", { id, script: "echo hello" });
  const reads = () => home.sys.call<ShellOutput>("shell.output", { id, from: 0, waitMs: 0 });
  await home.clock.advance(59_000);
  expect((await reads()).pieces).toHaveLength(1);
  await home.clock.advance(2000);
  await expect(reads()).rejects.toThrow("no such script, or it ended long ago");
});
