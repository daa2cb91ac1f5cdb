// A host with few descriptors: less is open at once, and a call without one gets an error instead of ending the kernel.

import { expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { connectionsMax, needDescriptorsForThread, openDatabasesMax } from "../../src/machine/descriptors.ts";

test("clients and databases together take half of the descriptors, with a fixed maximum", () => {
  for (const descriptors of [128, 256, 1024])
    expect(connectionsMax(descriptors) + 3 * openDatabasesMax(descriptors)).toBeLessThanOrEqual(descriptors / 2);
  expect([connectionsMax(1_000_000), openDatabasesMax(1_000_000)]).toEqual([
    LIMITS.connectionsMax,
    LIMITS.openProcessDatabasesMax,
  ]);
  expect(connectionsMax(null)).toBe(LIMITS.connectionsMax);
  expect(openDatabasesMax(20)).toBeGreaterThan(0);
});

test("a thread without a free descriptor is refused, with the fix", () => {
  const need = (most: number | null, open: number) => () =>
    needDescriptorsForThread(
      () => most,
      () => open,
    );
  expect(need(256, 250)).toThrow("cannot start another script: nearly all 256 file descriptors are in use");
  expect(need(256, Number.POSITIVE_INFINITY)).toThrow();
  expect(need(256, 100)).not.toThrow();
  expect(need(null, 250)).not.toThrow();
});
