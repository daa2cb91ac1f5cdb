// Settings as the writer and the readers of kernel.db see them, however often they were read before.

import { expect, test } from "bun:test";
import { KernelPlane } from "../support/kernel-plane.ts";

test("a changed setting is read at once, by the kernel and by readers of its file, and a refused change shows nothing", async () => {
  const plane = new KernelPlane();
  try {
    const store = plane.begin();
    const reader = plane.reading();
    const by = { uid: 1000, now: 1 };
    const seen = async () => [await store.config.under("users/"), await reader?.config.under("users/")];
    const rows = (value: string) => [{ key: "users/1000/ai/model", value }];
    expect(await seen()).toEqual([[], []]);
    for (const value of ["one", "two"]) {
      await store.config.change([{ key: "users/1000/ai/model", value }], by);
      expect(await seen()).toEqual([rows(value), rows(value)]);
    }
    const next = plane.begin();
    await expect(store.config.change([{ key: "users/1000/ai/model", value: "lost" }], by)).rejects.toThrow("not saved");
    expect(await seen()).toEqual([rows("two"), rows("two")]);
    await next.config.change([{ key: "users/1000/ai/model", value: null }], by);
    expect([await next.config.under("users/"), await reader?.config.under("users/")]).toEqual([[], []]);
  } finally {
    plane.dispose();
  }
});
