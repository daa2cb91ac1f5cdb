import { expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import { lazySys } from "../../src/client/lazy.ts";
import { until } from "../support/door.ts";
import { FakeHome } from "../support/kernels.ts";
import { rejection } from "../support/refusal.ts";

test("connect starts the kernel that the first call then uses", async () => {
  const home = new FakeHome();
  try {
    const sys = lazySys(async () => home.open({ readSys: async () => null }));
    sys.connect();
    await until("a kernel starts", () => home.starts === 1);
    expect([await sys.call<number>("count", {}), home.starts]).toEqual([1, 1]);
    await sys.close();
  } finally {
    await home.close();
  }
});

test("connect leaves its error to the first call", async () => {
  const refusal = new SysError("ECONFIG", "not your home");
  const sys = lazySys(() => Promise.reject(refusal));
  sys.connect();
  expect(await rejection(sys.call("count", {}))).toBe(refusal);
});
