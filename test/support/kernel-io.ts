// The ports of a command that runs against a real kernel.

import type { Sys } from "../../src/abi/sys.ts";
import { FakeIo, runs } from "./io.ts";

export class KernelIo extends FakeIo {
  constructor(private readonly real: Sys) {
    super();
  }

  override sys() {
    return this.real as never;
  }
}

/** Runs a command line; its status, stdout and stderr. */
export async function typed(sys: Sys, ...words: string[]): Promise<readonly [number, string, string]> {
  const io = new KernelIo(sys);
  const status = await runs(io, ...words);
  return [status, io.stdout.text, io.stderr.text];
}
