// The kernel as a script may use it that no person has approved: what reads, what makes and writes as its agent may without asking, and
// nothing that deletes or ends. For these an agent has tools that ask.

import { SysError } from "../../abi/errno.ts";
import type { CallClass, Sys } from "../../abi/sys.ts";

export interface GatePorts {
  readonly classOf: (call: string) => CallClass | undefined;
  /** Where a path really leads. */
  readonly locate: (path: string) => Promise<string>;
  readonly isGuarded: (path: string) => boolean;
  readonly exists: (path: string) => Promise<boolean>;
  /** A rule or the mode lets it delete and end; what is guarded stays so. */
  readonly lifted?: boolean;
}

const FREE = ["proc.spawn", "proc.send", "proc.abort", "fs.stage", "shell.run", "shell.stop", "shell.signal"];
/** Settings, policies, accounts and the like are changed by their own tools or by people. */
const NEVER_LIFTED = /^(?:config|policy|hil|account|group|sys|kernel|storage|workspace)\./;
/** Calls that write, and the arguments that say where. */
const WRITES: { readonly [call: string]: readonly string[] } = {
  "fs.write": ["path"],
  "fs.edit": ["path"],
  "fs.mkdir": ["path"],
  "fs.link": ["path"],
  "fs.setattr": ["path"],
  "fs.put": ["path"],
  "fs.rename": ["from", "to"],
};

export function gatedSys(sys: Sys, ports: GatePorts): Sys {
  async function check(call: string, args: { readonly [name: string]: unknown }): Promise<void> {
    const kind = ports.classOf(call);
    // What does not exist is refused by who knows that.
    if (kind === undefined || kind === "read" || kind === "wait" || FREE.includes(call)) return;
    const places = ports.lifted && call === "fs.delete" ? ["path"] : WRITES[call];
    if (places === undefined && ports.lifted && !NEVER_LIFTED.test(call)) return;
    if (places === undefined) throw needsApproval(call);
    for (const name of places) {
      const path = args[name];
      if (typeof path !== "string") continue;
      const place = await ports.locate(path);
      if (ports.isGuarded(place)) throw needsApproval(`changing ${path}`);
      // What stands at the other name would be gone.
      if (!ports.lifted && call === "fs.rename" && name === "to" && (await ports.exists(place)))
        throw needsApproval(`replacing ${path}`);
    }
  }
  return {
    async call(name, args, options) {
      await check(name, args as { readonly [name: string]: unknown });
      return await sys.call(name, args, options);
    },
    on: sys.on,
    close: sys.close,
  };
}

function needsApproval(what: string): SysError {
  return new SysError("EBLOCKED", `${what} needs a person's approval: use the tool for it`);
}
