// Keeps the full text of results that a model gets cut, as files in the caller's /tmp. They last as long as the kernel; if /tmp is full,
// the oldest ones are deleted.

import type { Namespace } from "../../../fs/namespace.ts";
import { SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";

const DIRECTORY = "/tmp";
const OURS = /^(?:result|shell)-[0-9a-f-]{36}\.txt$/;

export class KeptResults {
  constructor(private readonly namespace: Namespace) {}

  /** The path, or null if there is no space. */
  async keep(
    caller: Caller,
    kind: "result" | "shell",
    id: string,
    pieces: Iterable<Uint8Array>,
  ): Promise<string | null> {
    const path = `${DIRECTORY}/${kind}-${id}.txt`;
    try {
      let at: "start" | "end" = "start";
      for (const piece of pieces) {
        await this.write(caller, path, piece, at);
        at = "end";
      }
      return path;
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      await this.namespace.remove(caller, path, { recursive: false }).catch(() => undefined);
      return null;
    }
  }

  private async write(caller: Caller, path: string, piece: Uint8Array, at: "start" | "end"): Promise<void> {
    for (;;) {
      try {
        await this.namespace.write(caller, path, piece, { at });
        return;
      } catch (error) {
        if (!(error instanceof SysError) || error.code !== "ENOSPC" || !(await this.makeRoom(caller, path)))
          throw error;
      }
    }
  }

  /** False if there is nothing left to delete. */
  private async makeRoom(caller: Caller, wanted: string): Promise<boolean> {
    const files = (await this.namespace.list(caller, DIRECTORY)).filter(
      ({ name, stat }) => OURS.test(name) && stat.uid === caller.uid && `${DIRECTORY}/${name}` !== wanted,
    );
    const [oldest] = files.sort((left, right) => left.stat.mtimeMs - right.stat.mtimeMs);
    if (oldest === undefined) return false;
    await this.namespace.remove(caller, `${DIRECTORY}/${oldest.name}`, { recursive: false });
    return true;
  }
}
