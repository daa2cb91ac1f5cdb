// A kernel that dies between an effect and its answer: the case for receipts.

import { expect } from "bun:test";
import type { Ports } from "../../src/boot/core.ts";
import type { TestKernel } from "./kernel.ts";
import { rejection } from "./refusal.ts";

/** While it is `deadly`, a kernel dies before it records its own answer: the effect is over by then. */
export class Dying {
  deadly = false;

  readonly ports = (ports: Ports): Ports => {
    const { requests } = ports.kernel;
    const remember: typeof requests.remember = async (row) => {
      if (this.deadly) throw new Error("killed here");
      await requests.remember(row);
    };
    return { ...ports, kernel: { ...ports.kernel, requests: { ...requests, remember } } };
  };
}

/** Calls, lets the kernel die before it answers, and repeats the same request at the next one. */
export async function answerAfterDeath(home: TestKernel, dying: Dying, name: string, args: object): Promise<unknown> {
  dying.deadly = true;
  await rejection(home.sys.call(name, args, { requestId: "req-1" }));
  expect(home.faults.splice(0).join()).toContain("killed here");
  dying.deadly = false;
  await home.restart();
  return await home.sys.call(name, args, { requestId: "req-1" });
}
