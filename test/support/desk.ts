// An init at work next to a person: it makes one call at a time, which runs, or asks the person, who approves or denies it.

import type { Approval } from "../../src/abi/process/process.ts";
import { INIT, type KernelOptions, TestKernel } from "./kernel.ts";

export class Desk {
  private constructor(readonly home: TestKernel) {}

  /** `cwd` is the person's working directory. */
  static async at(options: KernelOptions & { readonly cwd: string }): Promise<Desk> {
    return new Desk(await TestKernel.boot({ realTime: true, ...options }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home[Symbol.asyncDispose]();
  }

  /** The init makes one call; returns its result, or the approval it waits for. */
  async calls(name: string, args: object): Promise<string | Approval> {
    const before = (await this.results()).length;
    this.home.model.will(INIT, { calls: [{ name, args }] });
    await this.home.send("go");
    let asked: Approval | undefined;
    await this.home.until("it is told or asks", async () => {
      asked = (await this.open())[0];
      return asked !== undefined || (await this.isIdle());
    });
    return asked ?? (await this.results()).slice(before).join("\n");
  }

  async open(): Promise<readonly Approval[]> {
    return (await this.home.sys.call<{ approvals: readonly Approval[] }>("hil.list", {})).approvals;
  }

  /** Approves or denies; returns the result. */
  async answers(asked: string | Approval, decision: "approve" | "deny" = "approve"): Promise<string> {
    if (typeof asked === "string") throw new Error(`it did not ask: ${asked}`);
    await this.home.sys.call("hil.answer", { id: asked.id, decision });
    await this.home.until("the run ends", async () => {
      return await this.isIdle();
    });
    return (await this.results()).at(-1) ?? "";
  }

  async isIdle(): Promise<boolean> {
    return (await this.home.get(INIT)).state === "idle";
  }

  async results(): Promise<string[]> {
    return (await this.home.messages(INIT)).flatMap((message) =>
      message.role === "toolResult" ? [message.content.output] : [],
    );
  }
}

export function why(asked: string | Approval): string {
  return typeof asked === "string" ? `ran: ${asked}` : asked.why;
}
