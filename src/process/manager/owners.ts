// The owner's addresses: a check of the embedding program, noted in the setting `credits.owners`, which all ways to start a session use.

import { senderOf } from "../../abi/process/session.ts";
import type { Sys } from "../../abi/sys.ts";
import type { Session } from "./session.ts";

const OWNERS_KEY = "credits.owners";

export class Owners {
  private check: ((address: string) => boolean) | null = null;

  constructor(private readonly sys: Sys) {}

  set(check: (address: string) => boolean): void {
    this.check = check;
  }

  has(address: string): boolean {
    return this.check?.(address) ?? false;
  }

  /** Call before the sender could be charged. */
  async note(session: Session): Promise<void> {
    const peer = senderOf(session);
    if (this.check === null || peer === null) return;
    const owners = (await this.sys.call<{ value: string[] }>("config.get", { key: OWNERS_KEY })).value;
    const isOwner = this.check(peer);
    if (owners.includes(peer) === isOwner) return;
    const value = JSON.stringify(isOwner ? [...owners, peer] : owners.filter((each) => each !== peer));
    await this.sys.call("config.set", { key: OWNERS_KEY, value });
  }
}
