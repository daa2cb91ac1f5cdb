// The remotes of an invocation in memory: no file, and no server but the ones that a test answers for.

import type { Remotes } from "../../commands/command.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { LineState, RemoteEntry, SavedRemote, SavedRemotes } from "../../src/abi/remote.ts";

export class FakeRemotes implements Remotes {
  chosen: string | null = null;
  kept: SavedRemote[] = [];
  usedName: string | null = null;
  /** The remote kernel that the invocation uses. */
  server: { readonly name: string; readonly url: string } | null = null;
  way: RemoteEntry | null = null;

  choose(name: string): void {
    this.chosen = name;
  }

  async current() {
    return this.server;
  }

  get name(): string | null {
    return this.server?.name ?? null;
  }

  hear: (state: LineState) => void = () => {};

  onLine(hear: (state: LineState) => void): () => void {
    this.hear = hear;
    return () => {};
  }

  hearEnd: (why: SysError) => void = () => {};

  onSignedOut(hear: (why: SysError) => void): () => void {
    this.hearEnd = hear;
    return () => {};
  }

  async onlyHere(what: string): Promise<void> {
    if (this.server !== null) throw new SysError("EPERM", `${what}: not available on a remote kernel`);
  }

  async saved(): Promise<SavedRemotes> {
    return {
      list: () => this.kept,
      used: () => this.usedName,
      save: (remote) => {
        this.kept = [...this.kept.filter(({ name }) => name !== remote.name), remote];
      },
      remove: (name) => {
        this.kept = this.kept.filter((each) => each.name !== name);
      },
      select: (name) => {
        this.usedName = name;
      },
    };
  }

  async entry(): Promise<RemoteEntry> {
    return this.way ?? Promise.reject(new Error("no server here"));
  }
}
