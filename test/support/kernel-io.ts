// The ports of a command that runs against a real kernel.

import type { Sys } from "../../src/abi/sys.ts";
import { FakeIo } from "./io.ts";

export class KernelIo extends FakeIo {
  constructor(private readonly real: Sys) {
    super();
  }

  override sys() {
    return this.real as never;
  }
}
