// The scene of known attacks: a desk with an attached directory, a secret next to it, and links that lead there.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Rule } from "../../src/abi/policy.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import { Desk, why } from "./desk.ts";
import { INIT } from "./kernel.ts";
import { standInSandbox } from "./sandbox.ts";
import { scratchDirectory } from "./scratch.ts";
import { judgeOn } from "./shell-judging.ts";

export const ON_HOST = { target: "host" } as const;

export class AttackGround {
  readonly scratch = scratchDirectory("attacks");
  readonly work = join(this.scratch, "work");
  readonly secret = join(this.scratch, "work-secret");
  desk!: Desk;

  async begin(): Promise<void> {
    const { scratch, work, secret } = this;
    mkdirSync(join(work, "src"), { recursive: true });
    mkdirSync(secret);
    writeFileSync(join(work, "notes"), "call the bank\n");
    writeFileSync(join(secret, "key"), "canary\n");
    symlinkSync(join(secret, "key"), join(work, "link"));
    symlinkSync(secret, join(work, "elsewhere"));
    symlinkSync(work, join(scratch, "by-link"));
    this.desk = await Desk.at({ cwd: work, sandbox: standInSandbox(scratch).program });
    await this.desk.home.sys.call("workspace.attach", { what: work, pid: INIT });
  }

  async end(): Promise<void> {
    await this.desk[Symbol.asyncDispose]();
    rmSync(this.scratch, { recursive: true, force: true });
  }

  /** The command asks, with all of `words`, and the answer is no. */
  async asks(name: string, args: object, ...words: readonly string[]): Promise<Approval> {
    const asked = await this.desk.calls(name, args);
    for (const each of words) expect(why(asked)).toContain(each);
    if (typeof asked === "string") throw new Error(`it ran: ${asked}`);
    await this.desk.answers(asked, "deny");
    return asked;
  }
}

/** A test named by the numbers of its faults. */
export function attack(numbers: string, what: string, work: () => Promise<void> | void): void {
  test(`${numbers}: ${what}`, async () => await work());
}

export const allowing = (...commands: readonly string[]): readonly Rule[] =>
  commands.map((command) => ({
    match: "shell.exec",
    target: "host",
    when: { argPrefix: { command } },
    action: "auto",
  }));

/** Although these programs are allowed. */
export async function asksFor(command: string, ...commands: readonly string[]): Promise<void> {
  const { action } = await judgeOn("host", command, { rules: allowing(...commands) });
  expect(`${command}: ${action}`).toBe(`${command}: ask`);
}
