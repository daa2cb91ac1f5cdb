// Addresses of the owner. The setting `credits.owners` keeps them, so that every way to start a session knows them.

import { senderOf } from "../../abi/process/session.ts";
import type { Sys } from "../../abi/sys.ts";
import type { Session } from "./session.ts";

const KEY = "credits.owners";

export class Owners {
  private check: ((address: string) => boolean) | null = null;

  constructor(private readonly sys: Sys) {}

  set(check: (address: string) => boolean): void {
    this.check = check;
  }

  has(address: string): boolean {
    return this.check?.(address) ?? false;
  }

  /** Before its sender could be charged. */
  async note(session: Session): Promise<void> {
    const peer = senderOf(session);
    if (this.check === null || peer === null) return;
    const owners = (await this.sys.call<{ value: string[] }>("config.get", { key: KEY })).value;
    const isOwner = this.check(peer);
    if (owners.includes(peer) === isOwner) return;
    const value = JSON.stringify(isOwner ? [...owners, peer] : owners.filter((each) => each !== peer));
    await this.sys.call("config.set", { key: KEY, value });
  }
}
