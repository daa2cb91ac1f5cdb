// Hooks as a person installs them: real scripts in the home of a kernel under test, allowed by its person.

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ShownHook } from "../../src/syscalls/system/hooks.ts";
import type { TestKernel } from "./kernel.ts";

export class HookBed {
  constructor(readonly home: TestKernel) {}

  path(hook: string): string {
    return join(this.home.paths.hooksDir, hook);
  }

  /** Output of the scripts for the test. */
  out(name = "out"): string {
    return join(this.home.paths.home, `${name}.told`);
  }

  /** A hook without a decision. */
  put(hook: string, body: string, mode = 0o700): string {
    const path = this.path(hook);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode });
    chmodSync(path, mode);
    return path;
  }

  async allow(hook: string): Promise<void> {
    const { sha256 } = await this.home.sys.call<ShownHook>("hooks.show", { hook });
    await this.home.sys.call("hooks.allow", { hook, sha256 });
  }

  async allowed(hook: string, body: string): Promise<string> {
    const path = this.put(hook, body);
    await this.allow(hook);
    return path;
  }

  /** Allowed, and each of its events is a line of `out`. */
  async teller(event: string, name = "tell"): Promise<void> {
    await this.allowed(`${event}/${name}`, `cat >> '${this.out(event)}'`);
  }

  told<Event = Record<string, unknown>>(event: string): Event[] {
    if (!existsSync(this.out(event))) return [];
    const lines = readFileSync(this.out(event), "utf8").split("\n");
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Event);
  }

  async heard<Event = Record<string, unknown>>(event: string, count = 1): Promise<Event[]> {
    await this.home.until(`${event} is told`, () => this.told(event).length >= count);
    return this.told<Event>(event);
  }
}
